// Numbers: casts between element types, large magnitudes, infinities and NaN, integer arithmetic.

#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/program/signature.h"
#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Category;
using twingrad::program::UnaryOps;

// The only part that makes non-finite values; rare, because most results computed from them are not
// finite either.
void AddNotFinite(Draft& draft) {
  constexpr uint64_t kInfinity = 0x7ff0000000000000;
  constexpr uint64_t kNegativeInfinity = 0xfff0000000000000;
  constexpr uint64_t kNan = 0x7ff8000000000000;
  constexpr uint64_t kNegativeZero = 0x8000000000000000;
  constexpr uint64_t kOne = 0x3ff0000000000000;
  constexpr uint64_t kHuge = 0x4630000000000000;  // 2^100: beyond every integer
  Source& source = draft.source();
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue) return;
  Bits data = {source.Pick({kInfinity, kNegativeInfinity, kNan, kNegativeZero, kHuge}), kOne};
  const ValueId leaf = draft.Leaf({draft.DTypeOf(x), {2}}, std::move(data), source.Chance(50),
                                  draft.DeviceOf(x), {12, -50, false, false, false});
  if (leaf == kNoValue) return;
  if (source.Chance(30)) {
    draft.Op(Opcode::kCast, {leaf}, {{Key::kTo, DType::kI64}});  // saturates; NaN becomes 0
  } else {
    Combine(draft, x, leaf);
  }
}

// i64 at the ends of its range wraps around.
void AddWrap(Draft& draft) {
  Source& source = draft.source();
  constexpr uint64_t kEnds[] = {0x7fffffffffffffff, 0x8000000000000000, 0x4000000000000000, 3};
  Bits data = {source.Pick(kEnds), source.Pick(kEnds)};
  const ValueId ends =
      draft.Leaf({DType::kI64, {2}}, std::move(data), false, twingrad::program::kCpu, {63, 0});
  if (ends == kNoValue) return;
  const Opcode op = source.Pick({Opcode::kAdd, Opcode::kMul, Opcode::kSub});
  draft.Op(op, {ends, ends});
  draft.Op(source.Pick({Opcode::kNeg, Opcode::kAbs, Opcode::kSum}), {ends});
}

void AddIntegers(Draft& draft) {
  Source& source = draft.source();
  const ValueId a = MakeLeaf(draft, {.dtype = DType::kI64});
  if (a == kNoValue) return;
  const ValueId b = ApplyOp(draft, a);
  if (!draft.options().Has(Opcode::kCast) || !draft.HasRoom()) return;
  const DType to = source.Chance(30) ? DType::kF32 : DType::kF64;
  const ValueId cast = draft.Op(Opcode::kCast, {b}, {{Key::kTo, to}});
  if (cast != kNoValue) ApplyOp(draft, cast);
}

// A round trip between f32 and f64, or through integers, which pass no gradient back.
void AddCasts(Draft& draft) {
  Source& source = draft.source();
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue || !draft.options().Has(Opcode::kCast)) return;
  const DType from = draft.DTypeOf(x);
  DType to = from == DType::kF64 ? DType::kF32 : DType::kF64;
  if (source.Chance(15)) to = source.Chance(50) ? DType::kI64 : DType::kBool;
  const ValueId cast = draft.Op(Opcode::kCast, {x}, {{Key::kTo, to}});
  if (cast == kNoValue) return;
  const ValueId y = twingrad::IsFloating(to) && source.Chance(60) ? ApplyOp(draft, cast) : cast;
  const ValueId back = draft.Op(Opcode::kCast, {y}, {{Key::kTo, from}});
  if (back != kNoValue) Combine(draft, x, back);
}

// Powers at the bases and exponents where a factor of the derivative is 0, or has no value.
void AddPowers(Draft& draft) {
  Source& source = draft.source();
  const Shape shape = {source.Between(1, 4)};
  const ValueId base = MakeLeaf(
      draft, {.dtype = DType::kF64,
              .shape = shape,
              .device = twingrad::program::kCpu,
              .grad = source.Chance(80),
              .content = source.Pick({Content::kZeroOneTwo, Content::kSmall, Content::kPositive})});
  const ValueId exponent = MakeLeaf(draft, {.dtype = DType::kF64,
                                            .shape = source.Chance(60) ? Shape{} : shape,
                                            .device = twingrad::program::kCpu,
                                            .grad = draft.rounding() && source.Chance(50),
                                            .content = Content::kExponents});
  if (base != kNoValue && exponent != kNoValue) draft.Op(Opcode::kPow, {base, exponent});
}

// Ops where their results or the factors of their derivatives overflow, vanish or have no value.
void AddFarOut(Draft& draft) {
  Source& source = draft.source();
  const auto make = [&](bool grad) {
    const Content content = source.Pick(
        {Content::kHuge, Content::kTiny, Content::kHuge, Content::kNotFinite, Content::kLarge});
    return MakeLeaf(draft, {.dtype = DType::kF64,
                            .shape = Shape{source.Between(1, 4)},
                            .device = twingrad::program::kCpu,
                            .grad = grad,
                            .content = content});
  };
  const ValueId x = make(true);
  if (x == kNoValue) return;
  const Attributes dim = {{Key::kDim, int64_t{0}}};
  const Attributes dims = {{Key::kDims, std::vector<int64_t>{0}}};
  ValueId y = kNoValue;
  switch (draft.Below(Choice::kFarOut, 8)) {
    case 0:
      y = draft.Op(Opcode::kSoftmax, {x}, dim);
      break;
    case 1:
      y = draft.Op(Opcode::kLogSoftmax, {x}, dim);
      break;
    case 2:
      y = draft.Op(Opcode::kLogsumexp, {x}, dims);
      break;
    case 3:
    case 4: {
      const ValueId other = make(source.Chance(60));
      if (other == kNoValue || !Broadcast(draft.ShapeOf(x), draft.ShapeOf(other))) return;
      y = draft.Op(source.Pick({Opcode::kDiv, Opcode::kPow}), {x, other});
      break;
    }
    default:
      y = draft.Op(source.Pick(UnaryOps(Category::kElementwise, /*rounds=*/true)), {x});
      break;
  }
  if (y != kNoValue && source.Chance(40)) draft.Op(Opcode::kSum, {y});
}

}  // namespace

void AddNumbers(Draft& draft) {
  Source& source = draft.source();
  if (MayBeExtreme(draft) && source.Chance(40)) {
    if (!draft.rounding() || source.Chance(40)) return AddPowers(draft);
    return AddFarOut(draft);
  }
  const uint64_t draw = source.Below(20);
  if (draw == 19) {
    AddNotFinite(draft);
  } else if (draw == 18) {
    AddWrap(draft);
  } else if (draw >= 14) {
    AddIntegers(draft);
  } else if (draw >= 10) {
    const ValueId leaf = MakeLeaf(draft, {.grad = true, .content = Content::kLarge});
    if (leaf != kNoValue) ApplyOp(draft, leaf);
  } else {
    AddCasts(draft);
  }
}

}  // namespace twingrad::generators
