#include "proptests/generators/network.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"

namespace twingrad::generators {
namespace {

constexpr int64_t kMostElements = 16;  // of an operand that meets others often
// Of scores, and of what is divided by a deviation: 2^these. Roundings of more say less of results.
constexpr int kMostScore = 3;
constexpr int kMostSpread = 2;

bool Rounds(Draft& draft, ValueId x) { return draft.rounding() && draft.IsFloating(x); }

}  // namespace

ValueId ApplyLinear(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const Shape shape = draft.ShapeOf(x);
  const bool fits = !shape.empty() && shape.size() < 4 && draft.IsFloating(x) &&
                    draft.NumElements(x) <= kMostElements && draft.options().Has(Opcode::kLinear);
  if (!fits) return x;
  const bool is_matrix = shape.size() == 2 && source.Chance(25);
  const int64_t outputs = is_matrix ? shape[0] : source.Between(0, 3);
  const int64_t inputs = shape.back();
  ValueId rows = x, matrix = x;
  if (is_matrix) {
    rows =
        Fellow(draft, x, source.Chance(30) ? Shape{inputs} : Shape{source.Between(1, 2), inputs});
  } else {
    matrix = Fellow(draft, x, {outputs, inputs});
  }
  if (rows == kNoValue || matrix == kNoValue) return x;
  std::vector<ValueId> operands = {rows, matrix};
  Range after = AfterSum(AfterProduct(draft[rows].range, draft[matrix].range), inputs);
  if (source.Chance(60)) {
    const ValueId bias = Fellow(draft, x, {outputs});
    if (bias == kNoValue) return x;
    operands.push_back(bias);
    after = AfterSum(Union(after, draft[bias].range), 2);
  }
  if (!draft.IsRoomy(after, draft.DTypeOf(x))) return x;
  return OrSelf(draft.Op(Opcode::kLinear, operands), x);
}

ValueId ApplyAttention(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const Shape shape = draft.ShapeOf(x);
  const bool fits = shape.size() >= 2 && shape.size() <= 4 && Rounds(draft, x) &&
                    draft.NumElements(x) <= kMostElements && shape.back() > 0 &&
                    draft.options().Has(Opcode::kScaledDotProductAttention);
  if (!fits) return x;
  const size_t last = shape.size() - 1;
  ValueId q = x, k = x, v = x;
  const uint64_t part = source.Below(4);  // x is q, k, v or both of k and v
  Shape other = shape;
  if (part == 0 || shape[last - 1] == 0) {
    other[last - 1] = source.Between(1, 3);
    k = Fellow(draft, x, other);
  } else {
    other[last - 1] = source.Between(1, 3);
    q = Fellow(draft, x, other);
    if (q == kNoValue) return x;
    if (part == 2) k = Fellow(draft, x, shape);
  }
  if (k == kNoValue) return x;
  if (part < 2 || shape[last - 1] == 0) {
    Shape values = draft.ShapeOf(k);
    values[last] = source.Between(0, 3);
    v = Fellow(draft, x, values);
  }
  if (q == kNoValue || v == kNoValue) return x;
  const Range scores = AfterProduct(draft[q].range, draft[k].range);
  if (scores.high > kMostScore || !draft.IsRoomy(scores, draft.DTypeOf(x))) return x;
  Attributes attributes;
  if (source.Chance(50)) attributes.push_back({Key::kCausal, true});
  return OrSelf(draft.Op(Opcode::kScaledDotProductAttention, {q, k, v}, std::move(attributes)), x);
}

ValueId ApplyNorm(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const Shape shape = draft.ShapeOf(x);
  if (shape.empty() || !Rounds(draft, x) || draft[x].range.high > kMostSpread) return x;
  bool has_channels = shape.size() > 1;
  for (size_t d = 1; d < shape.size(); ++d) has_channels &= shape[d] > 0;
  const Opcode op = has_channels
                        ? source.Pick({Opcode::kLayerNorm, Opcode::kGroupNorm, Opcode::kBatchNorm})
                        : Opcode::kLayerNorm;
  if (!draft.options().Has(op)) return x;
  Attributes attributes;
  Shape weights;
  if (op == Opcode::kLayerNorm) {
    const auto count = static_cast<int64_t>(source.Below(shape.size())) + 1;
    weights.assign(shape.end() - count, shape.end());
    attributes.push_back({Key::kCount, count});
  } else {
    weights = {shape[1]};
    if (op == Opcode::kGroupNorm && source.Chance(50)) {
      attributes.push_back({Key::kGroups, shape[1]});
    }
  }
  static constexpr double kEps[] = {0x1p-1, 1, 2};
  attributes.push_back({Key::kEps, source.Chance(4) ? 0x1p-10 : source.Pick(kEps)});
  std::vector<ValueId> operands = {x};
  const int64_t most = source.Between(0, 2);
  for (int64_t k = 0; k < most; ++k) {
    const ValueId next = Fellow(draft, x, weights);
    if (next == kNoValue) return x;
    operands.push_back(next);
  }
  return OrSelf(draft.Op(op, operands, std::move(attributes)), x);
}

ValueId ApplyDropout(Draft& draft, ValueId x) {
  Source& source = draft.source();
  if (!draft.IsFloating(x) || !draft.rounding() || !draft.options().Has(Opcode::kDropout)) return x;
  static constexpr double kShares[] = {0.5, 0.25, 0.75, 0, 0.1};
  const Attributes attributes = {{Key::kBy, source.Pick(kShares)},
                                 {Key::kSeed, source.Between(0, 99)}};
  return OrSelf(draft.Op(Opcode::kDropout, {x}, attributes), x);
}

}  // namespace twingrad::generators
