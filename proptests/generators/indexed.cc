#include "proptests/generators/indexed.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "autograd/program/leaf_data.h"
#include "autograd/program/parts.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"

namespace twingrad::generators {
namespace {

using twingrad::program::NumElements;

// The operands and attributes that name elements, and the shape of what they name.
struct Naming {
  std::vector<ValueId> operands;
  Attributes attributes;
  Shape shape;
};

Shape FirstOf(const Shape& shape, size_t dims) {
  return Shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(dims));
}

void AppendRest(Shape* named, const Shape& whole, size_t dims) {
  named->insert(named->end(), whole.begin() + static_cast<std::ptrdiff_t>(dims), whole.end());
}

ValueId MakeInts(Draft& draft, const Shape& shape, Bits data, DeviceIndex device) {
  return draft.Leaf({DType::kI64, shape}, std::move(data), false, device, {2, 0});
}

// All are true, none is, or some are.
Bits Flags(Source& source, int64_t size) {
  const int percent = source.Chance(12) ? 100 : source.Chance(12) ? 0 : 50;
  Bits flags;
  for (int64_t i = 0; i < size; ++i) flags.push_back(source.Chance(percent) ? 1 : 0);
  return flags;
}

ValueId MakeMask(Draft& draft, const Shape& shape, const Bits& flags, DeviceIndex device) {
  return draft.Leaf({DType::kBool, shape}, flags, false, device, {0, 0});
}

Naming ByMask(Draft& draft, ValueId x) {
  const Shape whole = draft.ShapeOf(x);
  const auto dims =
      static_cast<size_t>(draft.source().Between(1, static_cast<int64_t>(whole.size())));
  const Shape shape = FirstOf(whole, dims);
  const Bits flags = Flags(draft.source(), NumElements(shape));
  const auto count = static_cast<int64_t>(std::count(flags.begin(), flags.end(), 1));
  Naming naming{
      {MakeMask(draft, shape, flags, draft.DeviceOf(x))}, {{Key::kCount, count}}, {count}};
  AppendRest(&naming.shape, whole, dims);
  return naming;
}

// By indices of `dims` dimensions, each of which is broadcast.
Naming ByIndices(Draft& draft, ValueId x, size_t dims) {
  Source& source = draft.source();
  const Shape whole = draft.ShapeOf(x);
  const bool nothing = NumElements(FirstOf(whole, dims)) == 0;
  Naming naming;
  for (uint64_t rank = source.Below(3); rank > 0; --rank) {
    naming.shape.push_back(source.Between(1, 3));
  }
  if (nothing || source.Chance(6)) naming.shape = {0};
  const auto full = source.Below(dims);  // one of them has the whole shape
  for (size_t d = 0; d < dims; ++d) {
    const Shape own = d == full || nothing ? naming.shape : MakeBroadcastable(draft, naming.shape);
    naming.operands.push_back(MakeIndices(draft, own, whole[d], draft.DeviceOf(x)));
  }
  AppendRest(&naming.shape, whole, dims);
  return naming;
}

// By lists of indices that name no place twice.
Naming EachOnce(Draft& draft, ValueId x, size_t dims) {
  Source& source = draft.source();
  const Shape whole = draft.ShapeOf(x);
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < NumElements(FirstOf(whole, dims)); ++row) rows.push_back(row);
  const auto count = std::min<int64_t>(static_cast<int64_t>(rows.size()), source.Between(0, 3));
  std::vector<Bits> lists(dims);
  for (int64_t k = 0; k < count; ++k) {
    const auto picked = rows.begin() + static_cast<std::ptrdiff_t>(source.Below(rows.size()));
    int64_t row = *picked;
    rows.erase(picked);
    for (size_t d = dims; d-- > 0; row /= whole[d]) {
      lists[d].push_back(static_cast<uint64_t>(row % whole[d]));
    }
  }
  Naming naming;
  naming.shape = {count};
  for (Bits& list : lists) {
    naming.operands.push_back(MakeInts(draft, {count}, std::move(list), draft.DeviceOf(x)));
  }
  AppendRest(&naming.shape, whole, dims);
  return naming;
}

// index and index_put.
ValueId ApplyNaming(Draft& draft, ValueId x, Opcode op) {
  Source& source = draft.source();
  const auto rank = static_cast<int64_t>(draft.ShapeOf(x).size());
  const auto dims = static_cast<size_t>(source.Between(1, std::min<int64_t>(rank, 3)));
  const bool puts = op == Opcode::kIndexPut;
  const bool adds = puts && draft.DTypeOf(x) != DType::kBool && source.Chance(50);
  Naming naming = source.Chance(35)                    ? ByMask(draft, x)
                  : puts && !adds && source.Chance(90) ? EachOnce(draft, x, dims)
                                                       : ByIndices(draft, x, dims);
  const bool fits =
      NumElements(naming.shape) <= kMaxResult && naming.shape.size() <= 4 &&
      std::find(naming.operands.begin(), naming.operands.end(), kNoValue) == naming.operands.end();
  if (!fits) return x;
  std::vector<ValueId> operands = {x};
  if (puts) {
    operands.push_back(Fellow(draft, x, MakeBroadcastable(draft, naming.shape)));
    if (operands.back() == kNoValue) return x;
    if (adds) naming.attributes.push_back({Key::kAccumulate, true});
  }
  operands.insert(operands.end(), naming.operands.begin(), naming.operands.end());
  return draft.Op(op, operands, std::move(naming.attributes));
}

// How many elements of a mask are true once it is broadcast.
int64_t CountTrue(const Shape& mask, const Bits& flags, const Shape& all) {
  int64_t count = 0;
  const size_t added = all.size() - mask.size();
  for (int64_t i = 0; i < NumElements(all); ++i) {
    int64_t rest = i, place = 0, stride = 1;
    for (size_t d = all.size(); d-- > 0; rest /= all[d]) {
      if (d < added) continue;
      const int64_t size = mask[d - added];
      if (size != 1) place += rest % all[d] * stride;
      stride *= size;
    }
    count += flags[static_cast<size_t>(place)] != 0 ? 1 : 0;
  }
  return count;
}

ValueId ApplyMask(Draft& draft, ValueId x) {
  Source& source = draft.source();
  Shape all = draft.ShapeOf(x);
  if (all.size() < 4 && source.Chance(25)) all.insert(all.begin(), source.Between(0, 2));
  if (NumElements(all) > kMaxResult) return x;
  const bool grows = all.size() > draft.ShapeOf(x).size();
  const Shape shape = grows || source.Chance(60) ? all : MakeBroadcastable(draft, all);
  const Bits flags = Flags(source, NumElements(shape));
  const ValueId mask = MakeMask(draft, shape, flags, draft.DeviceOf(x));
  if (mask == kNoValue) return x;
  return draft.Op(Opcode::kMaskedSelect, {x, mask}, {{Key::kCount, CountTrue(shape, flags, all)}});
}

// Elements that are often those which x has there, so that extremes are ties.
ValueId MakeSent(Draft& draft, ValueId x, ValueId indices, int64_t dim) {
  if (draft.options().Has(Opcode::kGather) && draft.source().Chance(25)) {
    const ValueId same = draft.Op(Opcode::kGather, {x, indices}, {{Key::kDim, dim}});
    if (same != kNoValue) return same;
  }
  return Fellow(draft, x, draft.ShapeOf(indices));
}

ValueId ApplyReduced(Draft& draft, ValueId x, int64_t dim) {
  Source& source = draft.source();
  if (!draft.IsFloating(x)) return x;
  Shape shape = draft.ShapeOf(x);
  int64_t& length = shape[static_cast<size_t>(dim)];
  const int64_t size = length;
  length = size == 0 ? 0 : source.Between(source.Chance(6) ? 0 : 1, 4);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (static_cast<int64_t>(d) != dim && shape[d] > 1 && source.Chance(20)) --shape[d];
  }
  if (NumElements(shape) > kMaxResult) return x;
  ValueId indices = source.Chance(30) ? GivenIndices(draft, x, dim, /*lists=*/false) : kNoValue;
  if (indices == kNoValue) indices = MakeIndices(draft, shape, size, draft.DeviceOf(x));
  if (indices == kNoValue) return x;
  length = draft.ShapeOf(indices)[static_cast<size_t>(dim)];
  const ValueId sent = MakeSent(draft, x, indices, dim);
  if (sent == kNoValue) return x;
  const bool divides = draft.rounding();
  const char* const reduction =
      source.Pick({"prod", "amax", "amin", divides ? "mean" : "prod", "sum"});
  Attributes attributes = {{Key::kDim, dim}, {Key::kReduction, std::string(reduction)}};
  const Range met = Union(draft[x].range, draft[sent].range);
  const Range after = std::string(reduction) == "prod" ? AfterProductOf(met, length + 1)
                                                       : AfterSum(met, length + 1);
  if (!draft.IsRoomy(after, draft.DTypeOf(x))) return x;
  if (source.Chance(45)) attributes.push_back({Key::kIncludeSelf, false});
  return draft.Op(Opcode::kScatterReduce, {x, indices, sent}, std::move(attributes));
}

}  // namespace

ValueId MakeIndices(Draft& draft, const Shape& shape, int64_t size, DeviceIndex device) {
  Bits data;
  for (int64_t i = NumElements(shape); i > 0; --i) {
    data.push_back(draft.source().Below(static_cast<uint64_t>(size)));
  }
  return MakeInts(draft, shape, std::move(data), device);
}

bool UsesIndices(Draft& draft, Opcode op) {
  const bool may = twingrad::program::MayGiveIndices(op) && draft.options().Has(Opcode::kGather);
  return may && draft.source().Chance(40);
}

ValueId PickByIndicesOf(Draft& draft, ValueId x, Opcode op, Attributes attributes, int64_t dim) {
  const std::vector<ValueId> both = draft.OpWithIndices(op, x, std::move(attributes));
  if (both.empty()) return kNoValue;
  const ValueId other = Fellow(draft, x, draft.ShapeOf(x));
  if (other == kNoValue) return both[0];
  return OrSelf(draft.Op(Opcode::kGather, {other, both[1]}, {{Key::kDim, dim}}), both[0]);
}

ValueId GivenIndices(Draft& draft, ValueId x, int64_t dim, bool lists) {
  const Shape shape = draft.ShapeOf(x);
  return draft.Pick([&](ValueId v) {
    const Known& known = draft[v];
    const Shape& own = draft.ShapeOf(v);
    const bool fits = known.below > 0 && known.below <= shape[static_cast<size_t>(dim)];
    if (!fits || draft.DeviceOf(v) != draft.DeviceOf(x)) return false;
    if (lists || own.size() != shape.size()) return lists && own.size() == 1;
    for (size_t d = 0; d < own.size(); ++d) {
      if (static_cast<int64_t>(d) != dim && own[d] > shape[d]) return false;
    }
    return true;
  });
}

ValueId ApplyIndexed(Draft& draft, ValueId x, Opcode op, int64_t dim) {
  if (op == Opcode::kMaskedSelect) return ApplyMask(draft, x);
  if (op == Opcode::kScatterReduce) return ApplyReduced(draft, x, dim);
  return ApplyNaming(draft, x, op);
}

}  // namespace twingrad::generators
