// What statements do to values.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/fault.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/parts.h"
#include "autograd/program/region.h"
#include "autograd/program/result_type.h"
#include "autograd/program/signature.h"
#include "autograd/program/sparse.h"
#include "autograd/reference/ball/witness.h"

namespace twingrad::reference::ball {

using program::Category;
using program::Key;
using program::Opcode;
using program::Statement;
using program::TensorType;
using program::ValueId;

void Witness::Execute(const Statement& statement) {
  switch (program::SignatureOf(statement.op).category) {
    case Category::kLeaf:
      return Leaf(statement);
    case Category::kElementwise:
    case Category::kReduction:
    case Category::kMatmul:
    case Category::kRearrange:
    case Category::kScan:
    case Category::kNorm:
    case Category::kLoss:
    case Category::kCopy:
      return statement.op == Opcode::kDetach ? Detach(statement) : Compute(statement);
    case Category::kView:
      return View(statement);
    case Category::kInPlace:
      return InPlace(statement);
    case Category::kGradient:
      return Gradient(statement);
    case Category::kCall:
      return Call(statement);
    case Category::kCustom:
      return Custom(statement);
    case Category::kRegion:
      return Region(statement);
    case Category::kHook:  // in the plan
    case Category::kStream:
    case Category::kExpect:
      return;
  }
}

void Witness::Run(BallResult* result) {
  for (const Statement& statement : program_.statements) Execute(statement);
  Finish(result);
}

void Witness::Leaf(const Statement& statement) {
  const auto type = statement.Get<TensorType>(Key::kType);
  Tensor tensor{type.dtype, type.shape, {}};
  for (const uint64_t bits : program::LeafData(statement)) {
    tensor.elements.push_back(IsFloating(type.dtype) ? math_.Point(std::bit_cast<double>(bits))
                                                     : math_.Integer(static_cast<int64_t>(bits)));
  }
  variables_[static_cast<size_t>(statement.results[0])].is_leaf = statement.Get<bool>(Key::kGrad);
  Define(statement.results[0], tensor);
}

namespace {

// What i32 holds of the integers of a result: sums and products were computed modulo 2^64, of which
// the low bits are those of the low bits.
Tensor Wrapped(Arithmetic& math, Tensor result) {
  for (Ref& element : result.elements) {
    const int64_t low = static_cast<int32_t>(element->integer);
    if (element->known && element->integer != low) element = math.Integer(low);
  }
  return result;
}

Tensor Evaluate(Arithmetic& math, const Statement& statement, const std::vector<Tensor>& in) {
  std::vector<TensorType> types;
  for (const Tensor& operand : in) types.push_back({operand.type, operand.shape});
  std::vector<const TensorType*> operands;
  for (const TensorType& type : types) operands.push_back(&type);
  TensorType result;
  int64_t work = 0;
  program::Fault fault;
  if (!program::Inference(statement, operands, &result, &work, &fault).Run()) {
    throw NotApplicable{Refusal::kForm};
  }
  const Opcode op = program::SignatureOf(statement.op).performs;
  Tensor out = Evaluation(math, statement, op, in, {result.dtype, result.shape, {}}).Run();
  return result.dtype == DType::kI32 ? Wrapped(math, std::move(out)) : out;
}

}  // namespace

void Witness::Compute(const Statement& statement) {
  std::vector<Tensor> in;
  for (const ValueId operand : statement.operands) in.push_back(Read(operand));
  if (program::TakesSparse(statement.op)) in.push_back(sparse_indices_[statement.operands[0]]);
  Define(statement.results[0], Evaluate(math_, statement, in));
  if (program::MakesSparse(statement.op)) {
    sparse_indices_[statement.results[0]] =
        statement.op == Opcode::kSparseCoo
            ? in[1]
            : Evaluate(math_, program::IndicesOfResult(statement), in);
  }
  if (!program::GivesIndices(statement)) return;
  Define(statement.results[1], Evaluate(math_, program::ResultAlone(statement, 1), in));
}

void Witness::InPlace(const Statement& statement) {
  std::vector<Tensor> in;
  for (const ValueId operand : statement.operands) in.push_back(Read(operand));
  Tensor out{in[0].type, in[0].shape, {}};
  if (statement.op == Opcode::kZeroInPlace) {
    out.elements.assign(in[0].elements.size(), math_.Zero(out.type));
  } else if (statement.op == Opcode::kCopyInPlace) {
    for (const int64_t place : Broadcasting(in[1].shape, out.shape)) {
      out.elements.push_back(in[1].elements[static_cast<size_t>(place)]);
    }
  } else {
    out = Evaluate(math_, statement, in);
  }
  Write(statement.operands[0], out);
}

void Witness::View(const Statement& statement) {
  if (program::HasParts(statement.op)) {
    Renew(statement.operands[0]);
    const Shape whole = At(statement.operands[0]).layout.shape;
    for (size_t k = 0; k < statement.results.size(); ++k) {
      View(program::PartAlone(statement, whole, k));
    }
    return;
  }
  const ValueId of = statement.operands[0], result = statement.results[0];
  Renew(of);
  const Variable& source = At(of);
  const bool follows = statement.op == Opcode::kView || statement.op == Opcode::kReshape ||
                       statement.op == Opcode::kAsStrided;
  if (follows && !source.layout.IsContiguous()) {
    // The run ends there in an error.
    if (statement.op != Opcode::kReshape) throw NotApplicable{Refusal::kForm};
    Tensor copy = Read(of);
    copy.shape = source.layout.View(statement).shape;
    return Define(result, copy);
  }
  Variable view;
  view.defined = view.is_view = true;
  view.type = source.type;
  view.layout = source.layout.View(statement);
  view.storage = source.storage;
  view.base_family = source.base_family;
  view.family = grad_mode_ ? source.family : kNoFamily;
  view.version = storages_[static_cast<size_t>(source.storage)].version;
  variables_[static_cast<size_t>(result)] = std::move(view);
  SeedView(result);
}

void Witness::Detach(const Statement& statement) {
  const ValueId result = statement.results[0];
  const Variable& source = At(statement.operands[0]);
  Variable detached;
  detached.defined = true;
  detached.type = source.type;
  detached.layout = source.layout;
  detached.storage = source.storage;
  const size_t size = storages_[static_cast<size_t>(source.storage)].numbers.size();
  detached.family = detached.base_family = static_cast<int>(families_.size());
  families_.push_back({Refs(size, nullptr), result});
  variables_[static_cast<size_t>(result)] = std::move(detached);
}

void Witness::Region(const Statement& statement) {
  if (statement.op == Opcode::kEnd) {
    grad_mode_ = grad_modes_.back();
    grad_modes_.pop_back();
    return;
  }
  grad_modes_.push_back(grad_mode_);
  if (program::Begins(statement, program::RegionKind::kNoGrad)) grad_mode_ = false;
}

void Witness::Gradient(const Statement& statement) {
  Variable& variable = At(statement.operands[0]);
  if (statement.op == Opcode::kRetainGrad) {
    variable.retains_grad = true;
    variable.retained_version = VersionOf(variable);
    return;
  }
  if (statement.op == Opcode::kReadGrad) {
    if (!variable.grad_known) throw NotApplicable{Refusal::kUnknownGradient};
    Tensor copy{variable.type, variable.layout.shape, variable.grad};
    if (!variable.has_grad) {
      copy.elements.assign(static_cast<size_t>(CountOf(copy.shape)), math_.Zero(copy.type));
    }
    if (!grad_mode_) {
      for (Ref& element : copy.elements) element = math_.WithoutSlope(element);
    }
    return Define(statement.results[0], copy);
  }
  variable.grad_known = true;
  variable.has_grad = statement.op == Opcode::kSetGrad;
  variable.grad.clear();
  if (!variable.has_grad) return;
  for (Ref element : Read(statement.operands[1]).elements) {
    At(statement.operands[0]).grad.push_back(math_.WithoutSlope(element));
  }
}

// What a custom function makes of its operands; a backward that is no derivative makes unknown what
// it returns to any of them.
std::vector<Tensor> Witness::CustomOf(const Statement& statement, std::vector<Tensor> in) {
  const auto action = statement.Get<std::string>(Key::kDo);
  const bool linear =
      action == "pass" || action == "warn" || action == "scale" || action == "undefined";
  double factor = action == "scale" ? statement.Get<double>(Key::kBy, 1.0) : 1.0;
  if (action == "undefined") factor = 0;
  SeriesSum reached(math_.budget());
  if (!linear && action != "square" && action != "exp") {
    for (const Tensor& operand : in) {
      for (Ref element : operand.elements) reached.Add(element->slope);
    }
  }
  const Series unknown = reached.Take();
  for (Tensor& operand : in) {
    if (!IsFloating(operand.type)) continue;
    for (Ref& element : operand.elements) {
      if (action == "square") {
        element = math_.Multiply(element, element, operand.type);
      } else if (action == "exp") {
        element = math_.Apply(Function::kExp, element, operand.type, 8);
      } else if (linear) {
        element = math_.WithScaledSlope(element, factor);
      } else {
        element = math_.WithUnknownSlope(element, unknown);
      }
    }
  }
  return in;
}

void Witness::Custom(const Statement& statement) {
  std::vector<Tensor> in;
  for (const ValueId operand : statement.operands) in.push_back(Read(operand));
  std::vector<Tensor> out = CustomOf(statement, std::move(in));
  if (statement.results.empty()) return Write(statement.operands[0], out[0]);
  for (const int64_t k : statement.Get<std::vector<int64_t>>(Key::kNonDifferentiable)) {
    for (Ref& element : out[static_cast<size_t>(k)].elements) {
      element = math_.WithoutSlope(element);
    }
  }
  for (size_t k = 0; k < out.size(); ++k) Define(statement.results[k], out[k]);
}

}  // namespace twingrad::reference::ball
