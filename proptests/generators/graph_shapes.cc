// The shapes of graphs: chains, fans, diamonds, ladders, subgraphs and operands that are shared.

#include <bit>
#include <cstdint>
#include <vector>

#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {

void AddChain(Draft& draft) {
  ValueId x = draft.PickDifferentiable();
  for (int64_t i = draft.source().Between(2, 4); i > 0 && x != kNoValue && draft.HasRoom(); --i) {
    x = ApplyOp(draft, x);
  }
}

void AddLongChain(Draft& draft) {
  Source& source = draft.source();
  ValueId x = draft.PickDifferentiable();
  if (!draft.options().Has(Opcode::kNeg) || !draft.options().Has(Opcode::kMinimum)) return;
  for (int64_t i = source.Between(1000, 2000); i > 0 && x != kNoValue; --i) {
    // Neither makes the numbers larger.
    x = source.Chance(10) ? draft.Op(Opcode::kMinimum, {x, x}) : draft.Op(Opcode::kNeg, {x});
  }
}

namespace {

// What a long graph grows by. None of them makes numbers larger or rounds.
enum class Link : uint8_t { kNegate, kTwoEdges, kShared, kRung };

// The end of a long graph, a scalar; for a ladder the two values of its last rung.
struct LongEnd {
  ValueId x = kNoValue;
  ValueId beside = kNoValue;
};

// Nothing where the op is not among the options.
void AddLink(Draft& draft, Link link, ValueId shared, LongEnd& end) {
  ValueId x = kNoValue;
  switch (link) {
    case Link::kNegate:
      x = draft.Op(Opcode::kNeg, {end.x});
      break;
    case Link::kTwoEdges:
      x = draft.Op(Opcode::kMinimum, {end.x, end.x});
      break;
    case Link::kShared:
      x = draft.Op(Opcode::kMul, {end.x, shared});
      break;
    case Link::kRung: {
      x = draft.Op(Opcode::kMinimum, {end.x, end.beside});
      const ValueId beside = draft.Op(Opcode::kMaximum, {end.x, end.beside});
      if (beside != kNoValue) end.beside = beside;
      break;
    }
  }
  if (x != kNoValue) end.x = x;
}

}  // namespace

void AddLongGraph(Draft& draft, int nodes) {
  Source& source = draft.source();
  LongEnd end{draft.PickDifferentiable()};
  if (end.x != kNoValue && draft.NumElements(end.x) != 1) end.x = SumAll(draft, end.x);
  if (end.x == kNoValue || !draft.IsRoomy(draft[end.x].range, draft.DTypeOf(end.x))) {
    end.x = MakeLeaf(draft, {.shape = Shape{}, .grad = true});
    if (end.x == kNoValue) return;
  }
  // 1, so that products with it leave the numbers as they are.
  const ValueId shared = draft.Leaf(draft.TypeOf(end.x), Bits(1, std::bit_cast<uint64_t>(1.0)),
                                    /*grad=*/true, draft.DeviceOf(end.x),
                                    {.high = 0, .low = 0, .positive = true, .power_of_two = true});
  end.beside = shared;
  // Mostly of one kind: a leaf that is not used by most has less than 65,536 edges.
  static constexpr Link kLinks[] = {Link::kNegate, Link::kTwoEdges, Link::kShared, Link::kRung};
  const Link usual = source.Pick(kLinks);
  const ValueId first = draft.num_values();
  std::vector<ValueId> kept = {shared};
  // Tries are counted, since ops may be refused.
  for (int tries = 0; tries < 8 * nodes && draft.num_values() - first < nodes; ++tries) {
    AddLink(draft, source.Chance(80) ? usual : source.Pick(kLinks), shared, end);
    if (source.Below(static_cast<uint64_t>(nodes) / 4) == 0) kept.push_back(end.x);
  }
  kept.push_back(end.x);
  draft.Forget(first, kept);
}

void AddFanOut(Draft& draft) {
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue) return;
  // Wide ones are rare: more than five contributions to one slot.
  const bool wide = draft.source().Chance(8);
  const int64_t width = wide ? draft.source().Between(6, 9) : draft.source().Between(2, 5);
  ValueId joined = kNoValue;
  for (int64_t i = 0; i < width && draft.HasRoom(); ++i) {
    const ValueId consumer = ApplyOp(draft, x);
    if (consumer == x) continue;
    const ValueId sum = joined == kNoValue ? consumer : Combine(draft, joined, consumer);
    if (sum != kNoValue) joined = sum;
  }
}

void AddDiamond(Draft& draft) {
  ValueId x = draft.PickDifferentiable();
  for (int64_t i = draft.source().Between(1, 2); i > 0 && x != kNoValue && draft.HasRoom(); --i) {
    const ValueId left = ApplyOp(draft, x);
    // The other side is often the value itself: a path of length 0.
    const ValueId right = draft.source().Chance(40) ? x : ApplyOp(draft, x);
    const ValueId tip = Combine(draft, left, right);
    if (tip == kNoValue) return;
    x = tip;
  }
}

void AddLadder(Draft& draft) {
  ValueId below = draft.PickDifferentiable();
  if (below == kNoValue) return;
  ValueId above = ApplyOp(draft, below);
  for (int64_t i = draft.source().Between(2, 3); i > 0 && draft.HasRoom(); --i) {
    const ValueId rung = Combine(draft, above, below);
    if (rung == kNoValue) return;
    below = above;
    above = rung;
  }
}

void AddSharedSubgraph(Draft& draft) {
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue) return;
  const ValueId shared = ApplyOp(draft, x);
  ApplyOp(draft, shared);
  if (draft.HasRoom()) ApplyOp(draft, shared);
}

void AddRepeatedOperand(Draft& draft) {
  Source& source = draft.source();
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue) return;
  const Shape& shape = draft.ShapeOf(x);
  const bool square = (shape.size() == 2 && shape[0] == shape[1]) || shape.size() == 1;
  const Range product = AfterSum(AfterProduct(draft[x].range, draft[x].range), 4);
  if (square && draft.options().Has(Opcode::kMatmul) && source.Chance(50) &&
      draft.IsRoomy(product, draft.DTypeOf(x))) {
    draft.Op(Opcode::kMatmul, {x, x});
    return;
  }
  static constexpr Opcode kOps[] = {Opcode::kMul, Opcode::kAdd, Opcode::kMul,
                                    Opcode::kSub, Opcode::kMul, Opcode::kMaximum};
  const Opcode op = source.Pick(kOps);
  if (!draft.options().Has(op)) return;
  if (draft.IsRoomy(AfterBinary(op, draft[x].range, draft[x].range), draft.DTypeOf(x))) {
    draft.Op(op, {x, x});
  }
}

void AddUnusedInput(Draft& draft) {
  // Later parts may still pick the leaf; most often they do not.
  const ValueId leaf = MakeLeaf(draft, {.grad = true});
  if (leaf != kNoValue && draft.source().Chance(30)) ApplyOp(draft, leaf);
}

}  // namespace twingrad::generators
