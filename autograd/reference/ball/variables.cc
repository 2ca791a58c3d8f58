// Values of a Program: what they show, share and write.

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "autograd/reference/ball/witness.h"

namespace twingrad::reference::ball {

using program::ValueId;

namespace {

constexpr size_t kMaxElements = 4096;  // of a tensor

}  // namespace

Witness::Witness(const program::Program& program, const Plan& plan, size_t budget)
    : program_(program), plan_(plan), math_(plan.order, budget), variables_(program.names.size()) {}

Witness::Variable& Witness::At(ValueId value) {
  Variable& variable = variables_[static_cast<size_t>(value)];
  if (!variable.defined) throw NotApplicable{Refusal::kForm};
  return variable;
}

// Brings a view up to date whose storage was written.
void Witness::Renew(ValueId value) {
  Variable& variable = At(value);
  const uint32_t version = VersionOf(variable);
  if (!variable.is_view || variable.version == version) return;
  variable.version = version;
  variable.family = variable.base_family;
  SeedView(value);
}

Tensor Witness::Read(ValueId value) {
  Renew(value);
  const Variable& variable = At(value);
  Tensor tensor{variable.type, variable.layout.shape, {}};
  const Refs& numbers = storages_[static_cast<size_t>(variable.storage)].numbers;
  const Places places = variable.layout.AllPlaces();
  tensor.elements.reserve(places.size());
  if (!IsFloating(variable.type)) {
    for (const int64_t place : places)
      tensor.elements.push_back(numbers[static_cast<size_t>(place)]);
    return tensor;
  }
  const bool constant = !grad_mode_ || variable.family == kNoFamily;
  for (const int64_t place : places) {
    const auto at = static_cast<size_t>(place);
    Ref slope = constant ? nullptr : families_[static_cast<size_t>(variable.family)].slopes[at];
    tensor.elements.push_back(math_.WithSlope(numbers[at], slope));
  }
  return tensor;
}

int32_t Witness::NewVariables(size_t count) {
  const int32_t first = num_variables_;
  if (count > static_cast<size_t>(kMaxVariables - num_variables_)) throw TooLarge();
  num_variables_ += static_cast<int32_t>(count);
  return first;
}

void Witness::Define(ValueId value, const Tensor& tensor) {
  if (tensor.elements.size() > kMaxElements) throw TooLarge();
  Variable& variable = variables_[static_cast<size_t>(value)];
  variable.defined = true;
  variable.type = tensor.type;
  variable.layout = Layout::Of(tensor.shape);
  variable.storage = static_cast<int>(storages_.size());
  variable.family = variable.base_family = static_cast<int>(families_.size());
  Refs elements = tensor.elements;
  const auto v = static_cast<size_t>(value);
  if (const double scale = plan_.scale[v] * plan_.node_scale[v]; scale != 1) {
    for (Ref& element : elements) element = math_.WithScaledSlope(element, scale);
  }
  storages_.push_back({elements, 0});
  families_.push_back({std::move(elements), value});
  if (plan_.has_variable[static_cast<size_t>(value)]) Seed(value);
}

// Gives a value that is no view variables of its own, in all that shares its history.
void Witness::Seed(ValueId value) {
  Variable& variable = At(value);
  if (!IsFloating(variable.type) || math_.order() == 0) return;
  Refs& numbers = storages_[static_cast<size_t>(variable.storage)].numbers;
  Refs& slopes = families_[static_cast<size_t>(variable.base_family)].slopes;
  const Places places = variable.layout.AllPlaces();
  variable.first_variable = NewVariables(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const auto at = static_cast<size_t>(places[i]);
    Ref now = math_.WithSlope(numbers[at], slopes[at]);
    slopes[at] = math_.WithVariable(now, variable.first_variable + static_cast<int32_t>(i),
                                    plan_.scale[static_cast<size_t>(value)]);
    if (numbers[at] == now) numbers[at] = slopes[at];
  }
}

// Gives a view variables that its base does not see.
void Witness::SeedView(ValueId value) {
  Variable& variable = At(value);
  const bool wanted = plan_.has_variable[static_cast<size_t>(value)] && IsFloating(variable.type) &&
                      math_.order() > 0 && variable.family != kNoFamily;
  variable.first_variable = -1;
  if (!wanted) return;
  const Places places = variable.layout.AllPlaces();
  const std::set<int64_t> distinct(places.begin(), places.end());
  if (distinct.size() != places.size()) return;  // elements that are one cannot differ
  const Refs& numbers = storages_[static_cast<size_t>(variable.storage)].numbers;
  Refs slopes = families_[static_cast<size_t>(variable.family)].slopes;
  variable.first_variable = NewVariables(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const auto at = static_cast<size_t>(places[i]);
    slopes[at] = math_.WithVariable(math_.WithSlope(numbers[at], slopes[at]),
                                    variable.first_variable + static_cast<int32_t>(i), 1);
  }
  variable.family = static_cast<int>(families_.size());
  families_.push_back({std::move(slopes), value});
}

// Overwrites the value's numbers and, with grad mode, their series.
void Witness::Write(ValueId value, const Tensor& tensor) {
  Variable& variable = At(value);
  Storage& storage = storages_[static_cast<size_t>(variable.storage)];
  Family& family = families_[static_cast<size_t>(variable.base_family)];
  const Places places = variable.layout.AllPlaces();
  const std::set<int64_t> distinct(places.begin(), places.end());
  if (distinct.size() != places.size()) {
    throw NotApplicable{Refusal::kRepeatedWrite};
  }
  for (size_t i = 0; i < places.size(); ++i) {
    const auto at = static_cast<size_t>(places[i]);
    storage.numbers[at] = tensor.elements[i];
    if (grad_mode_) family.slopes[at] = tensor.elements[i];
  }
  ++storage.version;
  if (!variable.is_view) variable.version = storage.version;
  const bool renews = grad_mode_ && plan_.has_variable[static_cast<size_t>(family.owner)] &&
                      !At(family.owner).is_leaf;
  if (renews) Seed(family.owner);
}

BallTensor Witness::Enclosures(const Refs& elements, DType type) const {
  BallTensor tensor;
  tensor.known = true;
  tensor.elements.reserve(elements.size());
  for (Ref element : elements) {
    tensor.elements.push_back(element->value.ToEnclosure(FormatOf(type)));
  }
  return tensor;
}

void Witness::Finish(BallResult* result) {
  result->values.resize(variables_.size());
  result->grads.resize(variables_.size());
  for (size_t v = 0; v < variables_.size(); ++v) {
    const Variable& variable = variables_[v];
    if (!variable.defined || !IsFloating(variable.type)) continue;
    const Refs elements = Read(static_cast<ValueId>(v)).elements;
    result->values[v] = Enclosures(elements, variable.type);
    if (!variable.grad_known || !(variable.is_leaf || variable.has_grad)) continue;
    const Refs zeros(elements.size(), math_.Zero(variable.type));
    result->grads[v] = Enclosures(variable.has_grad ? variable.grad : zeros, variable.type);
  }
}

}  // namespace twingrad::reference::ball
