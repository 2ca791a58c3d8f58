// Functions of two numbers, from functions of one.

#include <cmath>
#include <utility>

#include <arb.h>

#include "autograd/reference/ball/element.h"

namespace twingrad::reference::ball {
namespace {

// Halves of a last place, as for the functions of one number.
constexpr double kUnitsOfPair = 8;

// The angle of a point that is not on the ray of negative b, where it jumps.
Real AngleOf(const Real& a, const Real& b) {
  const bool beside_ray = a.IsPositive() || a.IsNegative() || b.IsPositive();
  if (!a.IsKnown() || !b.IsKnown() || !beside_ray) return Real::Unknown();
  Real angle;
  arb_atan2(angle.get(), a.get(), b.get(), kBits);
  angle.Normalise();
  return angle;
}

// Bits that hold every whole quotient of two doubles, and its product with one.
constexpr slong kBitsOfQuotient = 2304;

// a - n b, where n is the quotient without its fraction, or the greatest whole number up to it. n
// and the result are unknown where the numbers leave more than one open.
Real RestOf(const Real& a, const Real& b, bool floors, Real* whole) {
  const Real one(1.0);
  Real quotient, rest = Real::Unknown();
  arb_div(quotient.get(), a.get(), b.get(), kBitsOfQuotient);
  *whole = Real();
  if (floors || quotient.IsPositive()) {
    arb_floor(whole->get(), quotient.get(), kBitsOfQuotient);
  } else if (quotient.IsNegative()) {
    arb_ceil(whole->get(), quotient.get(), kBitsOfQuotient);
  } else if (!(one - quotient).IsPositive() || !(one + quotient).IsPositive()) {
    *whole = Real::Unknown();
  }
  if (!whole->IsPoint()) *whole = Real::Unknown();
  arb_mul(quotient.get(), whole->get(), b.get(), kBitsOfQuotient);
  arb_sub(rest.get(), a.get(), quotient.get(), kBitsOfQuotient);
  arb_set_round(rest.get(), rest.get(), kBits);
  rest.Normalise();
  return rest;
}

}  // namespace

// The greater plus log(1 + exp of the difference), which libraries may round as terms that cancel.
Ref Arithmetic::LogAddExp(Ref a, Ref b, DType type) {
  if (a->value.Middle() < b->value.Middle()) std::swap(a, b);
  Ref below = Apply(Function::kSoftplus, Subtract(b, a, type, kInSteps), type, kInSteps);
  const double magnitude = std::fmax(a->run.Magnitude(), b->run.Magnitude()) + 1;
  return Rounded(Add(a, below, type, kInSteps), type, 3 * kUnitsOfPair, magnitude);
}

// Along the greater coordinate the angle is that of a quotient, but for a constant.
Ref Arithmetic::Atan2(Ref a, Ref b, DType type) {
  Element out{AngleOf(a->value, b->value), AngleOf(a->run, b->run), {}};
  const bool steep = std::fabs(a->value.Middle()) > std::fabs(b->value.Middle());
  Ref quotient = steep ? Negate(Divide(b, a, type, kInSteps), type) : Divide(a, b, type, kInSteps);
  out.slope = Apply(Function::kAtan, quotient, type, kInSteps)->slope;
  if (!out.value.IsKnown()) out.slope = UnknownLike(budget_, out.slope);
  Round(out, type, kUnitsOfPair);
  return Keep(std::move(out));
}

// a - n b. At a jump the number lies on one side of it, and so does its series.
Ref Arithmetic::Modulo(Ref a, Ref b, bool floors, DType type) {
  Real whole, of_run;
  Element out{
      RestOf(a->value, b->value, floors, &whole), RestOf(a->run, b->run, floors, &of_run), {}};
  SeriesSum slope(budget_);
  slope.Add(a->slope);
  slope.Add(b->slope, -whole);
  out.slope = slope.Take();
  Round(out, type, 1);
  return Keep(std::move(out));
}

}  // namespace twingrad::reference::ball
