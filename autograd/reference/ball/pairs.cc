// Smooth functions of two numbers, from functions of one.

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

}  // namespace twingrad::reference::ball
