#include "proptests/generators/repeated_operand.h"

namespace twingrad::generators {

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

}  // namespace twingrad::generators
