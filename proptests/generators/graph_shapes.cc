// The shapes of graphs: chains, fans, diamonds, ladders, subgraphs and operands that are shared.

#include <cstdint>

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
  constexpr Opcode kOps[] = {Opcode::kMul, Opcode::kAdd, Opcode::kMul,
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
