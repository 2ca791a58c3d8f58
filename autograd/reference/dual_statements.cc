// What statements do to values and tangents.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/parts.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "autograd/program/sparse.h"
#include "autograd/reference/composite.h"
#include "autograd/reference/dual_interpreter.h"

namespace twingrad::reference {

using program::Category;
using program::Key;
using program::Opcode;
using program::Statement;
using program::ValueId;

void DualInterpreter::Execute(const Statement& statement) {
  switch (program::SignatureOf(statement.op).category) {
    case Category::kLeaf:
      return Leaf(statement);
    case Category::kView:
      return View(statement);
    case Category::kInPlace:
      return InPlace(statement);
    case Category::kGradient:
      return Gradient(statement);
    case Category::kCall:
      return Call(statement);
    case Category::kRegion:  // no_grad, and what changes nothing
      if (statement.op == Opcode::kBegin) {
        grad_modes_.push_back(grad_mode_);
        if (program::Begins(statement, program::RegionKind::kNoGrad)) grad_mode_ = false;
      } else {
        grad_mode_ = grad_modes_.back();
        grad_modes_.pop_back();
      }
      return;
    case Category::kElementwise:
    case Category::kReduction:
    case Category::kMatmul:
    case Category::kRearrange:
    case Category::kScan:
    case Category::kNorm:
    case Category::kLoss:
    case Category::kCopy:
      if (statement.op == Opcode::kDetach) return Detach(statement);
      return Compute(statement);
    case Category::kCustom:
      return Custom(statement);
    case Category::kHook:
      return Hook(statement);
    case Category::kExpect:
    case Category::kStream:  // changes no value
      return;
  }
}

void DualInterpreter::Leaf(const Statement& statement) {
  const auto& type = std::get<program::TensorType>(*statement.Find(Key::kType));
  const DType dtype = IsFloating(type.dtype) ? DType::kF64 : type.dtype;
  const Array* content = ArrayFromBits(arena_, dtype, &type.shape, program::LeafData(statement));
  Define(statement.results[0], {content, nullptr}, &type.shape);
}

void DualInterpreter::Define(ValueId value, const Jets& jets, const Shape* shape) {
  DualValue& defined = values_[value];
  defined.defined = true;
  defined.shape = shape;
  defined.storage = static_cast<int32_t>(storages_.size());
  defined.map = defined.owner_map = {nullptr, jets.value->size};
  storages_.push_back({jets.value, 0});
  owned_[value] = jets.tangents;
  const double scale = plan_.values[value].scale * plan_.values[value].node_scale;
  if (scale != 1) owned_[value] = tangents_.Scaled(owned_[value], scale);
  if (plan_.HasOwnGradient(value) && IsFloating(jets.value->dtype)) Seed(value);
}

// Gives each element a variable of its own, which a gradient with respect to it is read from.
void DualInterpreter::Seed(ValueId value) {
  DualValue& seeded = values_[value];
  const int32_t size = seeded.map.size;
  seeded.first_variable = variables_;
  variables_ += size;
  owned_[value] =
      tangents_.Seeded(owned_[value], size, seeded.first_variable, plan_.values[value].scale);
}

DualValue& DualInterpreter::Defined(ValueId value) {
  if (!values_[value].defined) throw NotApplicable{"an undefined gradient is an operand"};
  return values_[value];
}

Jets DualInterpreter::Read(ValueId value) {
  const DualValue& from = Defined(value);
  const DualStorage& storage = storages_[from.storage];
  Jets jets{&ContentOf(from)};
  const bool constant = from.constant_until_written && from.version == storage.version;
  if (grad_mode_ && !constant) {
    jets.tangents = tangents_.Gather(owned_[plan_.values[value].owner], from.owner_map);
  }
  return jets;
}

DualInterpreter::Operands DualInterpreter::TakeOperands(const Statement& statement) {
  Operands operands;
  for (size_t k = 0; k < statement.operands.size(); ++k) {
    operands.in[k] = Read(statement.operands[k]);
    operands.shapes[k] = values_[statement.operands[k]].shape;
  }
  if (program::TakesSparse(statement.op)) {
    operands.in[1] = algebra_.Constant(values_[statement.operands[0]].sparse_indices);
    operands.shapes[1] = operands.in[1].value->shape;
  }
  return operands;
}

Jets DualInterpreter::Lower(const Statement& statement, const Operands& operands) {
  const size_t count = statement.operands.size() + (program::TakesSparse(statement.op) ? 1 : 0);
  return Composite(algebra_, statement, program::SignatureOf(statement.op).performs,
                   absl::MakeConstSpan(operands.in, count),
                   absl::MakeConstSpan(operands.shapes, count))
      .Lower();
}

void DualInterpreter::Compute(const Statement& statement) {
  const Operands operands = TakeOperands(statement);
  const Jets out = Lower(statement, operands);
  if (Disturbs()) NoteDisturbance(statement, operands.Tangents());
  Define(statement.results[0], out, out.value->shape);
  if (program::MakesSparse(statement.op)) {
    const bool given = statement.op == Opcode::kSparseCoo;
    const Jets indices =
        given ? operands.in[1] : Lower(program::IndicesOfResult(statement), operands);
    values_[statement.results[0]].sparse_indices = indices.value;
  }
  if (!program::GivesIndices(statement)) return;
  const Jets indices = Lower(program::ResultAlone(statement, 1), operands);
  Define(statement.results[1], indices, indices.value->shape);
}

// What a custom function makes of one operand; a backward that is linear scales the tangents. Zeros
// of another shape are zeros; what is cast to another floating type and back is what it was, but
// for rounding. Those that throw are run by no call that returns.
Jets DualInterpreter::CustomOf(const Statement& statement, const Jets& in) {
  const auto action = statement.Get<std::string>(Key::kDo);
  const bool floating = IsFloating(in.value->dtype);
  if (floating && action == "square") return algebra_.Apply(Primitive::kMultiply, in, in);
  if (floating && action == "exp") return algebra_.Apply(Primitive::kExp, in);
  Jets out = in;
  double slope = action == "scale" ? statement.Get<double>(Key::kBy, 1.0) : 1.0;
  if (action == "undefined" || action == "wrong_shape") slope = 0;
  if (slope != 1) out.tangents = tangents_.Scaled(in.tangents, slope);
  return out;
}

void DualInterpreter::Custom(const Statement& statement) {
  if (Disturbs()) NoteDisturbance(statement, TakeOperands(statement).Tangents());
  if (statement.results.empty()) {
    const Jets old = TakeOperands(statement).in[0];
    return Write(statement.operands[0], CustomOf(statement, old), old.tangents != nullptr);
  }
  const auto marked = statement.Get<std::vector<int64_t>>(Key::kNonDifferentiable);
  for (size_t k = 0; k < statement.operands.size(); ++k) {
    Jets out = CustomOf(statement, Read(statement.operands[k]));
    if (std::find(marked.begin(), marked.end(), k) != marked.end()) out.tangents = nullptr;
    Define(statement.results[k], out, out.value->shape);
  }
}

void DualInterpreter::View(const Statement& statement) {
  if (program::HasParts(statement.op)) {
    for (size_t k = 0; k < statement.results.size(); ++k) {
      View(program::PartAlone(statement, *Defined(statement.operands[0]).shape, k));
    }
    return;
  }
  const ValueId of = statement.operands[0];
  const DualValue& source = Defined(of);
  const ShapedMap view = ViewMap(arena_, statement, *source.shape);
  const Shape* shape = arena_.Keep(view.shape);
  DualValue& result = values_[statement.results[0]];
  result.defined = true;
  result.shape = shape;
  if (statement.op == Opcode::kReshape && !IsConsecutive(source.map)) {
    // A copy, which no later write reaches.
    if (plan_.values[plan_.values[of].owner].written) {
      throw NotApplicable{"a reshape that copies, of a value that is written in place"};
    }
    storages_[source.storage].copied = true;
  }
  result.storage = source.storage;
  result.map = Compose(arena_, source.map, view.map);
  result.owner_map = Compose(arena_, source.owner_map, view.map);
  result.version = storages_[source.storage].version;
  const bool source_constant =
      source.constant_until_written && source.version == storages_[source.storage].version;
  result.constant_until_written = !grad_mode_ || source_constant;
}

void DualInterpreter::Detach(const Statement& statement) {
  const DualValue& source = Defined(statement.operands[0]);
  DualValue& result = values_[statement.results[0]];
  result.defined = true;
  result.shape = source.shape;
  result.storage = source.storage;
  result.map = source.map;
  result.owner_map = {nullptr, source.map.size};
}

void DualInterpreter::InPlace(const Statement& statement) {
  const ValueId self = statement.operands[0];
  const Operands operands = TakeOperands(statement);
  const Jets& old = operands.in[0];
  if (Disturbs()) NoteDisturbance(statement, operands.Tangents());
  const bool records = old.tangents != nullptr || operands.in[1].tangents != nullptr;
  const Jets out = statement.op == Opcode::kZeroInPlace
                       ? algebra_.Constant(Filled(arena_, old.value->dtype, operands.shapes[0],
                                                  old.value->size, 0))
                       : Lower(statement, operands);
  Write(self, out, records);
}

void DualInterpreter::Write(ValueId self, const Jets& out, bool records) {
  const DualValue& written = values_[self];
  DualStorage& storage = storages_[written.storage];
  if (storage.copied) {
    throw NotApplicable{"a write to what a reshape has copied, or to the copy"};
  }
  storage.content = algebra_
                        .Apply(Primitive::kOverwrite, {.map = written.map}, Jets{storage.content},
                               Jets{out.value})
                        .value;
  ++storage.version;
  if (!records) return;
  const ValueId owner = plan_.values[self].owner;
  owned_[owner] =
      tangents_.Overwrite(owned_[owner], values_[owner].map.size, out.tangents, written.owner_map);
}

// Linear ones are in the plan.
void DualInterpreter::Hook(const Statement& statement) {
  const auto id = statement.Get<std::string>(Key::kId);
  if (statement.op == Opcode::kRemoveHook) {
    std::erase_if(emptying_, [&id](const auto& hook) { return hook.first == id; });
    std::erase_if(active_, [&id](const Active& active) { return active.id == id; });
    return;
  }
  const auto action = statement.Get<std::string>(Key::kDo);
  if (action == "zero_grad") emptying_.emplace_back(id, statement.operands[0]);
  if (action == "remove") removable_.push_back(statement.Get<std::string>(Key::kTarget));
  if (Disturbs()) NoteDisturbance(statement, {});
}

void DualInterpreter::Gradient(const Statement& statement) {
  DualValue& value = Defined(statement.operands[0]);
  if (statement.op == Opcode::kRetainGrad) {
    value.retains_grad = true;
    return;
  }
  if (statement.op == Opcode::kZeroGrad) {
    value.grad = {};
    value.grad_spread.clear();
    value.grad_known = true;
    return;
  }
  if (statement.op == Opcode::kSetGrad) {
    value.grad_spread.clear();
    value.grad = {Read(statement.operands[1]).value, nullptr};
    value.grad_known = true;
    return;
  }
  // read_grad
  Jets grad = value.grad;
  if (grad.value == nullptr) {
    const DType dtype = storages_[value.storage].content->dtype;  // of indices too
    grad.value = Filled(arena_, dtype, value.shape, value.map.size, 0);
  }
  if (!value.grad_known) grad = Unknown(grad, plan_.values[statement.results[0]].level > 0);
  if (!grad_mode_) grad.tangents = nullptr;
  const std::vector<double> spread = value.grad_spread;
  Define(statement.results[0], grad, value.shape);
  values_[statement.results[0]].spread = spread;
}

}  // namespace twingrad::reference
