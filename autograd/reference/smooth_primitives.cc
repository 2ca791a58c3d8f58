// More functions of one number that are smooth in their domains: for each its value, its derivative
// and its partial derivatives.

#include <cmath>
#include <cstdint>
#include <numbers>

#include "absl/types/span.h"
#include "autograd/reference/elementwise.h"
#include "autograd/reference/primitive_row.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {
namespace {

using program::kSavesA;
using program::kSavesResult;
using program::Opcode;

int64_t WrapSquare(int64_t a) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(a));
}

// Numbers that no format holds, as the nearest double and how far that is at most.
constexpr Number Near(double x) { return {x, x * 0x1p-53}; }
constexpr Number kTwoOverRootPi = Near(2 * std::numbers::inv_sqrtpi);
constexpr Number kLogOf2 = Near(std::numbers::ln2), kLogOf10 = Near(std::numbers::ln10);
constexpr Number kRootOfHalf = Near(std::numbers::sqrt2 / 2);
constexpr Number kDensity = Near(std::numbers::inv_sqrtpi / std::numbers::sqrt2);
constexpr Number kTanhScale = Near(std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
constexpr Number kTanhCubic = Near(0.044715);
constexpr Number kHalf{0.5, 0}, kThree{3, 0};
constexpr Number kSteep{kUnknown, 0};

// The constant as an engine may hold it in the element type of `like`.
Term Held(Number constant, const Term& like) {
  const Array& a = *like.v.data;
  const FloatFormat& format = FormatOf(a.dtype);
  const double v = Rounded(constant.v, format);
  Array* array = NewBoundedArray(like.calculus->arena(), a.dtype, a.shape);
  for (int32_t i = 0; i < a.size; ++i) {
    array->v[i] = v;
    array->e[i] = 2 * format.unit * std::fabs(v);
  }
  return {like.calculus, like.calculus->Constant(array)};
}

// 2 a, whose derivative is a power of a in some dialects.
Term SquareSlope(const Backward& b) {
  const Term slope = 2 * b.in(0);
  if (!b.rules().squares_have_history) return slope;
  Term one = b.in(0);
  one.v.data = one.Filled(1).v.data;
  return slope.Apply(Primitive::kWeigh, one);
}

// Beyond which the slope no longer changes, in the format of doubles: an end that is certain.
bool IsBeyond(double end, Number a) { return std::fabs(a.v) - a.e > end; }
Partials Levelled(Number a, double below, double above) {
  const double slope = a.v < 0 ? below : above;
  return Curve({slope, std::isinf(a.v) ? 0 : kF64Format.smallest_normal},
               {0, std::isinf(a.v) ? 0 : kF64Format.smallest_normal});
}

// 1 - x²
Number OneMinusSquare(Number a) { return (kOne - a) * (kOne + a); }

// Those of the function with the other sign.
Partials Mirrored(const Partials& p) { return Curve(-p.a, -p.aa); }

// asin; acos is this with the other sign.
Partials PartialsOfArc(Number a, Choices& choices) {
  if (a.e == 0 && std::fabs(a.v) == 1) return Curve(kSteep, {std::copysign(kUnknown, a.v), 0});
  if (!(std::fabs(a.v) - a.e <= 1)) return Nowhere(choices);
  const Number rest = OneMinusSquare(a);
  if (MayBeZero(rest)) return Curve(kNothingKnown, kNothingKnown);
  const Number slope = kOne / Sqrt(rest, kF64Format);
  return Curve(slope, a * slope / rest);
}

// 1 / (1 + x²), whose square may leave the format.
Number AtanSlope(Number a) { return IsBeyond(0x1p400, a) ? kOne / a / a : kOne / (kOne + a * a); }

// √(x² + 1)
Number Hypotenuse(Number a) {
  if (std::isinf(a.v)) return Abs(a);
  if (IsBeyond(0x1p400, a)) return Bounded(std::fabs(a.v), a.e, 2, kF64Format);
  return Sqrt(kOne + a * a, kF64Format);
}

Partials PartialsOfAcosh(Number a, Choices& choices) {
  if (IsExactly(a, 1)) return Curve(kSteep, -kSteep);
  if (!(a.v + a.e >= 1)) return Nowhere(choices);
  const Number below = a - kOne;
  if (MayBeZero(below)) return Curve(kNothingKnown, kNothingKnown);
  if (std::isinf(a.v)) return Curve(kZero, kZero);
  const Number slope = kOne / (Sqrt(below, kF64Format) * Sqrt(a + kOne, kF64Format));
  return Curve(slope, -(a * slope * slope * slope));
}

Partials PartialsOfAtanh(Number a, Choices& choices) {
  if (a.e == 0 && std::fabs(a.v) == 1) return Curve(kSteep, {std::copysign(kUnknown, a.v), 0});
  if (!(std::fabs(a.v) - a.e <= 1)) return Nowhere(choices);
  const Number rest = OneMinusSquare(a);
  if (MayBeZero(rest)) return Curve(kNothingKnown, kNothingKnown);
  const Number slope = kOne / rest;
  return Curve(slope, kTwo * (a * slope * slope));
}

Partials PartialsOfErf(Number a) {
  if (IsBeyond(28, a)) return Levelled(a, 0, 0);
  const Number slope = kTwoOverRootPi * Exp(-(a * a), kF64Format);
  return Curve(slope, -(kTwo * (a * slope)));
}

Partials PartialsOfLog(Number a, Number log_of_base, Choices& choices) {
  if (IsExactly(a, 0)) return Curve(kSteep, -kSteep);
  if (!(a.v >= -a.e)) return Nowhere(choices);
  const Number slope = kOne / (a * log_of_base);
  return Curve(slope, -(slope / a));
}

Partials PartialsOfRsqrt(const ElementwisePoint& p, Choices& choices) {
  if (IsExactly(p.a, 0)) return Curve(-kSteep, kSteep);
  if (!(p.a.v >= -p.a.e)) return Nowhere(choices);
  if (MayBeZero(p.a)) return Curve(kNothingKnown, kNothingKnown);
  const Number slope = -(p.result / (kTwo * p.a));
  return Curve(slope, -(kThree * (slope / (kTwo * p.a))));
}

// Of 0 either infinity; its slope is that of both sides.
Partials PartialsOfReciprocal(const ElementwisePoint& p) {
  if (IsExactly(p.a, 0)) return Curve(-kSteep, kSteep);
  const Number r = p.result;
  return Curve(-(r * r), kTwo * (r * (r * r)));
}

Partials PartialsOfSilu(Number a) {
  if (IsBeyond(1000, a)) return Levelled(a, 0, 1);
  const Number s = Sigmoid(a, kF64Format), rest = Sigmoid(-a, kF64Format);
  return Curve(s + a * (s * rest), s * rest * (kTwo + a * (rest - s)));
}

Partials PartialsOfGelu(Number a) {
  if (IsBeyond(40, a)) return Levelled(a, 0, 1);
  const Number share = kHalf * (kOne + Erf(a * kRootOfHalf, kF64Format));
  const Number density = kDensity * Exp(-(kHalf * (a * a)), kF64Format);
  return Curve(share + a * density, density * (kTwo - a * a));
}

Partials PartialsOfGeluTanh(Number a) {
  if (IsBeyond(40, a)) return Levelled(a, 0, 1);
  const Number square = a * a;
  const Number t = Tanh(kTanhScale * (a + kTanhCubic * (square * a)), kF64Format);
  const Number rest = kOne - t * t;
  const Number once = kTanhScale * (kOne + kThree * (kTanhCubic * square));
  const Number twice = Number{6, 0} * (kTanhScale * (kTanhCubic * a));
  return Curve(kHalf * (kOne + t) + kHalf * (a * (rest * once)),
               rest * once + kHalf * (a * (rest * (twice - kTwo * (t * (once * once))))));
}

// x, but `end` where it is greater: beyond it the slope does not change, and infinities would make
// NaN of the formula.
Term Within(double end, const Term& x) {
  return x.Apply(Primitive::kClamp, {.low = -end, .high = end});
}

Term SiluSlope(const Term& operand) {
  const Term a = Within(1000, operand);
  const Term s = a.Apply(Primitive::kSigmoid);
  return s * (a.Filled(1) + a * (1 - s));
}

Term GeluSlope(const Term& operand) {
  const Term a = Within(64, operand);
  const Term share = 0.5 * (a.Filled(1) + (Held(kRootOfHalf, a) * a).Apply(Primitive::kErf));
  const Term density = Held(kDensity, a) * (-(0.5 * (a * a))).Apply(Primitive::kExp);
  return share + a * density;
}

Term GeluTanhSlope(const Term& operand) {
  const Term a = Within(64, operand);
  const Term scale = Held(kTanhScale, a), cubic = Held(kTanhCubic, a), square = a * a;
  const Term t = (scale * (a + cubic * (square * a))).Apply(Primitive::kTanh);
  const Term once = scale * (a.Filled(1) + 3 * (cubic * square));
  return 0.5 * (a.Filled(1) + t) + 0.5 * (a * ((1 - t * t) * once));
}

Term ErfSlope(const Term& operand) {
  const Term a = Within(64, operand);
  return Held(kTwoOverRootPi, a) * (-(a * a)).Apply(Primitive::kExp);
}

using P = const ElementwisePoint&;
using B = const Backward&;
using C = Choices&;

constexpr PrimitiveRow kSmoothRows[] = {
    {Primitive::kTan, Opcode::kTan, 1, kSavesResult, UnaryValue<Tan>,
     [](B b) {
       const Term r = b.result();
       return b.g * (r.Filled(1) + r * r);
     },
     [](P p, C) {
       const Number slope = kOne + p.result * p.result;
       return Curve(slope, kTwo * (p.result * slope));
     }},
    {Primitive::kAsin, Opcode::kAsin, 1, kSavesA, UnaryValue<Asin>,
     [](B b) { return b.g / (1 - b.in(0) * b.in(0)).Apply(Primitive::kSqrt); },
     [](P p, C choices) { return PartialsOfArc(p.a, choices); }},
    {Primitive::kAcos, Opcode::kAcos, 1, kSavesA, UnaryValue<Acos>,
     [](B b) { return -(b.g / (1 - b.in(0) * b.in(0)).Apply(Primitive::kSqrt)); },
     [](P p, C choices) { return Mirrored(PartialsOfArc(p.a, choices)); }},
    {Primitive::kAtan, Opcode::kAtan, 1, kSavesA, UnaryValue<Atan>,
     [](B b) { return b.g / (b.in(0).Filled(1) + b.in(0) * b.in(0)); },
     [](P p, C) {
       const Number slope = AtanSlope(p.a);
       return Curve(slope, -(kTwo * (p.a * slope * slope)));
     }},
    {Primitive::kSinh, Opcode::kSinh, 1, kSavesA, UnaryValue<Sinh>,
     [](B b) { return b.g * b.in(0).Apply(Primitive::kCosh); },
     [](P p, C) { return Curve(Cosh(p.a, kF64Format), p.result); }},
    {Primitive::kCosh, Opcode::kCosh, 1, kSavesA, UnaryValue<Cosh>,
     [](B b) { return b.g * b.in(0).Apply(Primitive::kSinh); },
     [](P p, C) { return Curve(Sinh(p.a, kF64Format), p.result); }},
    {Primitive::kAsinh, Opcode::kAsinh, 1, kSavesA, UnaryValue<Asinh>,
     [](B b) {
       const Term a = b.in(0);
       return b.g / (a * a + a.Filled(1)).Apply(Primitive::kSqrt);
     },
     [](P p, C) {
       const Number slope = kOne / Hypotenuse(p.a);
       return Curve(slope, -(p.a * slope * slope * slope));
     }},
    {Primitive::kAcosh, Opcode::kAcosh, 1, kSavesA, UnaryValue<Acosh>,
     [](B b) { return b.g / (b.in(0) * b.in(0) - 1).Apply(Primitive::kSqrt); },
     [](P p, C choices) { return PartialsOfAcosh(p.a, choices); }},
    {Primitive::kAtanh, Opcode::kAtanh, 1, kSavesA, UnaryValue<Atanh>,
     [](B b) { return b.g / (1 - b.in(0) * b.in(0)); },
     [](P p, C choices) { return PartialsOfAtanh(p.a, choices); }},
    {Primitive::kErf, Opcode::kErf, 1, kSavesA, UnaryValue<Erf>,
     [](B b) { return b.g * ErfSlope(b.in(0)); }, [](P p, C) { return PartialsOfErf(p.a); }},
    {Primitive::kErfc, Opcode::kErfc, 1, kSavesA, UnaryValue<Erfc>,
     [](B b) { return -(b.g * ErfSlope(b.in(0))); },
     [](P p, C) { return Mirrored(PartialsOfErf(p.a)); }},
    {Primitive::kExpm1, Opcode::kExpm1, 1, kSavesResult, UnaryValue<Expm1>,
     [](B b) { return b.g * (b.result() + b.result().Filled(1)); },
     [](P p, C) { return Curve(Exp(p.a, kF64Format), Exp(p.a, kF64Format)); }},
    {Primitive::kLog1p, Opcode::kLog1p, 1, kSavesA, UnaryValue<Log1p>,
     [](B b) { return b.g / (b.in(0).Filled(1) + b.in(0)); },
     [](P p, C choices) { return PartialsOfLog(kOne + p.a, kOne, choices); }},
    {Primitive::kLog2, Opcode::kLog2, 1, kSavesA, UnaryValue<Log2>,
     [](B b) { return b.g / (b.in(0) * Held(kLogOf2, b.in(0))); },
     [](P p, C choices) { return PartialsOfLog(p.a, kLogOf2, choices); }},
    {Primitive::kLog10, Opcode::kLog10, 1, kSavesA, UnaryValue<Log10>,
     [](B b) { return b.g / (b.in(0) * Held(kLogOf10, b.in(0))); },
     [](P p, C choices) { return PartialsOfLog(p.a, kLogOf10, choices); }},
    {Primitive::kExp2, Opcode::kExp2, 1, kSavesResult, UnaryValue<Exp2>,
     [](B b) { return b.g * (b.result() * Held(kLogOf2, b.result())); },
     [](P p, C) { return Curve(kLogOf2 * p.result, kLogOf2 * (kLogOf2 * p.result)); }},
    {Primitive::kRsqrt, Opcode::kRsqrt, 1, kSavesResult, UnaryValue<Rsqrt>,
     [](B b) {
       const Term r = b.result();
       return b.g * (-0.5 * r * (r * r));
     },
     [](P p, C choices) { return PartialsOfRsqrt(p, choices); }},
    {Primitive::kReciprocal, Opcode::kReciprocal, 1, kSavesResult, UnaryValue<Reciprocal>,
     [](B b) {
       const Term r = b.result();
       return -(b.g * (r * r));
     },
     [](P p, C) { return PartialsOfReciprocal(p); }},
    {Primitive::kSquare, Opcode::kSquare, 1, kSavesA, UnaryValue<Square, WrapSquare>,
     [](B b) { return b.g * SquareSlope(b); }, [](P p, C) { return Curve(kTwo * p.a, kTwo); }},
    {Primitive::kSilu, Opcode::kSilu, 1, kSavesA, UnaryValue<Silu>,
     [](B b) { return b.g * SiluSlope(b.in(0)); }, [](P p, C) { return PartialsOfSilu(p.a); }},
    {Primitive::kSoftplus, Opcode::kSoftplus, 1, kSavesA, UnaryValue<Softplus>,
     [](B b) { return b.g * b.in(0).Apply(Primitive::kSigmoid); },
     [](P p, C) {
       const Number s = Sigmoid(p.a, kF64Format);
       return Curve(s, s * Sigmoid(-p.a, kF64Format));
     }},
    {Primitive::kGelu, Opcode::kGelu, 1, kSavesA, UnaryValue<Gelu>,
     [](B b) { return b.g * GeluSlope(b.in(0)); }, [](P p, C) { return PartialsOfGelu(p.a); }},
    {Primitive::kGeluTanh, Opcode::kGeluTanh, 1, kSavesA, UnaryValue<GeluTanh>,
     [](B b) { return b.g * GeluTanhSlope(b.in(0)); },
     [](P p, C) { return PartialsOfGeluTanh(p.a); }},
};

static_assert(AreRowsOf(kSmoothRows, Primitive::kTan, Primitive::kSinc),
              "in the order of Primitive");
static_assert(NameEveryOp(kSmoothRows, 1, Opcode::kTan, Opcode::kSinc),
              "a row for each of these elementwise statements");

}  // namespace

absl::Span<const PrimitiveRow> SmoothPrimitives() { return kSmoothRows; }

}  // namespace twingrad::reference
