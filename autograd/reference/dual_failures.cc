// What statements that end in an error leave behind: calls may have added to gradients, and writes
// may have written.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "autograd/program/signature.h"
#include "autograd/reference/dual_interpreter.h"

namespace twingrad::reference {

using program::Category;
using program::Key;
using program::Statement;
using program::ValueId;

void DualInterpreter::Fail(const Statement& statement) {
  const Category category = program::SignatureOf(statement.op).category;
  if (category == Category::kCall) return FailedCall(statement);
  if (category == Category::kCustom && statement.results.empty()) return FailedWrite(statement);
}

// `seed`: null for one of ones.
void DualInterpreter::Extend(Residues& residues, const Tangents* tangents,
                             const Array* seed) const {
  if (tangents == nullptr || tangents->size == 0) return;
  const Tangents& t = *tangents;
  if (residues.size() < static_cast<size_t>(t.end)) residues.resize(static_cast<size_t>(t.end));
  const bool fits = seed == nullptr || (seed->size == t.size && IsFloating(seed->dtype));
  for (int32_t i = 0; i < t.size; ++i) {
    if (t.first_error[i] == 0) continue;
    double factor = fits ? 1 : kUnknown;
    if (fits && seed != nullptr) factor = std::fabs(seed->v[i]) + seed->Error(i);
    if (factor == 0) continue;
    for (int32_t k = t.begin; k < t.end; ++k) {
      residues[static_cast<size_t>(k)] += factor * t.first_error[i] * (1 + 1e-9);
    }
  }
}

void DualInterpreter::AddResidues(ValueId value, const Residues& residues) {
  DualValue& to = values_[value];
  const auto residue = [&](int32_t j) {
    const auto variable = static_cast<size_t>(to.first_variable + j);
    return to.first_variable >= 0 && variable < residues.size() ? residues[variable] : 0;
  };
  bool any = false;
  for (int32_t j = 0; j < to.map.size; ++j) any |= residue(j) != 0;
  if (!any) return;
  const Array* const old = to.grad.value;
  Array* const grad = NewArray(arena_, DType::kF64, to.shape, to.map.size);
  grad->e = arena_.Allocate<double>(grad->size);
  for (int32_t j = 0; j < grad->size; ++j) {
    grad->v[j] = old == nullptr ? 0 : old->v[j];
    const double e = old == nullptr || old->e == nullptr ? 0 : old->e[j];
    grad->e[j] = e >= 0 ? e + residue(j) : kUnknown;
  }
  to.grad.value = grad;
}

// Whether a slope of 0 times each of its elements is 0.
bool DualInterpreter::IsFinite(ValueId seed) {
  if (!values_[seed].defined) return true;
  const Array& array = *Read(seed).value;
  for (int32_t i = 0; IsFloating(array.dtype) && i < array.size; ++i) {
    if (!std::isfinite(array.v[i]) || std::isinf(array.Error(i))) return false;
  }
  return true;
}

// It may have added to .grad what it would have added, or not.
void DualInterpreter::FailedCall(const Statement& statement) {
  const Disturbed disturbed = DisturbedBy(statement);
  const bool create_graph = statement.Get<bool>(Key::kCreateGraph);
  Reach reach = disturbed.gradients;
  Residues residues;
  const auto seeds = statement.Get<std::vector<ValueId>>(Key::kSeeds);
  for (size_t r = 0; r < statement.operands.size(); ++r) {
    const bool given = r < seeds.size() && seeds[r] != program::kNoValue;
    const Tangents* history = History(statement.operands[r]);
    Extend(reach, history, given && !IsFinite(seeds[r]));
    Extend(residues, history, given && values_[seeds[r]].defined ? Read(seeds[r]).value : nullptr);
  }
  ExtendBySingular(reach);
  // What is made of a residue the tangents do not know.
  reach.resize(std::max(reach.size(), residues.size()), kNone);
  for (size_t k = 0; k < residues.size() && create_graph && order_ > 1; ++k) {
    if (residues[k] > 0) reach[k] = std::max(reach[k], static_cast<uint8_t>(kSome));
  }
  const auto* filter = statement.Find(Key::kInputs);
  std::vector<ValueId> inputs;
  if (filter != nullptr) inputs = std::get<std::vector<ValueId>>(*filter);
  for (size_t v = 0; v < values_.size(); ++v) {
    DualValue& value = values_[v];
    if (!value.defined) continue;
    const auto id = static_cast<ValueId>(v);
    const bool chosen = std::find(inputs.begin(), inputs.end(), id) != inputs.end();
    const bool adds = statement.op != program::Opcode::kGrad && (filter == nullptr || chosen);
    if (plan_.values[v].leaf) {
      if (!adds) continue;
      AddResidues(id, residues);
      AddUnknown(id, reach, create_graph);
    } else if (value.retains_grad || (chosen && adds)) {
      value.grad_known = false;
      value.retains_grad = true;
    }
  }
  AddOfOthers(disturbed, create_graph);
}

// Whether it was written before it was refused is not known.
void DualInterpreter::FailedWrite(const Statement& statement) {
  const ValueId self = statement.operands[0];
  if (!values_[self].defined || statement.Get<std::string>(Key::kDo) != "exp") return;
  DualStorage& storage = storages_[static_cast<size_t>(values_[self].storage)];
  const Jets old = Read(self);
  if (!IsFloating(old.value->dtype)) return;
  for (const DualValue& value : values_) {
    if (value.defined && value.storage == values_[self].storage && value.constant_until_written) {
      throw NotApplicable{std::string("a write that fails, of what is seen without a history")};
    }
  }
  storage.content = algebra_
                        .Apply(Primitive::kOverwrite, {.map = values_[self].map},
                               Jets{storage.content}, Unknown({old.value, nullptr}, false))
                        .value;
}

}  // namespace twingrad::reference
