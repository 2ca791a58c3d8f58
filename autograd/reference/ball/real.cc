#include "autograd/reference/ball/real.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <arf.h>
#include <mag.h>

namespace twingrad::reference::ball {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// An arf_t that clears itself.
struct Float {
  arf_t f;
  Float() { arf_init(f); }
  ~Float() { arf_clear(f); }
  Float(const Float&) = delete;
  Float& operator=(const Float&) = delete;
};

double Up(const mag_t magnitude) {
  Float exact;
  arf_set_mag(exact.f, magnitude);
  return arf_get_d(exact.f, ARF_RND_UP);
}

}  // namespace

Real Real::OfInteger(int64_t exact) {
  Real r;
  arb_set_si(r.ball_, exact);
  return r;
}

Real Real::Unknown() {
  Real r;
  arb_indeterminate(r.ball_);
  return r;
}

Real Real::Between(double least, double greatest) { return Hull(Real(least), Real(greatest)); }

double Real::Magnitude() const {
  if (!IsKnown()) return kInfinity;
  mag_t bound;
  mag_init(bound);
  arb_get_mag(bound, ball_);
  const double up = Up(bound);
  mag_clear(bound);
  return up;
}

double Real::Middle() const { return arf_get_d(arb_midref(ball_), ARF_RND_NEAR); }

Enclosure Real::ToEnclosure(const FloatFormat& format) const {
  Enclosure out;
  if (!IsKnown()) return out;
  if (Magnitude() >= BeginOfEnd(format)) {
    Float least;
    arb_get_abs_lbound_arf(least.f, ball_, kBits);
    if (arf_cmpabs_2exp_si(least.f, GreatestExponent(format) + 2) <= 0) return out;
    return {arb_is_negative(ball_) ? -kInfinity : kInfinity, 0, 0};
  }
  out.nearest = Rounded(Middle(), format);
  Float part, piece;
  arf_set_d(piece.f, out.nearest);
  arf_sub(part.f, arb_midref(ball_), piece.f, ARF_PREC_EXACT, ARF_RND_NEAR);
  out.rest = arf_get_d(part.f, ARF_RND_NEAR);
  arf_set_d(piece.f, out.rest);
  arf_sub(part.f, part.f, piece.f, ARF_PREC_EXACT, ARF_RND_NEAR);
  const double lost = arf_is_zero(part.f) ? 0 : std::fabs(out.rest) * 0x1p-52 + 0x1p-1073;
  const double radius = arb_is_exact(ball_) ? 0 : Up(arb_radref(ball_));
  out.radius = lost == 0 ? radius : (radius + lost) * (1 + 0x1p-50);
  return out;
}

void Real::Widen(double by) {
  if (by == 0) return;
  if (!std::isfinite(by)) return arb_indeterminate(ball_);
  mag_t more;
  mag_init(more);
  mag_set_d(more, by);
  arb_add_error_mag(ball_, more);
  mag_clear(more);
}

Real Real::RoundedTo(const FloatFormat& format) const {
  if (!IsKnown()) return Unknown();
  const double magnitude = Magnitude();
  if (magnitude >= BeginOfEnd(format)) return Unknown();
  Float least, greatest;
  arb_get_lbound_arf(least.f, ball_, kBits);
  arb_get_ubound_arf(greatest.f, ball_, kBits);
  for (arf_ptr end : {least.f, greatest.f}) arf_set_round(end, end, format.precision, ARF_RND_NEAR);
  Real r;
  arb_set_interval_arf(r.ball_, least.f, greatest.f, kBits);
  const bool exact = IsPoint() && arb_equal(r.ball_, ball_) &&
                     arf_is_int_2exp_si(arb_midref(ball_), LeastExponent(format));
  if (!exact && magnitude < 0x1p6 * format.smallest_normal) r.Widen(format.tiny);
  return r;
}

Real operator+(const Real& a, const Real& b) {
  Real r;
  arb_add(r.get(), a.get(), b.get(), kBits);
  r.Normalise();
  return r;
}

Real operator-(const Real& a, const Real& b) {
  Real r;
  arb_sub(r.get(), a.get(), b.get(), kBits);
  r.Normalise();
  return r;
}

Real operator*(const Real& a, const Real& b) {
  if (!a.IsKnown() || !b.IsKnown()) return Real::Unknown();
  Real r;
  arb_mul(r.get(), a.get(), b.get(), kBits);
  r.Normalise();
  return r;
}

Real operator/(const Real& a, const Real& b) {
  if (!a.IsKnown() || !b.IsKnown()) return Real::Unknown();
  Real r;
  arb_div(r.get(), a.get(), b.get(), kBits);
  r.Normalise();
  return r;
}

Real operator-(const Real& a) {
  Real r;
  arb_neg(r.get(), a.get());
  return r;
}

Real Hull(const Real& a, const Real& b) {
  if (!a.IsKnown() || !b.IsKnown()) return Real::Unknown();
  if (a.IsPoint() && b.IsPoint() && arb_equal(a.get(), b.get())) return a;
  Real r;
  arb_union(r.get(), a.get(), b.get(), kBits);
  r.Normalise();
  return r;
}

}  // namespace twingrad::reference::ball
