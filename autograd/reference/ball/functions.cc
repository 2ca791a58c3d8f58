// The functions of triangles and hyperbolas, erf, and those of neural networks as power series.

#include <algorithm>

#include <arb_hypgeom.h>

#include "autograd/base/check.h"
#include "autograd/reference/ball/elementary.h"
#include "autograd/reference/ball/polynomial.h"

namespace twingrad::reference::ball {
namespace {

// By a function of arb.
Real By(void (*function)(arb_t, const arb_t, slong), const Real& at) {
  Real r;
  function(r.get(), at.get(), kBits);
  r.Normalise();
  return r;
}

// p + number, p times number.
void Add(Polynomial& p, const Real& number) {
  Real first;
  arb_poly_get_coeff_arb(first.get(), p.p, 0);
  arb_poly_set_coeff_arb(p.p, 0, (first + number).get());
}
void Scale(Polynomial& p, const Real& number) {
  arb_poly_scalar_mul(p.p, p.p, number.get(), kBits);
}

Real LogOf2() {
  Real log;
  arb_const_log2(log.get(), kBits);
  return log;
}
Real LogOf10() {
  Real log;
  arb_const_log10(log.get(), kBits);
  return log;
}

// The logarithm to a base, given that base's.
void Logarithm(Polynomial& out, const Polynomial& x, const Real& log_of_base, slong length) {
  arb_poly_log_series(out.p, x.p, length, kBits);
  Scale(out, Real(1.0) / log_of_base);
}

Real RootOfHalf() { return By(arb_sqrt, Real(0.5)); }

// √(2/π) · 2, which scales the argument of gelu's approximation, and 0.044715.
Real TwiceTanhScale() {
  Real pi;
  arb_const_pi(pi.get(), kBits);
  return By(arb_sqrt, Real(8.0) / pi);
}
Real TanhCubic() { return Real(44715.0) / Real(1e6); }

// log(x + √(x² + sign)), for x that is not negative.
void LogOfSum(Polynomial& out, const Polynomial& x, int sign, slong length) {
  Polynomial root;
  arb_poly_mullow(root.p, x.p, x.p, length, kBits);
  Add(root, Real(static_cast<double>(sign)));
  arb_poly_sqrt_series(root.p, root.p, length, kBits);
  arb_poly_add(root.p, root.p, x.p, kBits);
  arb_poly_log_series(out.p, root.p, length, kBits);
}

// It is odd: of negative x, x + √(x² + 1) would cancel.
void Asinh(Polynomial& out, const Polynomial& x, const Real& at, slong length) {
  if (!at.IsNegative()) return LogOfSum(out, x, 1, length);
  Polynomial negated;
  arb_poly_neg(negated.p, x.p);
  LogOfSum(out, negated, 1, length);
  arb_poly_neg(out.p, out.p);
}

// (log(1 + x) - log(1 - x)) / 2
void Atanh(Polynomial& out, const Polynomial& x, slong length) {
  Polynomial negated, below;
  arb_poly_neg(negated.p, x.p);
  arb_poly_log1p_series(below.p, negated.p, length, kBits);
  arb_poly_log1p_series(out.p, x.p, length, kBits);
  arb_poly_sub(out.p, out.p, below.p, kBits);
  Scale(out, Real(0.5));
}

// x / (1 + exp(-z))
void Gate(Polynomial& out, const Polynomial& x, const Polynomial& z, slong length) {
  Polynomial power;
  arb_poly_neg(power.p, z.p);
  arb_poly_exp_series(power.p, power.p, length, kBits);
  Add(power, Real(1.0));
  arb_poly_div_series(out.p, x.p, power.p, length, kBits);
}

// log(1 + exp(x)); for great x it is x + log(1 + exp(-x)).
void Softplus(Polynomial& out, const Polynomial& x, const Real& at, slong length) {
  Polynomial power;
  const bool great = at.IsPositive();
  if (great) {
    arb_poly_neg(power.p, x.p);
  } else {
    arb_poly_set(power.p, x.p);
  }
  arb_poly_exp_series(power.p, power.p, length, kBits);
  arb_poly_log1p_series(out.p, power.p, length, kBits);
  if (great) arb_poly_add(out.p, out.p, x.p, kBits);
  arb_poly_truncate(out.p, length);
}

// x erfc(-x / √2) / 2
void Gelu(Polynomial& out, const Polynomial& x, slong length) {
  Polynomial z;
  arb_poly_set(z.p, x.p);
  Scale(z, -RootOfHalf());
  arb_hypgeom_erfc_series(z.p, z.p, length, kBits);
  arb_poly_mullow(out.p, x.p, z.p, length, kBits);
  Scale(out, Real(0.5));
}

// (1 + tanh z) / 2 is 1 / (1 + exp(-2 z)).
void GeluTanh(Polynomial& out, const Polynomial& x, slong length) {
  Polynomial z;
  arb_poly_pow_ui_trunc_binexp(z.p, x.p, 3, length, kBits);
  Scale(z, TanhCubic());
  arb_poly_add(z.p, z.p, x.p, kBits);
  Scale(z, TwiceTanhScale());
  Gate(out, x, z, length);
}

// Whether the function has a series here, not a value alone.
bool IsInside(Function function, const Real& at) {
  const Real one(1.0);
  switch (function) {
    case Function::kAsin:
    case Function::kAcos:
    case Function::kAtanh:
      return (one - at).IsPositive() && (one + at).IsPositive();
    case Function::kAcosh:
      return (at - one).IsPositive();
    case Function::kLog1p:
      return (at + one).IsPositive();
    case Function::kLog2:
    case Function::kLog10:
    case Function::kRsqrt:
      return at.IsPositive();
    case Function::kReciprocal:
      return at.IsPositive() || at.IsNegative();
    default:
      return true;
  }
}

// The value where it is closer than the first coefficient of the series, or stands alone.
bool HasValue(Function function, const Real& at, Real* value) {
  switch (function) {
    case Function::kTan:
      *value = By(arb_tan, at);
      return true;
    case Function::kAsin:
      *value = By(arb_asin, at);
      return true;
    case Function::kAcos:
      *value = By(arb_acos, at);
      return true;
    case Function::kAtan:
      *value = By(arb_atan, at);
      return true;
    case Function::kAsinh:
      *value = By(arb_asinh, at);
      return true;
    case Function::kAcosh:
      *value = By(arb_acosh, at);
      return true;
    case Function::kAtanh:
      *value = By(arb_atanh, at);
      return true;
    case Function::kSinh:
      *value = By(arb_sinh, at);
      return true;
    case Function::kExpm1:
      *value = By(arb_expm1, at);
      return true;
    case Function::kLog1p:
      *value = By(arb_log1p, at);
      return true;
    case Function::kSinc:
      *value = By(arb_sinc_pi, at);
      return true;
    default:
      return false;
  }
}

void SeriesOf(Function function, Polynomial& out, const Polynomial& x, const Real& at,
              slong length) {
  Polynomial other;
  switch (function) {
    case Function::kTan:
      return arb_poly_tan_series(out.p, x.p, length, kBits);
    case Function::kAsin:
      return arb_poly_asin_series(out.p, x.p, length, kBits);
    case Function::kAcos:
      return arb_poly_acos_series(out.p, x.p, length, kBits);
    case Function::kAtan:
      return arb_poly_atan_series(out.p, x.p, length, kBits);
    case Function::kSinh:
      return arb_poly_sinh_cosh_series(out.p, other.p, x.p, length, kBits);
    case Function::kCosh:
      return arb_poly_sinh_cosh_series(other.p, out.p, x.p, length, kBits);
    case Function::kAsinh:
      return Asinh(out, x, at, length);
    case Function::kAcosh:
      return LogOfSum(out, x, -1, length);
    case Function::kAtanh:
      return Atanh(out, x, length);
    case Function::kErf:
      return arb_hypgeom_erf_series(out.p, x.p, length, kBits);
    case Function::kErfc:
      return arb_hypgeom_erfc_series(out.p, x.p, length, kBits);
    case Function::kExpm1:
      return arb_poly_exp_series(out.p, x.p, length, kBits);
    case Function::kLog1p:
      return arb_poly_log1p_series(out.p, x.p, length, kBits);
    case Function::kLog2:
      return Logarithm(out, x, LogOf2(), length);
    case Function::kLog10:
      return Logarithm(out, x, LogOf10(), length);
    case Function::kExp2:
      arb_poly_scalar_mul(other.p, x.p, LogOf2().get(), kBits);
      return arb_poly_exp_series(out.p, other.p, length, kBits);
    case Function::kRsqrt:
      return arb_poly_rsqrt_series(out.p, x.p, length, kBits);
    case Function::kReciprocal:
      return arb_poly_inv_series(out.p, x.p, length, kBits);
    case Function::kSilu:
      return Gate(out, x, x, length);
    case Function::kSoftplus:
      return Softplus(out, x, at, length);
    case Function::kGelu:
      return Gelu(out, x, length);
    case Function::kGeluTanh:
      return GeluTanh(out, x, length);
    case Function::kSinc:
      return arb_poly_sinc_pi_series(out.p, x.p, length, kBits);
    default:
      AG_CHECK(false, "[ball] a function whose series is in elementary.cc");
  }
}

}  // namespace

Taylor TaylorOfFunction(Function function, const Real& at, int order) {
  Real value;
  const bool has_value = HasValue(function, at, &value);
  Taylor taylor = AllUnknown(order);
  if (IsInside(function, at)) {
    Polynomial x, out;
    SetVariable(x, at, 1);
    SeriesOf(function, out, x, at, order + 1);
    taylor = Coefficients(out, order);
  }
  if (has_value) taylor[0] = value;
  return taylor;
}

}  // namespace twingrad::reference::ball
