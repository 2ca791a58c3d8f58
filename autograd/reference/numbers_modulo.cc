// What is left of a when whole multiples of b are taken away.

#include <cmath>
#include <limits>

#include "autograd/reference/numbers.h"

namespace twingrad::reference {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// a - n b exactly, with the sign of b if `floors`, else of a. Adding b may round.
double Rest(double a, double b, bool floors) {
  const double rest = std::fmod(a, b);
  return floors && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Whether a and b may lie on two sides of a jump: at the multiples of b, but for 0 where nothing is
// floored.
bool MayJump(Number a, Number b, double whole, bool floors) {
  const double left = std::fabs(std::fmod(a.v, b.v)), size = std::fabs(b.v);
  const double error = (a.e + (std::fabs(whole) + 1) * b.e) * (1 + 1e-9);
  const bool may_reach_next = !(size - left > error);
  const bool may_reach_last = (floors || std::fabs(a.v) >= size) && !(left > error);
  return may_reach_next || may_reach_last;
}

Number Modulo(Number a, Number b, bool floors, const FloatFormat& f) {
  const bool exact = a.e == 0 && b.e == 0;
  if (std::isnan(a.v) || std::isnan(b.v) || std::isinf(a.v) || b.v == 0) {
    return {kNoNumber, exact ? 0 : kUnknown};
  }
  const double rest = Rounded(Rest(a.v, b.v, floors), f);
  if (std::isinf(b.v)) return {rest, exact ? 0 : kUnknown};
  const Number whole = WholeQuotient(a, b, floors);
  if (whole.e == kUnknown) return {rest, kUnknown};
  if (!exact) return Bounded(rest, a.e + std::fabs(whole.v) * b.e, 1, f);
  const double left = std::fmod(a.v, b.v);
  return rest == left ? Number{rest, 0} : Add({left, 0}, b, f);
}

}  // namespace

Number WholeQuotient(Number a, Number b, bool floors) {
  const bool finite = std::isfinite(a.v) && std::isfinite(b.v);
  if (!finite || !(std::fabs(b.v) > b.e)) return {kNoNumber, kUnknown};
  const double rest = std::fmod(a.v, b.v);
  double whole = (a.v - rest) / b.v;
  // Below, what is rounded is less than half; above, no fraction is left.
  if (std::fabs(whole) < 0x1p51) whole = std::nearbyint(whole);
  if (floors && rest != 0 && (rest < 0) != (b.v < 0)) whole -= 1;
  if ((a.e != 0 || b.e != 0) && MayJump(a, b, whole, floors)) return {whole, kUnknown};
  return {whole, std::fabs(whole) < 0x1p51 || std::isinf(whole) ? 0 : std::fabs(whole) * 0x1p-51};
}

Number Fmod(Number a, Number b, const FloatFormat& f) { return Modulo(a, b, /*floors=*/false, f); }
Number Remainder(Number a, Number b, const FloatFormat& f) {
  return Modulo(a, b, /*floors=*/true, f);
}

}  // namespace twingrad::reference
