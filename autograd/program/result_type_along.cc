#include "autograd/program/result_type_along.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/element_text.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/limits.h"
#include "autograd/program/signature.h"

namespace twingrad::program {
namespace {

using Operands = absl::Span<const TensorType* const>;

// dim= of a value of `rank` dimensions, or of a new one before or after them.
bool TakeDim(const Statement& statement, size_t rank, bool is_new, size_t* dim, Fault* fault) {
  const auto given = statement.Get<int64_t>(Key::kDim);
  const auto last = static_cast<int64_t>(rank) - (is_new ? 0 : 1);
  if (last < 0) {
    return fault->BlameKey(Key::kDim, "dimension ", given, " of a scalar; it has none: reshape it");
  }
  if (given < 0 || given > last) {
    return fault->BlameKey(Key::kDim, "dimension ", given, "; dim= takes 0 to ", last, " here");
  }
  *dim = static_cast<size_t>(given);
  return true;
}

bool InferJoin(const Statement& statement, Operands operands, TensorType* result, Fault* fault) {
  const bool stacks = statement.op == Opcode::kStack;
  const Shape& first = operands[0]->shape;
  size_t dim = 0;
  if (!TakeDim(statement, first.size(), stacks, &dim, fault)) return false;
  result->shape = first;
  if (stacks) {
    result->shape.insert(result->shape.begin() + static_cast<int64_t>(dim),
                         static_cast<int64_t>(operands.size()));
  }
  for (size_t i = 1; i < operands.size(); ++i) {
    Shape expected = first;
    const Shape& shape = operands[i]->shape;
    if (!stacks && shape.size() == first.size()) expected[dim] = shape[dim];
    if (shape != expected) {
      return fault->BlameOperand(
          i, "shapes ", ShapeText(first), " and ", ShapeText(shape),
          stacks ? " differ; stack takes equal ones" : "; sizes must be equal but for dim=");
    }
    if (!stacks) result->shape[dim] += shape[dim];
  }
  return true;
}

bool InferFlip(const Statement& statement, const TensorType& operand, Fault* fault) {
  const auto dims = statement.Get<std::vector<int64_t>>(Key::kDims);
  const auto rank = static_cast<int64_t>(operand.shape.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto at = dims.begin() + static_cast<int64_t>(i);
    if (dims[i] < 0 || dims[i] >= rank || std::find(dims.begin(), at, dims[i]) != at) {
      return fault->BlameKey(Key::kDims, "dimension ", dims[i], " of a value of rank ", rank,
                             "; dims= takes 0 to rank - 1, each once");
    }
  }
  return true;
}

bool InferPicked(const Statement& statement, Operands operands, TensorType* result, Fault* fault) {
  const Shape& a = operands[0]->shape;
  const Shape& index = operands[1]->shape;
  size_t dim = 0;
  if (!TakeDim(statement, a.size(), false, &dim, fault)) return false;
  if (statement.op == Opcode::kIndexSelect) {
    if (index.size() != 1) {
      return fault->BlameOperand(1, "indices of rank ", index.size(),
                                 "; index_select takes a list of them: rank 1");
    }
    result->shape = a;
    result->shape[dim] = index[0];
    return true;
  }
  bool fits = index.size() == a.size();
  for (size_t d = 0; fits && d < a.size(); ++d) fits = d == dim || index[d] <= a[d];
  if (!fits) {
    return fault->BlameOperand(1, "indices of shape ", ShapeText(index), " for ", ShapeText(a),
                               "; they must have its rank and, but for dim=, no larger size");
  }
  if (statement.op == Opcode::kScatterAdd && operands[2]->shape != index) {
    return fault->BlameOperand(2, "shape ", ShapeText(operands[2]->shape), " with indices of ",
                               ShapeText(index), "; they must be equal");
  }
  result->shape = statement.op == Opcode::kGather ? index : a;
  return true;
}

bool InferExtreme(const Statement& statement, const TensorType& operand, TensorType* result,
                  Fault* fault) {
  size_t dim = 0;
  if (!TakeDim(statement, operand.shape.size(), false, &dim, fault)) return false;
  result->shape = operand.shape;
  if (operand.shape[dim] == 0) {
    return fault->BlameKey(
        Key::kDim, SignatureOf(statement.op).name,
        " along a dimension of size 0; there is nothing to pick: it must be 1 or more");
  }
  if (statement.Get<bool>(Key::kKeepdim)) {
    result->shape[dim] = 1;
  } else {
    result->shape.erase(result->shape.begin() + static_cast<int64_t>(dim));
  }
  return true;
}

bool InferCrossEntropy(Operands operands, Shape* each, Fault* fault) {
  const Shape& a = operands[0]->shape;
  if (a.empty() || a.size() > 2) {
    return fault->BlameOperand(0, "cross_entropy of shape ", ShapeText(a),
                               "; it takes [N,C], or [C] for one sample");
  }
  each->assign(a.begin(), a.end() - 1);
  if (operands[1]->shape == *each) return true;
  return fault->BlameOperand(1, "classes of shape ", ShapeText(operands[1]->shape), " for ",
                             ShapeText(a), "; they must have ", ShapeText(*each));
}

bool InferLoss(const Statement& statement, Operands operands, TensorType* result, Fault* fault) {
  Shape each = operands[0]->shape;
  if (statement.op == Opcode::kCrossEntropy) {
    if (!InferCrossEntropy(operands, &each, fault)) return false;
  } else if (operands[1]->shape != each) {
    return fault->BlameOperand(1, "shapes ", ShapeText(each), " and ",
                               ShapeText(operands[1]->shape),
                               " differ; mse_loss takes equal ones: expand one");
  }
  if (statement.Get<std::string>(Key::kReduction) == "none") result->shape = std::move(each);
  return true;
}

// A running sum counts as n (n + 1) / 2 additions per row.
int64_t CumsumWork(const Shape& shape, size_t dim) {
  const int64_t size = std::max<int64_t>(shape[dim], 1);
  return NumElements(shape) / size * (size * (size + 1) / 2);
}

bool InferScan(const Statement& statement, const TensorType& operand, TensorType* result,
               int64_t* work, Fault* fault) {
  size_t dim = 0;
  if (!TakeDim(statement, operand.shape.size(), false, &dim, fault)) return false;
  result->shape = operand.shape;
  if (statement.op == Opcode::kCumsum) *work = CumsumWork(operand.shape, dim);
  return true;
}

}  // namespace

bool InferAlong(const Statement& statement, Operands operands, TensorType* result, int64_t* work,
                Fault* fault) {
  const TensorType& first = *operands[0];
  result->dtype = first.dtype;
  size_t dim = 0;
  switch (statement.op) {
    case Opcode::kCat:
    case Opcode::kStack:
      return InferJoin(statement, operands, result, fault);
    case Opcode::kFlip:
      result->shape = first.shape;
      return InferFlip(statement, first, fault);
    case Opcode::kIndexSelect:
    case Opcode::kGather:
    case Opcode::kScatterAdd:
      return InferPicked(statement, operands, result, fault);
    case Opcode::kMax:
    case Opcode::kMin:
      return InferExtreme(statement, first, result, fault);
    case Opcode::kArgmax:
    case Opcode::kArgmin:
      result->dtype = DType::kI64;
      return InferExtreme(statement, first, result, fault);
    case Opcode::kSort:
    case Opcode::kArgsort:
      result->shape = first.shape;
      if (statement.op == Opcode::kArgsort) result->dtype = DType::kI64;
      return TakeDim(statement, first.shape.size(), false, &dim, fault);
    case Opcode::kMseLoss:
    case Opcode::kCrossEntropy:
      return InferLoss(statement, operands, result, fault);
    default:
      return InferScan(statement, first, result, work, fault);
  }
}

bool CheckClamp(const Statement& statement, DType dtype, Fault* fault) {
  const AttributeValue* low = statement.Find(Key::kMin);
  const AttributeValue* high = statement.Find(Key::kMax);
  if (low == nullptr && high == nullptr) {
    return fault->BlameName("clamp without min= and max=; it needs one of them or both");
  }
  for (const Key key : {Key::kMin, Key::kMax}) {
    const AttributeValue* bound = statement.Find(key);
    if (bound == nullptr) continue;
    const double number = std::get<double>(*bound);
    if (std::isnan(number) || (dtype == DType::kF32 && !IsFloat32(number))) {
      return fault->BlameKey(key, KeyName(key), "=", number, " of clamp on ", DTypeName(dtype),
                             "; it must be a number that this type holds");
    }
  }
  if (low == nullptr || high == nullptr || std::get<double>(*low) <= std::get<double>(*high)) {
    return true;
  }
  return fault->BlameKey(Key::kMin, "min= is above max=; it may be equal to it or less");
}

}  // namespace twingrad::program
