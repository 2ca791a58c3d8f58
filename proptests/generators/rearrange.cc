#include "proptests/generators/rearrange.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/view_scatter.h"
#include "proptests/generators/indexed.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"
#include "proptests/generators/sparse.h"
#include "proptests/generators/view_scatter.h"
#include "proptests/generators/window.h"

namespace twingrad::generators {
namespace {

using twingrad::program::ViewWrittenBy;

int64_t ElementsOf(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

// A dimension that x has, or -1.
int64_t PickDim(Draft& draft, ValueId x) {
  const auto rank = static_cast<uint64_t>(draft.ShapeOf(x).size());
  return rank == 0 ? -1 : static_cast<int64_t>(draft.source().Below(rank));
}

// A leaf of indices from 0 to size - 1, no two of them equal along dim=; there are no more of them
// than `size`.
ValueId EachOnce(Draft& draft, const Shape& shape, int64_t dim, int64_t size, DeviceIndex device) {
  const int64_t length = shape[dim];
  int64_t stride = 1;
  for (size_t d = static_cast<size_t>(dim) + 1; d < shape.size(); ++d) stride *= shape[d];
  Bits data(static_cast<size_t>(ElementsOf(shape)));
  for (int64_t line = 0; length > 0 && line < ElementsOf(shape) / length; ++line) {
    std::vector<uint64_t> all;
    for (int64_t k = 0; k < size; ++k) all.push_back(static_cast<uint64_t>(k));
    const int64_t start = line / stride * stride * length + line % stride;
    for (int64_t k = 0; k < length; ++k) {
      const auto picked = all.begin() + static_cast<int64_t>(draft.source().Below(all.size()));
      data[static_cast<size_t>(start + k * stride)] = *picked;
      all.erase(picked);
    }
  }
  return draft.Leaf({DType::kI64, shape}, std::move(data), false, device, {2, 0});
}

ValueId ApplyJoin(Draft& draft, ValueId x, Opcode op) {
  Source& source = draft.source();
  const Shape shape = draft.ShapeOf(x);
  const bool stacks = op == Opcode::kStack;
  if (shape.size() + (stacks ? 1 : 0) > 4 || draft.NumElements(x) > kMaxResult / 4) return x;
  const auto dims = shape.size() + (stacks ? 1 : 0);
  if (dims == 0) return x;
  const auto dim = static_cast<int64_t>(source.Below(dims));
  std::vector<ValueId> operands = {x};
  for (int64_t more = source.Between(0, 2); more > 0; --more) {
    Shape other = shape;
    if (!stacks && source.Chance(40)) other[dim] = source.Between(0, 2);
    const ValueId fellow = source.Chance(15) ? x : Fellow(draft, x, other);
    if (fellow != kNoValue) operands.push_back(fellow);
  }
  if (source.Chance(30)) std::swap(operands.front(), operands.back());
  return draft.Op(op, operands, {{Key::kDim, dim}});
}

ValueId ApplyPick(Draft& draft, ValueId x, Opcode op, int64_t dim) {
  Source& source = draft.source();
  const Shape shape = draft.ShapeOf(x);
  const bool copies = op == Opcode::kIndexCopy || op == Opcode::kScatter;
  const bool adds = op == Opcode::kIndexAdd || op == Opcode::kScatterAdd;
  const bool lists =
      op == Opcode::kIndexSelect || op == Opcode::kIndexAdd || op == Opcode::kIndexCopy;
  Shape index = lists ? Shape{0} : shape;
  int64_t& length = lists ? index[0] : index[dim];
  length = shape[dim] == 0 ? 0 : source.Between(source.Chance(5) ? 0 : 1, 3);
  if (!lists) {
    for (size_t d = 0; d < index.size(); ++d) {
      if (static_cast<int64_t>(d) != dim && index[d] > 1 && source.Chance(20)) --index[d];
    }
  }
  if (ElementsOf(shape) / std::max<int64_t>(shape[dim], 1) * length > kMaxResult) return x;
  const bool puts = copies && source.Chance(90);
  if (puts) length = std::min(length, shape[dim]);
  ValueId indices = kNoValue;
  if (!puts && source.Chance(50)) indices = GivenIndices(draft, x, dim, lists);
  if (indices == kNoValue) {
    indices = puts ? EachOnce(draft, index, lists ? 0 : dim, shape[dim], draft.DeviceOf(x))
                   : MakeIndices(draft, index, shape[dim], draft.DeviceOf(x));
  }
  if (indices == kNoValue) return x;
  const int64_t picks = draft.ShapeOf(indices)[lists ? 0 : static_cast<size_t>(dim)];
  if (ElementsOf(shape) / std::max<int64_t>(shape[dim], 1) * picks > kMaxResult) return x;
  const Attributes attributes = {{Key::kDim, dim}};
  if (!adds && !copies) return draft.Op(op, {x, indices}, attributes);
  Shape entries = lists ? shape : draft.ShapeOf(indices);
  entries[dim] = picks;
  const ValueId terms = Fellow(draft, x, entries);
  if (terms == kNoValue) return x;
  return draft.Op(op, {x, indices, terms}, attributes);
}

// What an op picks of x in some order, or x picked by its indices.
ValueId ApplyOrder(Draft& draft, ValueId x, Opcode op, int64_t dim) {
  Source& source = draft.source();
  Attributes attributes = {{Key::kDim, dim}};
  if (op == Opcode::kTopk || op == Opcode::kTopkIndices) {
    const int64_t size = draft.ShapeOf(x)[static_cast<size_t>(dim)];
    const bool none = size == 0 || source.Chance(5);
    attributes.push_back({Key::kCount, none ? 0 : source.Between(1, size)});
  } else if (source.Chance(40) && (op == Opcode::kSort || op == Opcode::kArgsort)) {
    attributes.push_back({Key::kDescending, true});
  }
  if (UsesIndices(draft, op)) return PickByIndicesOf(draft, x, op, attributes, dim);
  const ValueId order = draft.Op(op, {x}, attributes);
  if (SignatureOf(op).differentiable != 0 || order == kNoValue) return order;
  return draft.Op(Opcode::kGather, {x, order}, {{Key::kDim, dim}});
}

bool IsNumeric(const Draft& draft, ValueId x) { return draft.DTypeOf(x) != DType::kBool; }

// Attributes of a reduction over some dimensions; `terms` is how many elements meet.
Attributes SomeDims(Draft& draft, ValueId x, int64_t* terms) {
  Source& source = draft.source();
  const Shape& shape = draft.ShapeOf(x);
  std::vector<int64_t> dims;
  *terms = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!source.Chance(50)) continue;
    dims.push_back(static_cast<int64_t>(d));
    *terms *= shape[d];
  }
  if (dims.empty()) *terms = draft.NumElements(x);
  Attributes attributes;
  if (!dims.empty()) attributes.push_back({Key::kDims, std::move(dims)});
  if (source.Chance(35)) attributes.push_back({Key::kKeepdim, true});
  return attributes;
}

// roll, tril or triu.
ValueId ApplyMoved(Draft& draft, ValueId x, Opcode op, int64_t dim) {
  const auto by = static_cast<int64_t>(draft.source().Below(5)) - 2;
  if (op == Opcode::kRoll) return draft.Op(op, {x}, {{Key::kDim, dim}, {Key::kBy, by}});
  if (draft.ShapeOf(x).size() < 2 || !IsNumeric(draft, x)) return x;
  return draft.Op(op, {x}, by == 0 ? Attributes() : Attributes{{Key::kBy, by}});
}

bool IsPadding(Opcode op) {
  return op == Opcode::kPad || op == Opcode::kPadReflect || op == Opcode::kPadReplicate ||
         op == Opcode::kPadCircular;
}

ValueId ApplyPad(Draft& draft, ValueId x, Opcode op) {
  Source& source = draft.source();
  const Shape shape = draft.ShapeOf(x);
  const auto rank = static_cast<int64_t>(shape.size());
  const bool extends = op != Opcode::kPad;
  if (!IsNumeric(draft, x) || (extends && (rank < 2 || !draft.IsFloating(x)))) return x;
  const int64_t others = std::min<int64_t>(rank - 1, source.Between(1, 2));
  const int64_t dims = extends ? rank - others : source.Between(1, std::min<int64_t>(rank, 2));
  if (extends && (dims < 1 || dims > 3)) return x;
  std::vector<int64_t> pads;
  int64_t elements = 1;
  for (int64_t k = 0; k < rank; ++k) {
    int64_t size = shape[static_cast<size_t>(rank - 1 - k)];
    if (extends && size == 0 && (k < dims || others == 1 || k < rank - 1)) return x;
    const int64_t most = op == Opcode::kPadReflect    ? std::min<int64_t>(2, size - 1)
                         : op == Opcode::kPadCircular ? std::min<int64_t>(2, size)
                                                      : 2;
    for (int side = 0; side < 2 && k < dims; ++side) {
      pads.push_back(source.Between(0, most));
      size += pads.back();
    }
    elements *= size;
  }
  if (elements > kMaxResult) return x;
  Attributes attributes = {{Key::kPads, std::move(pads)}};
  static constexpr double kFillings[] = {1, -1, 2, -0.5};
  const double by = source.Pick(kFillings);
  const bool fits = by != -0.5 || draft.IsFloating(x);
  if (!extends && fits && source.Chance(50)) attributes.push_back({Key::kBy, by});
  return draft.Op(op, {x}, std::move(attributes));
}

ValueId ApplyRepeat(Draft& draft, ValueId x) {
  Source& source = draft.source();
  std::vector<int64_t> counts(draft.ShapeOf(x).size());
  int64_t elements = draft.NumElements(x);
  if (counts.size() < 4 && source.Chance(30)) counts.push_back(0);
  for (int64_t& count : counts) {
    count = source.Chance(4) ? 0 : source.Between(1, 2);
    elements *= count;
  }
  if (elements > kMaxResult) return x;
  return draft.Op(Opcode::kRepeat, {x}, {{Key::kShape, std::move(counts)}});
}

// The rows that some indices of this shape name.
ValueId LookUp(Draft& draft, ValueId x, const Shape& places, bool sparse) {
  const ValueId indices = MakeIndices(draft, places, draft.ShapeOf(x)[0], draft.DeviceOf(x));
  if (indices == kNoValue) return indices;
  Attributes attributes;
  if (sparse) attributes.push_back({Key::kSparse, true});
  return draft.Op(Opcode::kEmbedding, {x, indices}, std::move(attributes));
}

// The sum of these rows of x and others, or of all, so that another gradient meets theirs.
ValueId AddMoreOf(Draft& draft, ValueId x, ValueId rows, const Shape& places) {
  const bool all = draft.source().Chance(40);
  const int64_t terms = all ? draft.ShapeOf(x)[0] + 1 : 2;
  if (!draft.IsRoomy(AfterSum(draft[x].range, terms), draft.DTypeOf(x))) return rows;
  const ValueId more = all ? draft.Op(Opcode::kSum, {x}, {{Key::kDims, std::vector<int64_t>{0}}})
                           : LookUp(draft, x, places, draft.source().Chance(70));
  return more == kNoValue ? rows : OrSelf(draft.Op(Opcode::kAdd, {rows, more}), rows);
}

ValueId ApplyEmbedding(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const Shape shape = draft.ShapeOf(x);
  if (shape.size() != 2 || !draft.IsFloating(x)) return x;
  Shape places(source.Below(3), 0);
  int64_t elements = shape[1];
  for (int64_t& size : places) {
    size = shape[0] == 0 || source.Chance(5) ? 0 : source.Between(1, 3);
    elements *= size;
  }
  if (elements > kMaxResult || (shape[0] == 0 && places.empty())) return x;
  const bool sparse = source.Chance(45);
  const ValueId rows = LookUp(draft, x, places, sparse);
  if (rows == kNoValue) return x;
  return sparse && source.Chance(40) ? AddMoreOf(draft, x, rows, places) : rows;
}

ValueId ApplyScan(Draft& draft, ValueId x, Opcode op, int64_t dim) {
  if (!IsNumeric(draft, x)) return x;
  const int64_t size = draft.ShapeOf(x)[static_cast<size_t>(dim)];
  if (op == Opcode::kLogcumsumexp) {
    if (!draft.rounding() || !draft.IsFloating(x)) return x;
    return draft.Op(op, {x}, {{Key::kDim, dim}});
  }
  if (op == Opcode::kCumprod && size > 4) return x;
  const Range after = op == Opcode::kCumprod ? AfterProductOf(draft[x].range, size)
                                             : AfterSum(draft[x].range, size);
  if (!draft.IsRoomy(after, draft.DTypeOf(x))) return x;
  return draft.Op(op, {x}, {{Key::kDim, dim}});
}

ValueId ApplyPicked(Draft& draft, ValueId x) {
  Source& source = draft.source();
  static constexpr Opcode kOps[] = {Opcode::kMax, Opcode::kMin, Opcode::kArgmax, Opcode::kArgmin};
  const Opcode op = source.Pick(kOps);
  const int64_t dim = PickDim(draft, x);
  if (dim < 0 || !draft.options().Has(op)) return x;
  Attributes attributes = {{Key::kDim, dim}};
  const bool index = op == Opcode::kArgmax || op == Opcode::kArgmin;
  if (index && source.Chance(20)) {  // no index for gather
    draft.Op(op, {x}, attributes);
    return x;
  }
  if (index || source.Chance(40)) attributes.push_back({Key::kKeepdim, true});
  if (attributes.size() > 1 && UsesIndices(draft, op)) {
    return OrSelf(PickByIndicesOf(draft, x, op, attributes, dim), x);
  }
  const ValueId result = draft.Op(op, {x}, attributes);
  if (!index || result == kNoValue) return OrSelf(result, x);
  return OrSelf(draft.Op(Opcode::kGather, {x, result}, {{Key::kDim, dim}}), x);
}

constexpr Opcode kRearrangements[] = {Opcode::kCat,
                                      Opcode::kStack,
                                      Opcode::kFlip,
                                      Opcode::kIndexSelect,
                                      Opcode::kGather,
                                      Opcode::kScatterAdd,
                                      Opcode::kSort,
                                      Opcode::kArgsort,
                                      Opcode::kCumsum,
                                      Opcode::kRoll,
                                      Opcode::kTril,
                                      Opcode::kTriu,
                                      Opcode::kCumprod,
                                      Opcode::kLogcumsumexp,
                                      Opcode::kPad,
                                      Opcode::kPadReflect,
                                      Opcode::kPadReplicate,
                                      Opcode::kPadCircular,
                                      Opcode::kRepeat,
                                      Opcode::kEmbedding,
                                      Opcode::kScatter,
                                      Opcode::kIndexAdd,
                                      Opcode::kIndexCopy,
                                      Opcode::kIndex,
                                      Opcode::kIndexPut,
                                      Opcode::kScatterReduce,
                                      Opcode::kMaskedSelect,
                                      Opcode::kSparseIndices,  // and the others of its kind
                                      Opcode::kTopk,
                                      Opcode::kTopkIndices,
                                      Opcode::kCummax,
                                      Opcode::kCummin,
                                      Opcode::kCummaxIndices,
                                      Opcode::kCumminIndices,
                                      Opcode::kSelectScatter,
                                      Opcode::kSliceScatter,
                                      Opcode::kDiagonalScatter,
                                      Opcode::kAsStridedScatter};

bool IsIndexed(Opcode op) {
  return op == Opcode::kIndex || op == Opcode::kIndexPut || op == Opcode::kScatterReduce ||
         op == Opcode::kMaskedSelect;
}

}  // namespace

ValueId ApplyRearrange(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const Opcode op = draft.Pick(Choice::kRearrangement, kRearrangements);
  if (!draft.options().Has(op)) return x;
  if (op == Opcode::kCat || op == Opcode::kStack) return OrSelf(ApplyJoin(draft, x, op), x);
  const int64_t dim = PickDim(draft, x);
  if (dim < 0) return x;
  if (op == Opcode::kFlip) {
    std::vector<int64_t> dims = {dim};
    if (dim > 0 && source.Chance(40)) dims.push_back(0);
    return OrSelf(draft.Op(op, {x}, {{Key::kDims, std::move(dims)}}), x);
  }
  if (op == Opcode::kRoll || op == Opcode::kTril || op == Opcode::kTriu) {
    return OrSelf(ApplyMoved(draft, x, op, dim), x);
  }
  if (ViewWrittenBy(op)) return OrSelf(ApplyViewScatter(draft, x, op, dim), x);
  if (IsPadding(op)) return OrSelf(ApplyPad(draft, x, op), x);
  if (IsIndexed(op)) return OrSelf(ApplyIndexed(draft, x, op, dim), x);
  if (IsSparse(op)) {
    return OrSelf(ApplySparse(draft, x, source.Chance(50) ? Opcode::kToDense : op), x);
  }
  if (op == Opcode::kEmbedding) return OrSelf(ApplyEmbedding(draft, x), x);
  if (op == Opcode::kRepeat) return OrSelf(ApplyRepeat(draft, x), x);
  if (op == Opcode::kCumsum || op == Opcode::kCumprod || op == Opcode::kLogcumsumexp) {
    return OrSelf(ApplyScan(draft, x, op, dim), x);
  }
  const bool orders = op == Opcode::kSort || op == Opcode::kArgsort || op == Opcode::kTopk ||
                      op == Opcode::kTopkIndices || op == Opcode::kCummax ||
                      op == Opcode::kCummin || op == Opcode::kCummaxIndices ||
                      op == Opcode::kCumminIndices;
  if (orders) {
    return IsNumeric(draft, x) ? OrSelf(ApplyOrder(draft, x, op, dim), x) : x;
  }
  const bool adds = op == Opcode::kScatterAdd || op == Opcode::kIndexAdd;
  if (adds && !IsNumeric(draft, x)) return x;
  return OrSelf(ApplyPick(draft, x, op, dim), x);
}

ValueId ApplyFold(Draft& draft, ValueId x) {
  Source& source = draft.source();
  if (!IsNumeric(draft, x)) return x;
  if (draft.ShapeOf(x).size() > 1 && source.Chance(15)) return ApplyPool(draft, x);
  if (source.Chance(40)) return ApplyPicked(draft, x);
  int64_t terms = 0;
  const Attributes attributes = SomeDims(draft, x, &terms);
  const bool rounding = draft.rounding() && draft.IsFloating(x);
  const Opcode op =
      rounding && source.Chance(50)
          ? source.Pick({Opcode::kLogsumexp, Opcode::kVar, Opcode::kStd, Opcode::kNorm})
          : source.Pick({Opcode::kProd, Opcode::kAmax, Opcode::kAmin});
  if (!draft.options().Has(op)) return x;
  // Where elements are equal but for rounding, and in short floats, its gradient is seldom certain.
  if (op == Opcode::kStd && source.Chance(IsNarrow(draft.DTypeOf(x)) ? 88 : 62)) return x;
  if (op == Opcode::kVar && !draft.IsRoomy(AfterUnary(op, draft[x].range), draft.DTypeOf(x))) {
    return x;
  }
  if (op == Opcode::kProd &&
      (terms > 8 || !draft.IsRoomy(AfterProductOf(draft[x].range, terms), draft.DTypeOf(x)))) {
    return x;
  }
  return OrSelf(draft.Op(op, {x}, attributes), x);
}

// Of a loss: `sum`, `none`, or empty for a mean.
Attributes ReducedBy(const std::string& reduction) {
  if (reduction.empty()) return {};
  return {{Key::kReduction, reduction}};
}

// A loss of the classes along the last dimension.
ValueId ApplyToClasses(Draft& draft, ValueId x, Opcode op, const std::string& reduction) {
  const Shape shape = draft.ShapeOf(x);
  const Shape samples(shape.begin(), shape.end() - 1);
  const ValueId classes = MakeIndices(draft, samples, shape.back(), draft.DeviceOf(x));
  return classes == kNoValue ? kNoValue : draft.Op(op, {x, classes}, ReducedBy(reduction));
}

ValueId ApplyLoss(Draft& draft, ValueId x) {
  Source& source = draft.source();
  if (!draft.IsFloating(x)) return x;
  const Shape shape = draft.ShapeOf(x);
  std::string reduction;
  if (source.Chance(70)) reduction = source.Chance(50) ? "sum" : "none";
  const int64_t dim = PickDim(draft, x);
  const bool has_classes = dim >= 0 && shape.size() <= 2 && shape.back() != 0;
  if (has_classes && source.Chance(25) && draft.options().Has(Opcode::kNllLoss)) {
    return OrSelf(ApplyToClasses(draft, x, Opcode::kNllLoss, reduction), x);
  }
  if (!draft.rounding() || dim < 0 || source.Chance(30)) {
    const Opcode op = draft.rounding() && source.Chance(40) ? Opcode::kBceWithLogits
                      : source.Chance(50)                   ? Opcode::kSmoothL1Loss
                                                            : Opcode::kMseLoss;
    const ValueId target = Fellow(draft, x, shape);
    if (target == kNoValue || !draft.options().Has(op)) return x;
    const Range after = AfterBinary(Opcode::kMseLoss, draft[x].range, draft[target].range);
    if (!draft.IsRoomy(after, draft.DTypeOf(x))) return x;
    return OrSelf(draft.Op(op, {x, target}, ReducedBy(reduction)), x);
  }
  if (source.Chance(60) || shape.size() > 2 || shape.back() == 0) {
    const Opcode op = source.Chance(50) ? Opcode::kSoftmax : Opcode::kLogSoftmax;
    return OrSelf(draft.Op(op, {x}, {{Key::kDim, dim}}), x);
  }
  if (!draft.options().Has(Opcode::kCrossEntropy)) return x;
  return OrSelf(ApplyToClasses(draft, x, Opcode::kCrossEntropy, reduction), x);
}

// addmm, addmv, addr, baddbmm or addbmm: x is one factor.
ValueId ApplyAddmm(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const Shape shape = draft.ShapeOf(x);
  if (shape.empty() || shape.size() > 3 || !IsNumeric(draft, x)) return x;
  if (draft.NumElements(x) > 16) return x;
  const bool batched = shape.size() == 3;
  // A vector is multiplied by a matrix or a vector, a matrix by a matrix or a vector.
  const Opcode op = batched             ? source.Pick({Opcode::kBaddbmm, Opcode::kAddbmm})
                    : shape.size() == 1 ? source.Pick({Opcode::kAddmv, Opcode::kAddr})
                                        : source.Pick({Opcode::kAddmm, Opcode::kAddmv});
  if (!draft.options().Has(op)) return x;
  const bool vector_last = op == Opcode::kAddmv && shape.size() == 2;
  const bool left = vector_last || (op != Opcode::kAddmv && source.Chance(50));
  const int64_t free = source.Between(1, 3);
  const Shape first = batched ? Shape{shape[0]} : Shape{};
  const auto with = [&](Shape sizes, int64_t rows, int64_t columns) {
    sizes.push_back(rows);
    sizes.push_back(columns);
    return sizes;
  };
  Shape other, product;
  const int64_t last = shape.back();
  if (op == Opcode::kAddr) {
    other = {free};
    product = left ? Shape{last, free} : Shape{free, last};
  } else if (op == Opcode::kAddmv) {
    other = vector_last ? Shape{last} : Shape{free, last};
    product = {vector_last ? shape[0] : free};
  } else {
    const int64_t rows = shape[shape.size() - 2];
    other = left ? with(first, last, free) : with(first, free, rows);
    const Shape stack = op == Opcode::kBaddbmm ? first : Shape{};
    product = left ? with(stack, rows, free) : with(stack, free, last);
  }
  const ValueId factor = Fellow(draft, x, other);
  const ValueId added = Fellow(draft, x, MakeBroadcastable(draft, product));
  if (factor == kNoValue || added == kNoValue) return x;
  const int64_t terms = draft.NumElements(x);
  const Range after = AfterSum(
      Union(draft[added].range, AfterProduct(draft[x].range, draft[factor].range)), terms + 1);
  if (!draft.IsRoomy(after, draft.DTypeOf(x))) return x;
  return OrSelf(draft.Op(op, {added, left ? x : factor, left ? factor : x}), x);
}

}  // namespace twingrad::generators
