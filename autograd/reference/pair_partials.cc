#include "autograd/reference/pair_partials.h"

#include <cmath>

namespace twingrad::reference {
namespace {

Partials NowhereInPlane(Choices& choices) {
  choices.NoteUndefined();
  Partials out;
  out.a = out.b = out.aa = out.ab = out.bb = kNoDerivative;
  return out;
}

}  // namespace

Partials ByZero(Number a) {
  const Number steep{kUnknown, 0};
  const Number by_divisor = MayBeZero(a) || std::isnan(a.v) ? kNoDerivative : -(a * steep);
  return {.a = steep, .b = by_divisor, .ab = -steep, .bb = -by_divisor};
}

// The slope is the sigmoid of the difference; equal infinities have none.
Partials PartialsOfLogAddExp(const ElementwisePoint& p, Choices& choices) {
  const bool equal_ends = std::isinf(p.a.v) && p.a.v == p.b.v;
  if (equal_ends || std::isnan(p.a.v) || std::isnan(p.b.v)) return NowhereInPlane(choices);
  const Number distance = p.a - p.b;
  const Number share = Sigmoid(distance, kF64Format), rest = Sigmoid(-distance, kF64Format);
  const Number curvature = share * rest;
  return {.a = share, .b = rest, .aa = curvature, .ab = -curvature, .bb = curvature};
}

// b / (a² + b²) and -a / (a² + b²), whose squares may leave the format: by the quotient that is at
// most 1. The second derivatives are products of the first.
Partials PartialsOfAtan2(const ElementwisePoint& p, Choices& choices) {
  const Number a = p.a, b = p.b;
  const bool finite = std::isfinite(a.v) && std::isfinite(b.v);
  if (!finite || (a.v == 0 && a.e == 0 && b.v <= b.e)) {
    return NowhereInPlane(choices);
  }
  const bool flat = std::fabs(a.v) <= std::fabs(b.v);
  const Number quotient = flat ? a / b : b / a;
  const Number steep = kOne / ((kOne + quotient * quotient) * (flat ? b : a));
  Partials out;
  out.a = flat ? steep : quotient * steep;
  out.b = flat ? -(quotient * steep) : -steep;
  out.aa = kTwo * (out.a * out.b);
  out.ab = out.b * out.b - out.a * out.a;
  out.bb = -out.aa;
  return out;
}

// log b and a / b. At b = 0 both are infinite; 0 log b has a slope by b alone, which is not looked
// for where b has no logarithm.
Partials PartialsOfXLogY(const ElementwisePoint& p, Choices& choices) {
  const bool finite = std::isfinite(p.a.v) && std::isfinite(p.b.v);
  if (finite && IsExactly(p.b, 0) && !MayBeZero(p.a)) {
    const Partials steep = ByZero(-p.a);  // a / 0 by b
    return {.a = {-kUnknown, 0}, .b = steep.b, .ab = steep.a, .bb = -steep.b};
  }
  if (!finite || !(p.b.v > p.b.e)) return NowhereInPlane(choices);
  const Number inverse = kOne / p.b, slope = p.a * inverse;
  return {.a = Log(p.b, kF64Format), .b = slope, .ab = inverse, .bb = -(slope * inverse)};
}

Partials PartialsOfModulo(const ElementwisePoint& p, bool floors, Choices& choices) {
  const bool finite = std::isfinite(p.a.v) && std::isfinite(p.b.v);
  if (!finite || IsExactly(p.b, 0)) return NowhereInPlane(choices);
  const Number whole = WholeQuotient(p.a, p.b, floors);
  Partials out;
  out.a = kOne;
  out.b = -whole;
  if (whole.e == kUnknown) {  // on which side of a jump it lies is open, and whether there is one
    out.a = out.b = kNothingKnown;
  }
  out.b_flat = IsExactly(whole, 0);
  return out;
}

}  // namespace twingrad::reference
