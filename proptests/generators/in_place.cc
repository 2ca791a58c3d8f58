#include "proptests/generators/in_place.h"

#include "autograd/program/signature.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"
#include "proptests/generators/view.h"

namespace twingrad::generators {
namespace {

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

bool ApplyInPlace(Draft& draft, ValueId target) {
  Source& source = draft.source();
  constexpr Opcode kExact[] = {Opcode::kMulInPlace,  Opcode::kAddInPlace,  Opcode::kSubInPlace,
                               Opcode::kNegInPlace,  Opcode::kCopyInPlace, Opcode::kMulInPlace,
                               Opcode::kReluInPlace, Opcode::kAddInPlace,  Opcode::kZeroInPlace,
                               Opcode::kDivInPlace,  Opcode::kAbsInPlace};
  constexpr Opcode kRounding[] = {Opcode::kSinInPlace,     Opcode::kTanhInPlace,
                                  Opcode::kSigmoidInPlace, Opcode::kCosInPlace,
                                  Opcode::kExpInPlace,     Opcode::kSqrtInPlace};
  const bool rounding = draft.rounding() && draft.IsFloating(target) && source.Chance(40);
  constexpr Category kCategory = Category::kInPlace;
  const Opcode op = rounding ? PickUnary(source, kRounding, UnaryOps(kCategory, true))
                             : PickUnary(source, kExact, UnaryOps(kCategory, false));
  if (!draft.options().Has(op)) return false;
  if (op == Opcode::kSqrtInPlace && !draft[target].range.positive) return false;
  if (op == Opcode::kExpInPlace && draft[target].range.high > 4) return false;
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

}  // namespace twingrad::generators
