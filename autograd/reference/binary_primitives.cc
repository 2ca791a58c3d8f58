// Functions of two numbers: for each its value, its derivative and its partial derivatives.

#include <cmath>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "autograd/reference/elementwise.h"
#include "autograd/reference/pair_partials.h"
#include "autograd/reference/primitive_row.h"
#include "autograd/reference/weights.h"

namespace twingrad::reference {
namespace {

using program::kSavesA;
using program::kSavesAForB;
using program::kSavesB;
using program::kSavesBForA;
using program::kSavesBForB;
using program::kSavesNothing;
using program::kSavesResultForB;
using program::Opcode;

int64_t WrapSubtract(int64_t a, int64_t b) { return WrapAdd(a, WrapNegate(b)); }
int64_t WrapMultiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t WrapPower(int64_t base, int64_t exponent) {
  if (exponent < 0) throw DomainError();
  int64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = WrapMultiply(result, base);
    base = WrapMultiply(base, base);
  }
  return result;
}
int64_t Greater(int64_t a, int64_t b) { return a < b ? b : a; }
int64_t Lesser(int64_t a, int64_t b) { return b < a ? b : a; }

Number Greatest(Number a, Number b, const FloatFormat&) { return Maximum(a, b); }
Number Least(Number a, Number b, const FloatFormat&) { return Minimum(a, b); }
Number SquaredDifference(Number a, Number b, const FloatFormat& f) {
  const Number difference = Subtract(a, b, f);
  return Multiply(difference, difference, f);
}

// g b a^(b-1) and g a^b log a. Where a^b is flat although a factor is no number, the factor is
// taken at a = 1 instead, so that all further derivatives there are 0 too.
Term DerivativeOfPower(const Backward& x) {
  const Term a = x.in(0), b = x.in(1);
  Arena& arena = x.calculus.arena();
  Variable flat, steep;
  const auto choose = [&](const Variable& where, const Term& there, const Term& elsewhere) -> Term {
    return {&x.calculus, x.calculus.Apply(Primitive::kSelect, there.v, elsewhere.v, where)};
  };
  const auto select = [&](double there, const Term& elsewhere) {
    return choose(flat, elsewhere.Filled(there), elsewhere);
  };
  // In some dialects the derivatives of a^(b-1) and log a lead past this choice, to a.
  const auto base_of = [&](const Term& whole) -> Term {
    const Term base = select(1, whole);
    if (base.v.tracked && !x.rules().factors_are_saved) {
      x.calculus.nodes()[base.v.node].saves = false;
    }
    return base;
  };
  if (x.which == 0) {
    flat.data = IsFlatInBase(arena, a.v.data, b.v.data);
    steep.data = IsSteepInBase(arena, a.v.data, b.v.data);
    const Term base = base_of(a);
    Term factor = b, exponent = b - 1;
    if (steep.data != nullptr) {  // g (b / a) a^b: a^(b-1) is beyond the format
      factor = choose(steep, b / choose(steep, a, a.Filled(1)), b);
      exponent = choose(steep, b, exponent);
    }
    const Term power = base.Apply(Primitive::kPower, exponent);
    const Term scaled = x.g * factor;
    return select(0, scaled * power);
  }
  flat.data = IsFlatInExponent(arena, a.v.data, b.v.data);
  const Term log = base_of(a).Apply(Primitive::kLog);
  return x.g * x.result() * log;
}

// By the base: b a^(b-1) and b (b-1) a^(b-2), of which a factor 0 leaves nothing whatever a is.
void PowerByBase(Number a, Number b, Partials* out) {
  // Rounding can make the exponents of the derivatives whole, below.
  if (a.v < -a.e && b.e == 0 && b.v != std::trunc(b.v)) {
    out->a = out->aa = kNoDerivative;
    return;
  }
  const auto slope = [&](Number factor, Number exponent) -> Number {
    if (IsExactly(factor, 0)) return kZero;
    // Above 0, a root is infinitely steep.
    if (IsExactly(a, 0) && exponent.v < -exponent.e) {
      return b.v > 0 ? Number{std::copysign(kUnknown, factor.v), 0} : kNoDerivative;
    }
    return factor * Power(a, exponent, kF64Format);
  };
  out->a = slope(b, b - kOne);
  out->aa = slope(b * (b - kOne), b - kTwo);
}

// a^b log a and what follows from it. Of 0 to a positive power nothing changes with the power;
// where it is undefined to others, or a is negative, there is no derivative.
void PowerByExponent(const ElementwisePoint& p, Partials* out) {
  const Number a = p.a, b = p.b;
  if (IsExactly(a, 0) && b.v > b.e) {
    out->ab = b.v - b.e > 1 ? kZero : kNoDerivative;
    return;
  }
  const bool positive = a.v > a.e, may_be_positive = a.v + a.e > 0;
  if (!positive || std::isinf(a.v)) {
    out->b = out->bb = out->ab = may_be_positive && a.e > 0 ? kNothingKnown : kNoDerivative;
    return;
  }
  const Number log = Log(a, kF64Format);
  out->b = p.result * log;
  out->bb = out->b * log;
  out->ab = Power(a, b - kOne, kF64Format) * (kOne + b * log);
}

Partials PartialsOfPower(const ElementwisePoint& p, Choices& choices) {
  Partials out{};
  PowerByBase(p.a, p.b, &out);
  // a^0 is 1 whatever a is.
  out.a_flat = IsExactly(p.b, 0);
  out.a_may_be_nan = out.a_flat && std::isnan(p.a.v);
  out.b_flat = IsExactly(p.a, 0);
  if (p.b_varies) PowerByExponent(p, &out);
  const bool both = p.a_varies && p.b_varies;
  bool undefined = (p.a_varies && std::isnan(out.a.v)) || (p.b_varies && std::isnan(out.b.v));
  if (p.order > 1) {
    undefined |= (p.a_varies && std::isnan(out.aa.v)) || (p.b_varies && std::isnan(out.bb.v)) ||
                 (both && std::isnan(out.ab.v));
  }
  if (undefined) choices.NoteUndefined();
  return out;
}

Term DerivativeOfExtreme(const Backward& b) {
  return b.g.Weighed(MaximumWeight(b.calculus.arena(), b.elements(0), b.elements(1), b.which,
                                   b.step.primitive == Primitive::kMinimum));
}

// The slope of the greater operand is 1. Where the two are equal, what one has the other lacks.
Partials PartialsOfMaximum(const ElementwisePoint& p, Kink kink, Choices& choices) {
  // The difference of exact operands has a certain sign, and is 0 only if they are equal.
  Number distance = p.a.e == 0 && p.b.e == 0 ? Number{p.a.v - p.b.v, 0} : p.a - p.b;
  if (p.a.v == p.b.v && std::isnan(distance.v)) distance = {0, p.a.e + p.b.e};
  const Slope slope = Jump(distance, 0, 0.5, 1, kink, choices);
  const Number weight = slope.value;
  Partials out;
  out.a = weight;
  out.b = weight.e == 0 ? kOne - weight : weight;
  out.a_spread = out.b_spread = slope.spread;
  out.a_flat = slope.flat;
  out.b_flat = !MayBeZero(distance) && IsExactly(out.b, 0);
  return out;
}

// g and -n g: the whole number n jumps only where the function does.
template <bool kFloors>
Term DerivativeOfModulo(const Backward& x) {
  if (x.which == 0) return x.g;
  return -x.g.Weighed(WholeQuotients(x.calculus.arena(), x.elements(0), x.elements(1), kFloors));
}

template <bool kFloors>
Partials PartialsOfModulo(const ElementwisePoint& p, Choices& choices) {
  return PartialsOfModulo(p, kFloors, choices);
}

constexpr PrimitiveRow kBinaryRows[] = {
    {Primitive::kAdd, Opcode::kAdd, 2, kSavesNothing, BinaryValue<Add, WrapAdd>,
     [](const Backward& b) { return b.g; },
     [](const ElementwisePoint&, Choices&) -> Partials { return {.a = kOne, .b = kOne}; }},

    {Primitive::kSubtract, Opcode::kSub, 2, kSavesNothing, BinaryValue<Subtract, WrapSubtract>,
     [](const Backward& b) { return b.which == 0 ? b.g : -b.g; },
     [](const ElementwisePoint&, Choices&) -> Partials { return {.a = kOne, .b = -kOne}; }},

    {Primitive::kMultiply, Opcode::kMul, 2, kSavesAForB | kSavesBForA,
     BinaryValue<Product, WrapMultiply>,
     [](const Backward& b) {
       return b.g.Apply(Primitive::kMultiply, b.in(1 - b.which), b.step.arguments);
     },
     [](const ElementwisePoint& p, Choices&) -> Partials {
       return {.a = p.b, .b = p.a, .ab = kOne};
     }},

    {Primitive::kDivide, Opcode::kDiv, 2, kSavesAForB | kSavesB, BinaryValue<Quotient>,
     [](const Backward& x) {
       const Term b = x.in(1);
       if (x.which == 0) return x.g / b;
       const Term a = x.in(0);
       return -(x.g * (a / b / b));  // b * b may leave the format where this does not
     },
     [](const ElementwisePoint& p, Choices&) -> Partials {
       if (IsExactly(p.b, 0)) return ByZero(p.a);
       const Number slope = kOne / p.b;
       return {.a = slope,
               .b = -(p.result * slope),
               .ab = -(slope * slope),
               .bb = kTwo * (p.result * (slope * slope))};
     }},

    {Primitive::kPower, Opcode::kPow, 2, kSavesA | kSavesB | kSavesResultForB,
     BinaryValue<Power, WrapPower, /*kExactSecond=*/true>, DerivativeOfPower, PartialsOfPower},

    {Primitive::kMaximum, Opcode::kMaximum, 2, kSavesA | kSavesB, BinaryValue<Greatest, Greater>,
     DerivativeOfExtreme,
     [](const ElementwisePoint& p, Choices& choices) {
       return PartialsOfMaximum(p, Kink::kMaximum, choices);
     }},

    {Primitive::kMinimum, Opcode::kMinimum, 2, kSavesA | kSavesB, BinaryValue<Least, Lesser>,
     DerivativeOfExtreme,
     [](const ElementwisePoint& p, Choices& choices) {
       return PartialsOfMaximum({-p.a, -p.b, {}}, Kink::kMinimum, choices);
     }},

    {Primitive::kLogAddExp, Opcode::kLogaddexp, 2, kSavesA | kSavesB, BinaryValue<LogAddExp>,
     [](const Backward& x) {
       const Term share = (x.in(x.which) - x.in(1 - x.which)).Apply(Primitive::kSigmoid);
       return x.g * share.Weighed(NearOne(x.calculus.arena(), x.elements(0), x.elements(1)));
     },
     PartialsOfLogAddExp},

    {Primitive::kAtan2, Opcode::kAtan2, 2, kSavesA | kSavesB, BinaryValue<Atan2>,
     [](const Backward& x) {
       // What stands above the line has a gradient of its own, which an engine may sum by itself
       // where the operand was broadcast.
       const Term a = x.in(0), b = x.in(1);
       const Term above = x.which == 0 ? x.in(1) : -x.in(0);
       return x.g * (above / (a * a + b * b));
     },
     PartialsOfAtan2},

    {Primitive::kXLogY, Opcode::kXlogy, 2, kSavesA | kSavesB, BinaryValue<XLogY>,
     [](const Backward& x) {
       return x.g * (x.which == 0 ? x.in(1).Apply(Primitive::kLog) : x.in(0) / x.in(1));
     },
     PartialsOfXLogY},

    {Primitive::kFmod, Opcode::kFmod, 2, kSavesAForB | kSavesBForB, BinaryValue<Fmod>,
     DerivativeOfModulo<false>, PartialsOfModulo<false>},

    {Primitive::kRemainder, Opcode::kRemainder, 2, kSavesAForB | kSavesBForB,
     BinaryValue<Remainder>, DerivativeOfModulo<true>, PartialsOfModulo<true>},

    {Primitive::kSquaredDifference, std::nullopt, 2, kSavesA | kSavesB,
     BinaryValue<SquaredDifference>,
     [](const Backward& b) {
       const Term difference = b.in(b.which) - b.in(1 - b.which);
       return b.g * (2 * difference);
     }},
};

static_assert(AreRowsOf(kBinaryRows, Primitive::kAdd, Primitive::kNegate),
              "in the order of Primitive");
static_assert(NameEveryOp(kBinaryRows, 2), "a row for each elementwise statement of two operands");

}  // namespace

absl::Span<const PrimitiveRow> BinaryPrimitives() { return kBinaryRows; }

}  // namespace twingrad::reference
