#include "proptests/generators/alias.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/program/limits.h"
#include "autograd/program/parts.h"
#include "autograd/program/signature.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

Attributes One(Key key, int64_t number) { return {{key, number}}; }
Attributes List(Key key, std::vector<int64_t> numbers) { return {{key, std::move(numbers)}}; }

// Another shape of as many elements.
std::vector<int64_t> SameCount(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const Shape& shape = draft.ShapeOf(x);
  const int64_t elements = draft.NumElements(x);
  std::vector<int64_t> result(shape.begin(), shape.end());
  const uint64_t draw = source.Below(5);
  if (draw == 0) return result;  // changes nothing
  if (draw == 1 && elements == 1) return {};
  if (draw <= 2) return {elements};
  if (draw == 3 && elements % 2 == 0 && elements > 0) return {2, elements / 2};
  result.insert(result.begin(), 1);
  if (result.size() > 4) return {elements};
  return result;
}

ValueId Permute(Draft& draft, ValueId x) {
  const auto rank = static_cast<int64_t>(draft.ShapeOf(x).size());
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < rank; ++i) dims.push_back(i);
  for (int64_t i = rank - 1; i > 0; --i) {
    std::swap(dims[i], dims[draft.source().Below(static_cast<uint64_t>(i) + 1)]);
  }
  return draft.Op(Opcode::kPermute, {x}, List(Key::kDims, std::move(dims)));
}

ValueId Expand(Draft& draft, ValueId x) {
  const Shape& shape = draft.ShapeOf(x);
  std::vector<int64_t> sizes(shape.begin(), shape.end());
  int64_t elements = draft.NumElements(x);
  for (int64_t& size : sizes) {
    if (size == 1 && elements * 3 <= 36 && draft.source().Chance(70)) {
      size = draft.source().Between(2, 3);
      elements *= size;
    }
  }
  if (sizes.size() < 3 && elements * 2 <= 36 && draft.source().Chance(50)) {
    sizes.insert(sizes.begin(), 2);
  }
  return draft.Op(Opcode::kExpand, {x}, List(Key::kShape, std::move(sizes)));
}

ValueId Slice(Draft& draft, ValueId x, int64_t dim) {
  Source& source = draft.source();
  const int64_t size = draft.ShapeOf(x)[dim];
  Attributes attributes = One(Key::kDim, dim);
  const int64_t start = source.Between(0, size > 0 ? size - 1 : 0);
  if (start != 0) attributes.push_back({Key::kStart, start});
  if (source.Chance(40)) attributes.push_back({Key::kStop, source.Between(start, size)});
  if (source.Chance(30)) attributes.push_back({Key::kStep, int64_t{2}});
  return draft.Op(Opcode::kSlice, {x}, std::move(attributes));
}

ValueId Diagonal(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const auto rank = static_cast<int64_t>(draft.ShapeOf(x).size());
  if (rank < 2) return kNoValue;
  const int64_t first = source.Between(0, rank - 1);
  const int64_t second = (first + source.Between(1, rank - 1)) % rank;
  Attributes attributes = List(Key::kDims, {first, second});
  const int64_t by = source.Between(0, 4) - 2;
  if (by != 0) attributes.push_back({Key::kBy, by});
  return draft.Op(Opcode::kDiagonal, {x}, std::move(attributes));
}

ValueId Unfold(Draft& draft, ValueId x, int64_t dim) {
  Source& source = draft.source();
  const Shape& shape = draft.ShapeOf(x);
  if (shape.empty() || shape.size() >= 4 || shape[dim] == 0) return kNoValue;
  const int64_t count = source.Between(1, std::min<int64_t>(shape[dim], 3));
  if (draft.NumElements(x) * count > 36) return kNoValue;
  Attributes attributes = One(Key::kDim, dim);
  if (const int64_t step = source.Between(1, 3); step != 1) {
    attributes.push_back({Key::kStep, step});
  }
  attributes.push_back({Key::kCount, count});
  return draft.Op(Opcode::kUnfold, {x}, std::move(attributes));
}

// Elements of x in steps of their own; x is contiguous.
ValueId Strided(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const int64_t elements = draft.NumElements(x);
  std::vector<int64_t> shape, strides;
  int64_t last = 0;
  for (uint64_t d = source.Below(3) + (elements == 0 ? 1 : 0); d > 0; --d) {
    shape.push_back(elements == 0 ? 0 : source.Between(1, 3));
    strides.push_back(source.Between(0, std::min<int64_t>(elements, 3)));
    last += std::max<int64_t>(shape.back() - 1, 0) * strides.back();
  }
  if (elements > 0 && last >= elements) return kNoValue;
  Attributes attributes = List(Key::kShape, std::move(shape));
  const int64_t start = elements == 0 ? 0 : source.Between(0, elements - 1 - last);
  if (start != 0) attributes.push_back({Key::kStart, start});
  attributes.push_back({Key::kStride, std::move(strides)});
  return draft.Op(Opcode::kAsStrided, {x}, std::move(attributes));
}

// One of the parts; two that meet again give their node two gradients.
ValueId OneOfParts(Draft& draft, Opcode op, ValueId x, int64_t dim) {
  Source& source = draft.source();
  const Shape& shape = draft.ShapeOf(x);
  if (shape.empty() || shape[dim] > program::kMaxCustomOperands) return kNoValue;
  Attributes attributes = One(Key::kDim, dim);
  if (op == Opcode::kUnbind) {
    if (shape[dim] == 0) return kNoValue;
  } else {
    attributes.push_back({Key::kCount, source.Between(1, 3)});
  }
  const std::vector<ValueId> parts = draft.Parts(op, x, std::move(attributes));
  if (parts.empty()) return kNoValue;
  const ValueId first = parts[source.Below(parts.size())];
  const ValueId second = parts[source.Below(parts.size())];
  const bool meet =
      draft.TypeOf(first) == draft.TypeOf(second) && draft.DTypeOf(first) != DType::kBool;
  if (meet && source.Chance(50) && draft.HasRoom()) Combine(draft, first, second);
  return first;
}

using twingrad::program::Category;
using twingrad::program::SignatureOf;
using twingrad::program::UnaryOps;

// A value to write: of the target's type, broadcastable to it.
ValueId Operand(Draft& draft, ValueId target, Content content) {
  Source& source = draft.source();
  const Shape shape = draft.ShapeOf(target);
  if (content == Content::kAny && source.Chance(60)) {
    const ValueId found = draft.Pick([&](ValueId v) {
      return draft.DTypeOf(v) == draft.DTypeOf(target) &&
             draft.DeviceOf(v) == draft.DeviceOf(target) &&
             (draft.ShapeOf(v) == shape || draft.ShapeOf(v).empty()) &&
             draft.IsRoomy(draft[v].range, draft.DTypeOf(v));
    });
    if (found != kNoValue) return found;
  }
  return MakeLeaf(draft, {.dtype = draft.DTypeOf(target),
                          .shape = MakeBroadcastable(draft, shape),
                          .device = draft.DeviceOf(target),
                          .grad = source.Chance(50),
                          .content = content});
}

bool WriteMarked(Draft& draft, Opcode op, std::initializer_list<ValueId> operands) {
  if (!draft.Write(op, operands)) return false;
  draft.Mark(Feature::kInPlace);
  return true;
}

}  // namespace

ValueId ApplyPart(Draft& draft, ValueId x) {
  const auto rank = static_cast<int64_t>(draft.ShapeOf(x).size());
  if (rank == 0) return x;
  const int64_t dim = draft.source().Between(0, rank - 1);
  const int64_t size = draft.ShapeOf(x)[dim];
  const bool selects = size > 0 && draft.source().Chance(40);
  if (!draft.options().Has(selects ? Opcode::kSelect : Opcode::kSlice)) return x;
  const ValueId part =
      selects ? draft.Op(Opcode::kSelect, {x},
                         {{Key::kDim, dim}, {Key::kIndex, draft.source().Between(0, size - 1)}})
              : Slice(draft, x, dim);
  if (part == kNoValue) return x;
  draft.Mark(Feature::kView);
  return part;
}

ValueId ApplyView(Draft& draft, ValueId x) {
  Source& source = draft.source();
  static constexpr Opcode kViews[] = {
      Opcode::kReshape,  Opcode::kTranspose, Opcode::kSelect,    Opcode::kSlice,   Opcode::kExpand,
      Opcode::kView,     Opcode::kUnsqueeze, Opcode::kPermute,   Opcode::kSqueeze, Opcode::kT,
      Opcode::kDiagonal, Opcode::kUnfold,    Opcode::kAsStrided, Opcode::kAlias,   Opcode::kUnbind,
      Opcode::kSplit,    Opcode::kChunk};
  const Opcode op = draft.Pick(Choice::kView, kViews);
  if (!draft.options().Has(op)) return x;
  const auto rank = static_cast<int64_t>(draft.ShapeOf(x).size());
  const int64_t dim = rank == 0 ? 0 : source.Between(0, rank - 1);
  ValueId result = kNoValue;
  if (op == Opcode::kView) {
    if (!draft[x].contiguous) return x;
    result = draft.Op(op, {x}, List(Key::kShape, SameCount(draft, x)));
  } else if (op == Opcode::kReshape) {
    result = draft.Op(op, {x}, List(Key::kShape, SameCount(draft, x)));
  } else if (op == Opcode::kTranspose) {
    if (rank < 2) return x;
    result = draft.Op(op, {x}, List(Key::kDims, {dim, (dim + 1) % rank}));
  } else if (op == Opcode::kPermute) {
    result = Permute(draft, x);
  } else if (op == Opcode::kExpand) {
    result = Expand(draft, x);
  } else if (op == Opcode::kSelect) {
    if (rank == 0 || draft.ShapeOf(x)[dim] == 0) return x;
    result = draft.Op(
        op, {x}, {{Key::kDim, dim}, {Key::kIndex, source.Between(0, draft.ShapeOf(x)[dim] - 1)}});
  } else if (op == Opcode::kSlice) {
    if (rank == 0) return x;
    result = Slice(draft, x, dim);
  } else if (op == Opcode::kSqueeze) {
    Attributes dims;
    if (rank > 1 && source.Chance(15)) {
      dims = List(Key::kDims, {0, rank - 1});
    } else if (rank > 0 && draft.ShapeOf(x)[dim] == 1 && source.Chance(50)) {
      dims = List(Key::kDims, {dim});
    }
    result = draft.Op(op, {x}, dims);
  } else if (op == Opcode::kUnsqueeze) {
    if (rank >= 4) return x;
    result = draft.Op(op, {x}, One(Key::kDim, source.Between(0, rank)));
  } else if (op == Opcode::kAlias || (op == Opcode::kT && rank <= 2)) {
    result = draft.Op(op, {x});
  } else if (op == Opcode::kDiagonal) {
    result = Diagonal(draft, x);
  } else if (op == Opcode::kUnfold) {
    result = Unfold(draft, x, dim);
  } else if (op == Opcode::kAsStrided) {
    if (!draft[x].contiguous) return x;
    result = Strided(draft, x);
  } else if (program::HasParts(op)) {
    result = OneOfParts(draft, op, x, dim);
  }
  if (result == kNoValue) return x;
  draft.Mark(Feature::kView);
  return result;
}

void AddView(Draft& draft) {
  ValueId x = draft.PickDifferentiable();
  if (x == kNoValue) return;
  // Views between two nonlinear ops find more than views of leaves.
  if (draft[x].leaf && draft.source().Chance(40)) x = ApplyOp(draft, x);
  for (int64_t i = draft.source().Between(1, 3); i > 0 && draft.HasRoom(); --i) {
    x = ApplyView(draft, x);
  }
  if (draft.HasRoom() && draft.source().Chance(60)) ApplyOp(draft, x);
}

bool ApplyInPlace(Draft& draft, ValueId target) {
  Source& source = draft.source();
  using enum Opcode;
  constexpr Category kCategory = Category::kInPlace;
  static const auto* const exact = new std::vector<Opcode>(
      PreferredFirst({kMulInPlace, kAddInPlace, kSubInPlace, kNegInPlace, kCopyInPlace, kMulInPlace,
                      kReluInPlace, kAddInPlace, kZeroInPlace, kDivInPlace, kAbsInPlace},
                     UnaryOps(kCategory, false)));
  static const auto* const rounded = new std::vector<Opcode>(PreferredFirst(
      {kSinInPlace, kTanhInPlace, kSigmoidInPlace, kCosInPlace, kExpInPlace, kSqrtInPlace},
      UnaryOps(kCategory, true)));
  const bool rounding = draft.rounding() && draft.IsFloating(target) && source.Chance(40);
  const Opcode op = draft.Pick(Choice::kWrite, rounding ? *rounded : *exact);
  if (!draft.options().Has(op)) return false;
  if (!IsTaken(draft, op, target)) return false;
  if (SignatureOf(op).max_operands == 1) return WriteMarked(draft, op, {target});
  const Content content = op == Opcode::kDivInPlace ? Content::kPowersOfTwo : Content::kAny;
  const ValueId operand = Operand(draft, target, content);
  if (operand == kNoValue) return false;
  const Range after = AfterBinary(op, draft[target].range, draft[operand].range);
  if (!draft.IsRoomy(after, draft.DTypeOf(target)) || !draft.MayWrite(target)) return false;
  return WriteMarked(draft, op, {target, operand});
}

void AddInPlace(Draft& draft) {
  Source& source = draft.source();
  ValueId target = draft.Pick([&](ValueId v) {
    return draft.DTypeOf(v) != DType::kBool && draft.MayWrite(v) &&
           (draft.IsFloating(v) || source.Chance(20));
  });
  if (target == kNoValue || (draft[target].leaf && source.Chance(50))) {
    const ValueId x = draft.PickDifferentiable();
    if (x == kNoValue) return;
    target =
        draft.options().Has(Opcode::kClone) ? draft.Op(Opcode::kClone, {x}) : ApplyOp(draft, x);
  }
  const ValueId base = target;
  ValueId other = kNoValue;
  if (draft.options().Has(Feature::kView)) {
    // A view made before the write is stale after it; one to write through; or both.
    if (source.Chance(35)) other = ApplyView(draft, base);
    if (source.Chance(50)) target = ApplyView(draft, target);
  }
  if (target == kNoValue || !draft.MayWrite(target)) return;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (ApplyInPlace(draft, target)) break;
  }
  if (!draft.HasRoom()) return;
  if (other != kNoValue && source.Chance(60)) {
    ApplyOp(draft, other);
  } else if (source.Chance(60)) {
    ApplyOp(draft, base);
  }
}

void AddNoGrad(Draft& draft) {
  Source& source = draft.source();
  if (draft.options().Has(Opcode::kDetach) && source.Chance(45)) {
    const ValueId x = draft.PickDifferentiable();
    if (x == kNoValue) return;
    const ValueId detached = draft.Op(Opcode::kDetach, {x});
    // In the product with the value itself, the derivative ignores the detached factor.
    if (detached != kNoValue && source.Chance(60)) Combine(draft, x, detached);
    return;
  }
  draft.BeginNoGrad();
  for (int64_t i = source.Between(1, 2); i > 0 && draft.HasRoom(2); --i) {
    const ValueId x = draft.PickDifferentiable();
    if (x == kNoValue) break;
    const bool write = draft.options().Has(Feature::kInPlace) && source.Chance(35);
    if (write && draft.MayWrite(x)) {
      ApplyInPlace(draft, x);
    } else if (draft.options().Has(Feature::kView) && source.Chance(25)) {
      ApplyView(draft, x);
    } else {
      ApplyOp(draft, x);
    }
  }
  draft.EndNoGrad();
}

}  // namespace twingrad::generators
