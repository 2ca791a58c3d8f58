// A power series in one variable that clears itself, and what elementary.cc and functions.cc make
// of it.

#pragma once

#include <cstddef>

#include <arb_poly.h>

#include "autograd/reference/ball/real.h"

namespace twingrad::reference::ball {

struct Polynomial {
  arb_poly_t p;
  Polynomial() { arb_poly_init(p); }
  ~Polynomial() { arb_poly_clear(p); }
  Polynomial(const Polynomial&) = delete;
  Polynomial& operator=(const Polynomial&) = delete;
};

// at + t, or at - t for `sign` -1 with -at.
inline void SetVariable(Polynomial& x, const Real& at, slong sign) {
  arb_poly_set_coeff_arb(x.p, 0, at.get());
  arb_poly_set_coeff_si(x.p, 1, sign);
}

inline Taylor Coefficients(const Polynomial& p, int order) {
  Taylor out(static_cast<size_t>(order) + 1);
  for (int k = 0; k <= order; ++k) {
    Real& coefficient = out[static_cast<size_t>(k)];
    arb_poly_get_coeff_arb(coefficient.get(), p.p, k);
    coefficient.Normalise();
  }
  return out;
}

inline Taylor AllUnknown(int order) {
  return Taylor(static_cast<size_t>(order) + 1, Real::Unknown());
}

}  // namespace twingrad::reference::ball
