#include "autograd/program/result_type.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/element_text.h"
#include "autograd/program/leaf_data.h"
#include "autograd/program/limits.h"
#include "autograd/program/result_type_along.h"
#include "autograd/program/signature.h"

namespace twingrad::program {
namespace {

bool FollowsRule(DTypeRule rule, DType dtype) {
  switch (rule) {
    case DTypeRule::kAny:
      return true;
    case DTypeRule::kNumeric:
      return dtype != DType::kBool;
    case DTypeRule::kFloating:
      return IsFloating(dtype);
  }
  return false;
}

std::string_view RuleText(DTypeRule rule) {
  return rule == DTypeRule::kFloating ? "f32 or f64" : "f32, f64 or i64";
}

bool CheckDTypes(const Signature& signature, absl::Span<const TensorType* const> operands,
                 Fault* fault) {
  size_t first = 0;
  if (signature.op == Opcode::kWhere) {
    first = 1;
    if (operands[0]->dtype != DType::kBool) {
      return fault->BlameOperand(0, "the condition of where is ", DTypeName(operands[0]->dtype),
                                 "; it must be bool: cast it");
    }
  }
  for (size_t i = first; i < operands.size(); ++i) {
    const DType dtype = operands[i]->dtype;
    if (signature.IsIndex(static_cast<int>(i))) {
      if (dtype == DType::kI64) continue;
      return fault->BlameOperand(i, "indices of type ", DTypeName(dtype),
                                 "; they must be i64: cast them");
    }
    if (!FollowsRule(signature.dtypes, dtype)) {
      return fault->BlameOperand(i, signature.name, " does not take ", DTypeName(dtype),
                                 "; its operands must be ", RuleText(signature.dtypes));
    }
    if (dtype != operands[first]->dtype) {
      return fault->BlameOperand(i, "element types ", DTypeName(operands[first]->dtype), " and ",
                                 DTypeName(dtype), " differ; they must be equal: cast one of them");
    }
  }
  return true;
}

bool InferElementwise(absl::Span<const TensorType* const> operands, TensorType* result,
                      Fault* fault) {
  result->dtype = operands.back()->dtype;
  result->shape = operands[0]->shape;
  for (size_t i = 1; i < operands.size(); ++i) {
    Shape broadcast;
    if (!Broadcast(result->shape, operands[i]->shape, &broadcast)) {
      return fault->BlameOperand(
          i, "shapes ", ShapeText(result->shape), " and ", ShapeText(operands[i]->shape),
          " do not broadcast; sizes, counted from the last dimension, must be equal or 1");
    }
    result->shape = std::move(broadcast);
  }
  return true;
}

bool InferInPlace(absl::Span<const TensorType* const> operands, TensorType* result, Fault* fault) {
  *result = *operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    if (!BroadcastsTo(operands[i]->shape, result->shape)) {
      return fault->BlameOperand(
          i, "shape ", ShapeText(operands[i]->shape), " does not broadcast to ",
          ShapeText(result->shape),
          ", the shape of the value written; an in-place statement keeps it");
    }
  }
  return true;
}

// Dimensions named by dims=: within the rank and all different.
bool CheckDims(absl::Span<const int64_t> dims, int64_t rank, Fault* fault) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= rank) {
      return fault->BlameKey(Key::kDims, "dimension ", dims[i], " of a value of rank ", rank,
                             "; dims= takes 0 to rank - 1");
    }
    if (std::find(dims.begin(), dims.begin() + i, dims[i]) != dims.begin() + i) {
      return fault->BlameKey(Key::kDims, "dimension ", dims[i],
                             " occurs twice; each may occur once in dims=");
    }
  }
  return true;
}

bool InferReduction(const Statement& statement, const TensorType& operand, TensorType* result,
                    Fault* fault) {
  const auto dims = statement.Get<std::vector<int64_t>>(Key::kDims);
  if (!CheckDims(dims, static_cast<int64_t>(operand.shape.size()), fault)) return false;
  result->dtype = operand.dtype;
  const bool keepdim = statement.Get<bool>(Key::kKeepdim);
  for (size_t d = 0; d < operand.shape.size(); ++d) {
    const bool reduced =
        dims.empty() || std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
    if (!reduced) {
      result->shape.push_back(operand.shape[d]);
    } else if (keepdim) {
      result->shape.push_back(1);
    }
    if (reduced && operand.shape[d] == 0 &&
        (statement.op == Opcode::kAmax || statement.op == Opcode::kAmin)) {
      return fault->BlameName(SignatureOf(statement.op).name, " over dimension ", d,
                              " of size 0; there is nothing to pick: it must be 1 or more");
    }
  }
  return true;
}

bool InferAddmm(absl::Span<const TensorType* const> operands, TensorType* result, int64_t* work,
                Fault* fault) {
  const TensorType &b = *operands[1], &c = *operands[2];
  for (int i = 1; i < 3; ++i) {
    const size_t rank = operands[i]->shape.size();
    if (rank != 2) {
      return fault->BlameOperand(i, "addmm of a factor of rank ", rank, "; matrices go");
    }
  }
  if (b.shape[1] != c.shape[0]) {
    return fault->BlameOperand(2, "addmm of ", ShapeText(b.shape), " and ", ShapeText(c.shape),
                               ": inner sizes ", b.shape[1], " and ", c.shape[0],
                               " differ; they must be equal");
  }
  *result = {b.dtype, {b.shape[0], c.shape[1]}};
  std::string why;
  if (!WithinLimits(result->shape, &why)) return fault->BlameName(why);
  *work = NumElements(result->shape) * (b.shape[1] + 1);
  if (BroadcastsTo(operands[0]->shape, result->shape)) return true;
  return fault->BlameOperand(0, "shape ", ShapeText(operands[0]->shape), " does not broadcast to ",
                             ShapeText(result->shape),
                             ", the shape of the product; addmm adds to it");
}

bool InferMatmul(const TensorType& a, const TensorType& b, TensorType* result, int64_t* work,
                 Fault* fault) {
  for (int i = 0; i < 2; ++i) {
    const size_t rank = (i == 0 ? a : b).shape.size();
    if (rank < 1 || rank > 4) {
      return fault->BlameOperand(i, "matmul of a value of rank ", rank, "; ranks 1 to 4 go");
    }
  }
  const int64_t inner_a = a.shape.back();
  const int64_t inner_b = b.shape.size() == 1 ? b.shape[0] : b.shape[b.shape.size() - 2];
  if (inner_a != inner_b) {
    return fault->BlameOperand(1, "matmul of ", ShapeText(a.shape), " and ", ShapeText(b.shape),
                               ": inner sizes ", inner_a, " and ", inner_b,
                               " differ; they must be equal");
  }
  const absl::Span<const int64_t> whole_a(a.shape), whole_b(b.shape);
  const auto batch_a = whole_a.first(std::max<size_t>(a.shape.size(), 2) - 2);
  const auto batch_b = whole_b.first(std::max<size_t>(b.shape.size(), 2) - 2);
  if (!Broadcast(batch_a, batch_b, &result->shape)) {
    return fault->BlameOperand(1, "batch dimensions ", ShapeText(batch_a), " and ",
                               ShapeText(batch_b), " do not broadcast; sizes must be equal or 1");
  }
  result->dtype = a.dtype;
  if (a.shape.size() > 1) result->shape.push_back(a.shape[a.shape.size() - 2]);
  if (b.shape.size() > 1) result->shape.push_back(b.shape.back());
  std::string why;
  if (!WithinLimits(result->shape, &why)) return fault->BlameName(why);
  *work = NumElements(result->shape) * inner_a;
  return true;
}

bool InferReshaped(const Statement& statement, const TensorType& operand, TensorType* result,
                   Fault* fault) {
  const auto shape = statement.Get<std::vector<int64_t>>(Key::kShape);
  std::string why;
  if (!WithinLimits(shape, &why)) return fault->BlameKey(Key::kShape, why);
  result->shape.assign(shape.begin(), shape.end());
  if (statement.op == Opcode::kExpand) {
    if (BroadcastsTo(operand.shape, shape)) return true;
    return fault->BlameKey(
        Key::kShape, ShapeText(operand.shape), " does not expand to ", ShapeText(shape),
        "; sizes, counted from the last dimension, must be equal, or 1 in the operand");
  }
  if (NumElements(result->shape) == NumElements(operand.shape)) return true;
  return fault->BlameKey(Key::kShape, ShapeText(operand.shape), " has ", NumElements(operand.shape),
                         " elements and ", ShapeText(shape), " has ", NumElements(result->shape),
                         "; they must be equal");
}

bool CheckDim(int64_t dim, int64_t last, Fault* fault) {
  if (dim >= 0 && dim <= last) return true;
  if (last < 0) {
    return fault->BlameKey(Key::kDim, "dimension ", dim, " of a scalar; it has none");
  }
  return fault->BlameKey(Key::kDim, "dimension ", dim, "; dim= takes 0 to ", last, " here");
}

bool InferSelected(const Statement& statement, const TensorType& operand, TensorType* result,
                   Fault* fault) {
  const int64_t dim = statement.Get<int64_t>(Key::kDim);
  if (!CheckDim(dim, static_cast<int64_t>(operand.shape.size()) - 1, fault)) return false;
  result->shape = operand.shape;
  const int64_t size = operand.shape[dim];
  if (statement.op == Opcode::kSelect) {
    const int64_t index = statement.Get<int64_t>(Key::kIndex);
    if (index < 0 || index >= size) {
      return fault->BlameKey(Key::kIndex, "index ", index, " of a dimension of size ", size,
                             "; 0 to size - 1 go");
    }
    result->shape.erase(result->shape.begin() + dim);
    return true;
  }
  const int64_t start = statement.Get<int64_t>(Key::kStart);
  const int64_t stop = statement.Get<int64_t>(Key::kStop, size);
  const int64_t step = statement.Get<int64_t>(Key::kStep, 1);
  if (start < 0) {
    return fault->BlameKey(Key::kStart, "start ", start, "; it must be 0 or more");
  }
  if (stop < 0) {
    return fault->BlameKey(Key::kStop, "stop ", stop, "; it must be 0 or more");
  }
  if (step < 1) {
    return fault->BlameKey(Key::kStep, "step ", step, "; it must be 1 or more");
  }
  const int64_t from = std::min(start, size);
  const int64_t length = std::max<int64_t>(std::min(stop, size) - from, 0);
  result->shape[dim] = length == 0 ? 0 : (length - 1) / step + 1;
  return true;
}

bool InferPermuted(const Statement& statement, const TensorType& operand, TensorType* result,
                   Fault* fault) {
  const auto dims = statement.Get<std::vector<int64_t>>(Key::kDims);
  const auto rank = static_cast<int64_t>(operand.shape.size());
  if (statement.op == Opcode::kTranspose) {
    if (dims.size() != 2 || dims[0] < 0 || dims[0] >= rank || dims[1] < 0 || dims[1] >= rank) {
      return fault->BlameKey(Key::kDims, "transpose of rank ", rank,
                             "; dims= takes two dimensions, each 0 to rank - 1");
    }
    result->shape = operand.shape;
    std::swap(result->shape[dims[0]], result->shape[dims[1]]);
    return true;
  }
  if (static_cast<int64_t>(dims.size()) != rank) {
    return fault->BlameKey(Key::kDims, "permute of rank ", rank, " with ", dims.size(),
                           " dimensions; dims= takes each dimension once");
  }
  if (!CheckDims(dims, rank, fault)) return false;
  for (const int64_t d : dims) result->shape.push_back(operand.shape[d]);
  return true;
}

bool InferSqueezed(const Statement& statement, const TensorType& operand, TensorType* result,
                   Fault* fault) {
  const auto rank = static_cast<int64_t>(operand.shape.size());
  if (statement.op == Opcode::kUnsqueeze) {
    const int64_t dim = statement.Get<int64_t>(Key::kDim);
    if (!CheckDim(dim, rank, fault)) return false;
    result->shape = operand.shape;
    result->shape.insert(result->shape.begin() + dim, 1);
    return true;
  }
  const auto dims = statement.Get<std::vector<int64_t>>(Key::kDims);
  if (!CheckDims(dims, rank, fault)) return false;
  for (int64_t d = 0; d < rank; ++d) {
    const bool named = dims.empty() || std::find(dims.begin(), dims.end(), d) != dims.end();
    if (!named || operand.shape[d] != 1) result->shape.push_back(operand.shape[d]);
  }
  return true;
}

bool InferView(const Statement& statement, const TensorType& operand, TensorType* result,
               Fault* fault) {
  result->dtype = operand.dtype;
  switch (statement.op) {
    case Opcode::kView:
    case Opcode::kReshape:
    case Opcode::kExpand:
      return InferReshaped(statement, operand, result, fault);
    case Opcode::kTranspose:
    case Opcode::kPermute:
      return InferPermuted(statement, operand, result, fault);
    case Opcode::kSelect:
    case Opcode::kSlice:
      return InferSelected(statement, operand, result, fault);
    default:
      return InferSqueezed(statement, operand, result, fault);
  }
}

}  // namespace

bool Broadcast(absl::Span<const int64_t> a, absl::Span<const int64_t> b, Shape* result) {
  if (a.size() < b.size()) std::swap(a, b);
  result->assign(a.begin(), a.end());
  const size_t offset = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t& size = (*result)[offset + i];
    if (size == b[i] || b[i] == 1) continue;
    if (size != 1) return false;
    size = b[i];
  }
  return true;
}

bool BroadcastsTo(absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
  if (from.size() > to.size()) return false;
  const size_t offset = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[offset + i] && from[i] != 1) return false;
  }
  return true;
}

bool WithinLimits(absl::Span<const int64_t> shape, std::string* why) {
  if (shape.size() > static_cast<size_t>(kMaxRank)) {
    *why = absl::StrCat("rank ", shape.size(), "; at most ", kMaxRank, " dimensions go");
    return false;
  }
  int64_t count = 1;
  for (const int64_t size : shape) {
    if (size < 0) {
      *why = absl::StrCat("size ", size, "; sizes are 0 or more");
      return false;
    }
    // A size of 0 counts as 1, so that no product of sizes overflows anywhere.
    if (size > kMaxElements || count * std::max<int64_t>(size, 1) > kMaxElements) {
      *why = absl::StrCat("shape ", ShapeText(shape), "; a tensor may have at most ", kMaxElements,
                          " elements (sizes of 0 counted as 1)");
      return false;
    }
    count *= std::max<int64_t>(size, 1);
  }
  return true;
}

bool InferType(const Statement& statement, absl::Span<const TensorType* const> operands,
               TensorType* result, int64_t* work, Fault* fault) {
  const Signature& signature = SignatureOf(statement.op);
  if (!CheckDTypes(signature, operands, fault)) return false;
  result->shape.clear();
  bool fits = true;
  switch (signature.category) {
    case Category::kElementwise:
      fits = InferElementwise(operands, result, fault) &&
             (statement.op != Opcode::kClamp || CheckClamp(statement, result->dtype, fault));
      break;
    case Category::kReduction:
      fits = signature.Find(Key::kDim) != nullptr
                 ? InferAlong(statement, operands, result, work, fault)
                 : InferReduction(statement, *operands[0], result, fault);
      break;
    case Category::kRearrange:
    case Category::kScan:
    case Category::kLoss:
      fits = InferAlong(statement, operands, result, work, fault);
      break;
    case Category::kMatmul:
      fits = statement.op == Opcode::kAddmm
                 ? InferAddmm(operands, result, work, fault)
                 : InferMatmul(*operands[0], *operands[1], result, work, fault);
      break;
    case Category::kView:
      fits = InferView(statement, *operands[0], result, fault);
      break;
    case Category::kInPlace:
      fits = InferInPlace(operands, result, fault);
      break;
    default:
      *result = *operands[0];
      if (statement.op == Opcode::kCast) result->dtype = statement.Get<DType>(Key::kTo);
      break;
  }
  std::string why;
  if (fits && !WithinLimits(result->shape, &why)) return fault->BlameName(why);
  return fits;
}

}  // namespace twingrad::program
