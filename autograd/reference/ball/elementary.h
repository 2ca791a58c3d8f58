// Elementary functions as Taylor series around a ball, computed by arithmetic of power series.

#pragma once

#include <cstdint>

#include "autograd/reference/ball/real.h"

namespace twingrad::reference::ball {

enum class Function : uint8_t {
  kExp,
  kLog,
  kSqrt,
  kSin,
  kCos,
  kTanh,
  kSigmoid,
  // functions.cc
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kErf,
  kErfc,
  kExpm1,
  kLog1p,
  kLog2,
  kLog10,
  kExp2,
  kRsqrt,
  kReciprocal,
  kSilu,
  kSoftplus,
  kGelu,
  kGeluTanh,
  kSinc,
};

// `order` + 1 coefficients. Unknown are those that do not exist: of sqrt's derivatives at 0, of all
// outside the domain.
Taylor TaylorOf(Function function, const Real& at, int order);

// The same, of those from kTan on.
Taylor TaylorOfFunction(Function function, const Real& at, int order);

// Of x to the power of `exponent`, which has no series of its own, at an x that is not 0.
Taylor TaylorOfPower(const Real& at, const Real& exponent, int order);

// a to a power for a > 0, or for a whole exponent and a that is not 0.
Real PowerOf(const Real& a, const Real& exponent);
// The exponent, if it is a whole number of at most 2^30.
bool IsWhole(const Real& exponent, int64_t* whole);

}  // namespace twingrad::reference::ball
