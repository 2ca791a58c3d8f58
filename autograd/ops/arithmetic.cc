#include "autograd/ops/arithmetic.h"

#include "autograd/ops/elementary.h"
#include "autograd/ops/piecewise.h"
#include "autograd/ops/rules.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/elementary.h"

namespace twingrad::ops {
namespace {

Tensor Passed(const Tensor& g, const Saved&) { return g; }
Tensor Negated(const Tensor& g, const Saved&) { return Neg(g); }
Tensor TimesA(const Tensor& g, const Saved& s) { return Mul(g, s.a); }
Tensor TimesB(const Tensor& g, const Saved& s) { return Mul(g, s.b); }
Tensor OverB(const Tensor& g, const Saved& s) { return Div(g, s.b); }

// -g * a / b², without the square, which leaves the format where the quotient does not.
Tensor DivByDivisor(const Tensor& g, const Saved& s) {
  return Neg(Mul(g, Div(Div(s.a, s.b), s.b)));
}

// g * b * a^(b-1). Where b is 0 and a is 0 or NaN, a^b is 1 for every a beside it: 0. The base is
// masked too, so that further derivatives meet no infinity behind the mask. Where b is 0 and 1 / a
// is beyond the format: g * (b / a) * a^b, in which that is no factor.
Tensor PowByBase(const Tensor& gradient, const Saved& s) {
  const Tensor flat = kernels::PowIsFlatInBase(s.a, s.b);
  const Tensor steep = kernels::PowIsSteepInBase(s.a, s.b);
  const Tensor base = Where(flat, Constant(1, s.a), s.a);
  Tensor factor = s.b;
  Tensor exponent = Sub(s.b, Constant(1, s.b));
  if (steep.defined()) {
    factor = Where(steep, Div(s.b, Where(steep, s.a, Constant(1, s.a))), s.b);
    exponent = Where(steep, s.b, exponent);
  }
  const Tensor power = Pow(base, exponent);
  const Tensor scaled = Mul(gradient, factor);
  const Tensor slope = Mul(scaled, power);
  return Where(flat, Constant(0, gradient), slope);
}

// g * a^b * log(a). Where a is 0 and b is not negative a^b stays as it is when b grows: with the
// logarithm of 1 all derivatives by b are 0.
Tensor PowByExponent(const Tensor& gradient, const Saved& s) {
  const Tensor flat = kernels::PowIsFlatInExponent(s.a, s.b);
  const Tensor log = Log(Where(flat, Constant(1, s.a), s.a));
  return Mul(Mul(gradient, s.result), log);
}

constexpr BinaryRule kAdd = {"add",         "AddBackward", kernels::Add, kSavesNothing,
                             kSavesNothing, Passed,        Passed};
constexpr BinaryRule kSub = {"sub",         "SubBackward", kernels::Sub, kSavesNothing,
                             kSavesNothing, Passed,        Negated};
constexpr BinaryRule kMul = {"mul", "MulBackward", kernels::Mul, kSavesB, kSavesA, TimesB, TimesA};
constexpr BinaryRule kDiv = {"div", "DivBackward", kernels::Div, kSavesB, kSavesA | kSavesB,
                             OverB, DivByDivisor};
constexpr BinaryRule kPow = {
    "pow",     "PowBackward", kernels::Pow, kSavesA | kSavesB, kSavesA | kSavesB | kSavesResult,
    PowByBase, PowByExponent};
constexpr UnaryRule kNeg =
    RuleOf<kernels::NegNumber>("NegBackward", Saves::kNothing,
                               [](const Tensor& gradient, const Tensor&) { return Neg(gradient); });

}  // namespace

Tensor Add(const Tensor& a, const Tensor& b) { return ApplyBinary(kAdd, a, b); }
Tensor Sub(const Tensor& a, const Tensor& b) { return ApplyBinary(kSub, a, b); }
Tensor Mul(const Tensor& a, const Tensor& b) { return ApplyBinary(kMul, a, b); }
Tensor Div(const Tensor& a, const Tensor& b) { return ApplyBinary(kDiv, a, b); }
Tensor Pow(const Tensor& a, const Tensor& b) { return ApplyBinary(kPow, a, b); }
Tensor Neg(const Tensor& a) { return ApplyUnary(kNeg, a); }

void AddInPlace(Tensor& self, const Tensor& other) { ApplyBinaryInPlace(kAdd, self, other); }
void SubInPlace(Tensor& self, const Tensor& other) { ApplyBinaryInPlace(kSub, self, other); }
void MulInPlace(Tensor& self, const Tensor& other) { ApplyBinaryInPlace(kMul, self, other); }
void DivInPlace(Tensor& self, const Tensor& other) { ApplyBinaryInPlace(kDiv, self, other); }
void NegInPlace(Tensor& self) { ApplyUnaryInPlace(kNeg, self); }

Tensor Constant(double value, const Tensor& like) {
  return Tensor::Scalar(value, like.dtype(), like.device());
}

}  // namespace twingrad::ops
