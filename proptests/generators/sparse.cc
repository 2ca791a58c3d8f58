#include "proptests/generators/sparse.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "autograd/program/leaf_data.h"
#include "autograd/program/sparse.h"
#include "proptests/generators/operation.h"

namespace twingrad::generators {
namespace {

// What a sparse tensor has beside its values.
struct Pattern {
  std::vector<int64_t> sizes;
  std::vector<std::vector<int64_t>> entries;  // for each its index

  int64_t Different() const {
    const std::set<std::vector<int64_t>> different(entries.begin(), entries.end());
    return static_cast<int64_t>(different.size());
  }
};

// For values of this shape, in one to three dimensions.
Pattern DrawPattern(Source& source, const Shape& values) {
  const auto rest = static_cast<int64_t>(values.size()) - 1;
  Pattern pattern;
  for (int64_t d = source.Between(1, std::min<int64_t>(3, 4 - rest)); d > 0; --d) {
    const bool nothing = values[0] == 0 && source.Chance(30);
    pattern.sizes.push_back(nothing ? 0 : source.Between(1, 3));
  }
  while (static_cast<int64_t>(pattern.entries.size()) < values[0]) {
    std::vector<int64_t> index;
    for (const int64_t size : pattern.sizes) {
      index.push_back(static_cast<int64_t>(source.Below(static_cast<uint64_t>(size))));
    }
    const bool repeats = !pattern.entries.empty() && source.Chance(30);
    pattern.entries.push_back(repeats ? pattern.entries[0] : index);
  }
  pattern.sizes.insert(pattern.sizes.end(), values.begin() + 1, values.end());
  return pattern;
}

ValueId MakeIndicesOf(Draft& draft, const Pattern& pattern, size_t dims, DeviceIndex device) {
  Bits data;
  for (size_t d = 0; d < dims; ++d) {
    for (const auto& index : pattern.entries) data.push_back(static_cast<uint64_t>(index[d]));
  }
  const Shape shape = {static_cast<int64_t>(dims), static_cast<int64_t>(pattern.entries.size())};
  return draft.Leaf({DType::kI64, shape}, std::move(data), false, device, {2, 0});
}

// Values and indices of a coalesced tensor, and what is made of both again.
ValueId TakeApart(Draft& draft, ValueId coalesced, Opcode op, const Attributes& shape) {
  const bool indices = op == Opcode::kSparseIndices || draft.source().Chance(50);
  const ValueId values = draft.Op(Opcode::kSparseValues, {coalesced});
  const ValueId at = indices ? draft.Op(Opcode::kSparseIndices, {coalesced}) : kNoValue;
  if (values == kNoValue || at == kNoValue) return values;
  const ValueId again = draft.Op(Opcode::kSparseCoo, {values, at}, shape);
  return again == kNoValue ? values : OrSelf(draft.Op(Opcode::kToDense, {again}), values);
}

}  // namespace

bool IsSparse(Opcode op) {
  return twingrad::program::MakesSparse(op) || twingrad::program::TakesSparse(op);
}

ValueId ApplySparse(Draft& draft, ValueId x, Opcode op) {
  Source& source = draft.source();
  const Shape values = draft.ShapeOf(x);
  const bool fits = !values.empty() && values.size() < 4 && draft.DTypeOf(x) != DType::kBool &&
                    (draft.DeviceOf(x) == twingrad::program::kCpu || source.Chance(10)) &&
                    draft.IsRoomy(AfterSum(draft[x].range, draft.NumElements(x)), draft.DTypeOf(x));
  if (!fits) return x;
  const Pattern pattern = DrawPattern(source, values);
  const size_t dims = pattern.sizes.size() - values.size() + 1;
  if (twingrad::program::NumElements({pattern.sizes.begin(), pattern.sizes.end()}) > kMaxResult) {
    return x;
  }
  const ValueId indices = MakeIndicesOf(draft, pattern, dims, draft.DeviceOf(x));
  if (indices == kNoValue) return x;
  const Attributes shape = {{Key::kShape, pattern.sizes}};
  const ValueId sparse = draft.Op(Opcode::kSparseCoo, {x, indices}, shape);
  if (sparse == kNoValue) return x;
  const bool apart = twingrad::program::TakesCoalesced(op) || source.Chance(30);
  ValueId coalesced = kNoValue;
  if (apart || op == Opcode::kCoalesce || source.Chance(30)) {
    const Attributes count = {{Key::kCount, pattern.Different()}};
    coalesced = draft.Op(Opcode::kCoalesce, {sparse}, count);
    if (coalesced != kNoValue && source.Chance(10)) {
      coalesced = OrSelf(draft.Op(Opcode::kCoalesce, {coalesced}, count), coalesced);
    }
  }
  const ValueId part =
      apart && coalesced != kNoValue ? TakeApart(draft, coalesced, op, shape) : kNoValue;
  if (part != kNoValue && op != Opcode::kToDense && source.Chance(60)) return part;
  const ValueId dense = draft.Op(Opcode::kToDense, {OrSelf(coalesced, sparse)});
  return OrSelf(dense, OrSelf(part, x));
}

}  // namespace twingrad::generators
