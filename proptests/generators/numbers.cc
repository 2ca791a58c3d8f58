// Numbers: casts between element types, large magnitudes, infinities and NaN, integer arithmetic.

#include <cstdint>
#include <limits>
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
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kHuge = 0x1p100;  // beyond every integer
  Source& source = draft.source();
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue) return;
  const DType dtype = draft.DTypeOf(x);
  Bits data = {FittedBits(source.Pick({kInfinity, -kInfinity, kNan, -0.0, kHuge}), dtype),
               FittedBits(1, dtype)};
  const ValueId leaf = draft.Leaf({dtype, {2}}, std::move(data), source.Chance(50),
                                  draft.DeviceOf(x), {12, -50, false, false, false});
  if (leaf == kNoValue) return;
  if (source.Chance(30)) {
    draft.Op(Opcode::kCast, {leaf}, {{Key::kTo, AnyInteger(draft)}});  // saturates; NaN becomes 0
  } else {
    Combine(draft, x, leaf);
  }
}

// Integers at the ends of their range wrap around.
void AddWrap(Draft& draft) {
  Source& source = draft.source();
  static constexpr int64_t kEnds[] = {std::numeric_limits<int64_t>::max(),
                                      std::numeric_limits<int64_t>::min(), int64_t{1} << 62, 3};
  const DType dtype = AnyInteger(draft);
  const int to_fit = dtype == DType::kI32 ? 32 : 0;
  const auto end = [&] { return static_cast<uint64_t>(source.Pick(kEnds) >> to_fit); };
  Bits data = {end(), end()};
  const ValueId ends =
      draft.Leaf({dtype, {2}}, std::move(data), false, twingrad::program::kCpu, {63 - to_fit, 0});
  if (ends == kNoValue) return;
  const Opcode op = source.Pick({Opcode::kAdd, Opcode::kMul, Opcode::kSub});
  draft.Op(op, {ends, ends});
  draft.Op(source.Pick({Opcode::kNeg, Opcode::kAbs, Opcode::kSum}), {ends});
}

void AddIntegers(Draft& draft) {
  Source& source = draft.source();
  const ValueId a = MakeLeaf(draft, {.dtype = AnyInteger(draft)});
  if (a == kNoValue) return;
  const ValueId b = ApplyOp(draft, a);
  if (!draft.options().Has(Opcode::kCast) || !draft.HasRoom()) return;
  const DType to = source.Chance(30)   ? AnyShortFloat(draft)
                   : source.Chance(15) ? AnyInteger(draft)
                                       : DType::kF64;
  const ValueId cast = draft.Op(Opcode::kCast, {b}, {{Key::kTo, to}});
  if (cast != kNoValue) ApplyOp(draft, cast);
}

// A round trip between floating types, or through integers, which pass no gradient back.
void AddCasts(Draft& draft) {
  Source& source = draft.source();
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue || !draft.options().Has(Opcode::kCast)) return;
  const DType from = draft.DTypeOf(x);
  DType to = from == DType::kF64 || source.Chance(30) ? AnyShortFloat(draft) : DType::kF64;
  if (source.Chance(15)) to = source.Chance(50) ? AnyInteger(draft) : DType::kBool;
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
