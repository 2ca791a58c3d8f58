#include "autograd/reference/ball/elementary.h"

#include <cstdlib>

#include <arb_poly.h>
#include <arf.h>

#include "autograd/reference/ball/polynomial.h"

namespace twingrad::reference::ball {
namespace {

// 1 / (1 + exp(-x))
void Sigmoid(Polynomial& out, const Real& at, slong length) {
  Polynomial negated, power;
  SetVariable(negated, -at, -1);
  arb_poly_exp_series(power.p, negated.p, length, kBits);
  Real one(1.0), first;
  arb_poly_get_coeff_arb(first.get(), power.p, 0);
  first = first + one;
  arb_poly_set_coeff_arb(power.p, 0, first.get());
  arb_poly_inv_series(out.p, power.p, length, kBits);
}

// sinh over cosh, and the value by itself, which is closer.
void Tanh(Polynomial& out, const Polynomial& x, const Real& at, slong length) {
  Polynomial sinh, cosh;
  arb_poly_sinh_cosh_series(sinh.p, cosh.p, x.p, length, kBits);
  arb_poly_div_series(out.p, sinh.p, cosh.p, length, kBits);
  Real value;
  arb_tanh(value.get(), at.get(), kBits);
  arb_poly_set_coeff_arb(out.p, 0, value.get());
}

Real ValueOf(Function function, const Real& at) {
  Real r;
  switch (function) {
    case Function::kExp:
      arb_exp(r.get(), at.get(), kBits);
      break;
    case Function::kLog:
      arb_log(r.get(), at.get(), kBits);
      break;
    case Function::kSqrt:
      arb_sqrt(r.get(), at.get(), kBits);
      break;
    case Function::kSin:
      arb_sin(r.get(), at.get(), kBits);
      break;
    case Function::kCos:
      arb_cos(r.get(), at.get(), kBits);
      break;
    case Function::kTanh:
      arb_tanh(r.get(), at.get(), kBits);
      break;
    case Function::kSigmoid:
      arb_exp(r.get(), (-at).get(), kBits);
      r = Real(1.0) / (Real(1.0) + r);
      break;
    default:
      return TaylorOfFunction(function, at, 0)[0];
  }
  r.Normalise();
  return r;
}

}  // namespace

Taylor TaylorOf(Function function, const Real& at, int order) {
  if (!at.IsKnown()) return AllUnknown(order);
  if (order == 0) return {ValueOf(function, at)};
  if (function == Function::kSqrt && at.IsZero()) {
    Taylor root = AllUnknown(order);
    root[0] = Real();
    return root;
  }
  const slong length = order + 1;
  Polynomial x, out, other;
  SetVariable(x, at, 1);
  switch (function) {
    case Function::kExp:
      arb_poly_exp_series(out.p, x.p, length, kBits);
      break;
    case Function::kLog:
      if (!at.IsPositive()) return AllUnknown(order);
      arb_poly_log_series(out.p, x.p, length, kBits);
      break;
    case Function::kSqrt: {
      if (!at.IsPositive()) {
        Taylor root = AllUnknown(order);
        root[0] = ValueOf(function, at);
        return root;
      }
      arb_poly_sqrt_series(out.p, x.p, length, kBits);
      break;
    }
    case Function::kSin:
      arb_poly_sin_cos_series(out.p, other.p, x.p, length, kBits);
      break;
    case Function::kCos:
      arb_poly_sin_cos_series(other.p, out.p, x.p, length, kBits);
      break;
    case Function::kTanh:
      Tanh(out, x, at, length);
      break;
    case Function::kSigmoid:
      Sigmoid(out, at, length);
      break;
    default:
      return TaylorOfFunction(function, at, order);
  }
  return Coefficients(out, order);
}

Taylor TaylorOfPower(const Real& at, const Real& exponent, int order) {
  if (!at.IsKnown() || !exponent.IsKnown()) return AllUnknown(order);
  const slong length = order + 1;
  Polynomial x, out;
  SetVariable(x, at, 1);
  int64_t whole = 0;
  if (IsWhole(exponent, &whole)) {
    const auto times = static_cast<ulong>(std::llabs(whole));
    if (whole >= 0) {
      arb_poly_pow_ui_trunc_binexp(out.p, x.p, times, length, kBits);
    } else {
      Polynomial inverse;
      arb_poly_pow_ui_trunc_binexp(inverse.p, x.p, times, length, kBits);
      arb_poly_inv_series(out.p, inverse.p, length, kBits);
    }
  } else {
    if (!at.IsPositive()) return AllUnknown(order);
    arb_poly_pow_arb_series(out.p, x.p, exponent.get(), length, kBits);
  }
  return Coefficients(out, order);
}

Real PowerOf(const Real& a, const Real& exponent) {
  if (!a.IsKnown() || !exponent.IsKnown()) return Real::Unknown();
  Real r;
  int64_t whole = 0;
  if (IsWhole(exponent, &whole)) {
    arb_pow_ui(r.get(), a.get(), static_cast<ulong>(std::llabs(whole)), kBits);
    if (whole < 0) r = Real(1.0) / r;
  } else {
    if (!a.IsPositive()) return Real::Unknown();
    arb_pow(r.get(), a.get(), exponent.get(), kBits);
  }
  r.Normalise();
  return r;
}

bool IsWhole(const Real& exponent, int64_t* whole) {
  if (!exponent.IsPoint() || arb_is_int(exponent.get()) == 0) return false;
  if (exponent.Magnitude() > 0x1p30) return false;
  *whole = arf_get_si(arb_midref(exponent.get()), ARF_RND_NEAR);
  return true;
}

}  // namespace twingrad::reference::ball
