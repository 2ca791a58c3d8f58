#include "autograd/reference/partials.h"

#include <cmath>

#include "autograd/base/check.h"

namespace twingrad::reference {
namespace {

constexpr const Format& kFormat = kDoubleFormat;
constexpr Number kZero{0, 0}, kOne{1, 0}, kTwo{2, 0}, kNothingKnown{0, kUnknown};

Number operator+(Number a, Number b) { return Add(a, b, kFormat); }
Number operator-(Number a) { return Negated(a); }
Number operator-(Number a, Number b) { return Add(a, Negated(b), kFormat); }
Number operator*(Number a, Number b) { return Multiply(a, b, kFormat); }
Number operator/(Number a, Number b) { return Divide(a, b, kFormat); }

bool IsExactly(Number x, double value) { return x.v == value && x.e == 0; }
bool MayBeZero(Number x) { return !(std::fabs(x.v) > x.e); }

// A slope that jumps at 0: `at_zero` there, by convention.
Number Jump(Number x, double below, double at_zero, double above, bool* kink) {
  if (MayBeZero(x)) {
    *kink = true;
    return x.e == 0 && x.v == 0 ? Number{at_zero, 0} : kNothingKnown;
  }
  return {x.v > 0 ? above : below, 0};
}

Partials OfMaximum(const ElementwisePoint& p, bool* kink) {
  const Number difference = p.a - p.b;
  // The difference of exact operands has a certain sign, and is 0 only if they are equal.
  const Number distance = p.a.e == 0 && p.b.e == 0 ? Number{p.a.v - p.b.v, 0} : difference;
  const Number weight = Jump(distance, 0, 0.5, 1, kink);
  return {weight, weight.e == 0 ? kOne - weight : weight, {}, {}, {}};
}

Partials OfPower(const ElementwisePoint& p, bool* kink) {
  const Number a = p.a, b = p.b;
  // pow(nan, 0) is 1 with slope 0, but the NaN that an engine masks there reappears at higher
  // orders.
  if (!std::isfinite(a.v) || !std::isfinite(b.v)) {
    *kink = true;
    return {kNothingKnown, kNothingKnown, kNothingKnown, kNothingKnown, kNothingKnown};
  }
  Partials out{};
  if (!IsExactly(b, 0)) {
    out.a = b * Power(a, b - kOne, kFormat);
    if (!IsExactly(b, 1)) out.aa = b * ((b - kOne) * Power(a, b - kTwo, kFormat));
  }
  if (MayBeZero(b) && b.e != 0) out.a = out.aa = kNothingKnown;
  if (!p.b_varies) return out;
  if (IsExactly(a, 0) && b.v >= 0 && b.e == 0) {
    out.bb = kZero;  // 0^b stays 0
  } else {
    const Number log = Log(a, kFormat);
    out.b = p.result * log;
    out.bb = out.b * log;
    if (!(a.v > a.e)) out.b = out.bb = kNothingKnown;
  }
  // Where the base or the exponent is 0 the mixed derivative depends on which comes first.
  if (MayBeZero(a) || MayBeZero(b)) {
    *kink = true;
    out.ab = out.bb = kNothingKnown;
    if (p.a_varies) out.aa = kNothingKnown;
  } else {
    out.ab = Power(a, b - kOne, kFormat) * (kOne + b * Log(a, kFormat));
  }
  return out;
}

Partials OfDivision(const ElementwisePoint& p) {
  const Number slope = kOne / p.b;
  Partials out{slope, -(p.result * slope), {}, {}, {}};
  out.ab = -(slope * slope);
  out.bb = kTwo * (p.result * (slope * slope));
  return out;
}

Partials OfSqrt(const ElementwisePoint& p, bool* kink) {
  if (MayBeZero(p.a)) {
    *kink = true;
    return {kNothingKnown, {}, kNothingKnown, {}, {}};
  }
  const Number slope = kOne / (kTwo * p.result);
  return {slope, {}, -(slope / (kTwo * p.a)), {}, {}};
}

Partials OfLog(const ElementwisePoint& p, bool* kink) {
  *kink |= MayBeZero(p.a);
  const Number slope = kOne / p.a;
  return {slope, {}, -(slope * slope), {}, {}};
}

Partials OfTanh(const ElementwisePoint& p) {
  const Number slope = kOne - p.result * p.result;
  return {slope, {}, -(kTwo * (p.result * slope)), {}, {}};
}

Partials OfSigmoid(const ElementwisePoint& p) {
  const Number rest = kOne - p.result, slope = p.result * rest;
  return {slope, {}, slope * (rest - p.result), {}, {}};
}

}  // namespace

Partials PartialsOf(Primitive primitive, const ElementwisePoint& p, bool* kink) {
  switch (primitive) {
    case Primitive::kAdd:
      return {kOne, kOne, {}, {}, {}};
    case Primitive::kSubtract:
      return {kOne, -kOne, {}, {}, {}};
    case Primitive::kMultiply:
      return {p.b, p.a, {}, kOne, {}};
    case Primitive::kDivide:
      return OfDivision(p);
    case Primitive::kPower:
      return OfPower(p, kink);
    case Primitive::kMaximum:
      return OfMaximum(p, kink);
    case Primitive::kMinimum: {
      const Partials greater = OfMaximum(p, kink);
      return {greater.b, greater.a, {}, {}, {}};
    }
    case Primitive::kSign:
      *kink |= MayBeZero(p.a);
      return {};
    case Primitive::kNegate:
      return {-kOne, {}, {}, {}, {}};
    case Primitive::kExp:
      return {p.result, {}, p.result, {}, {}};
    case Primitive::kLog:
      return OfLog(p, kink);
    case Primitive::kSqrt:
      return OfSqrt(p, kink);
    case Primitive::kSin:
      return {Cos(p.a, kFormat), {}, -p.result, {}, {}};
    case Primitive::kCos:
      return {-Sin(p.a, kFormat), {}, -p.result, {}, {}};
    case Primitive::kTanh:
      return OfTanh(p);
    case Primitive::kSigmoid:
      return OfSigmoid(p);
    case Primitive::kRelu:
      return {Jump(p.a, 0, 0, 1, kink), {}, {}, {}, {}};
    case Primitive::kAbs:
      return {Jump(p.a, -1, 0, 1, kink), {}, {}, {}, {}};
    case Primitive::kSquaredDifference:
    case Primitive::kClamp:
    case Primitive::kSelect:
    case Primitive::kWeigh:
    case Primitive::kDivideCount:
    case Primitive::kCast:
    case Primitive::kGather:
    case Primitive::kScatterAdd:
    case Primitive::kExtreme:
    case Primitive::kLogSumExp:
    case Primitive::kSoftmax:
    case Primitive::kLogSoftmax:
    case Primitive::kOverwrite:
    case Primitive::kAddAll:
      break;
  }
  AG_CHECK(false, "[reference] primitive ", static_cast<int>(primitive), " has no partials");
}

}  // namespace twingrad::reference
