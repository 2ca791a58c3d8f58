#include "autograd/ops/trigonometric.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/elementary.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/rules.h"

namespace twingrad::ops {

// In each derivative g is the gradient of the result, and x the operand or r the result.

constexpr UnaryRule kTan = RuleOf<kernels::TanNumber>(
    "TanBackward", Saves::kResult,
    [](const Tensor& g, const Tensor& r) { return Mul(g, Add(Constant(1, r), Mul(r, r))); });
Tensor Tan(const Tensor& a) { return ApplyUnary(kTan, a); }

// Derivative `order` of sinc: its formulas cancel near 0, whatever they are made of.
static Tensor SincDerivative(const Tensor& a, int order) {
  CheckDefined("sinc", a);
  Tensor result = kernels::Sinc(a, order);
  if (ShouldRecord(a)) {
    Record<1>("SincBackward", result, a, [order](const Tensor& g, const Tensor* operand) {
      return Mul(g, SincDerivative(operand[0], order + 1));
    })->Save(a);
  }
  return result;
}
Tensor Sinc(const Tensor& a) { return SincDerivative(a, 0); }

// As one square: the derivative of (1 - x) (1 + x) cancels beside 0.
static Tensor OneMinusSquare(const Tensor& x) { return Sub(Constant(1, x), Mul(x, x)); }

constexpr UnaryRule kAsin = RuleOf<kernels::AsinNumber>(
    "AsinBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Div(g, Sqrt(OneMinusSquare(x))); });
Tensor Asin(const Tensor& a) { return ApplyUnary(kAsin, a); }

constexpr UnaryRule kAcos = RuleOf<kernels::AcosNumber>(
    "AcosBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Neg(Div(g, Sqrt(OneMinusSquare(x)))); });
Tensor Acos(const Tensor& a) { return ApplyUnary(kAcos, a); }

constexpr UnaryRule kAtan = RuleOf<kernels::AtanNumber>(
    "AtanBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Div(g, Add(Constant(1, x), Mul(x, x))); });
Tensor Atan(const Tensor& a) { return ApplyUnary(kAtan, a); }

constexpr UnaryRule kSinh =
    RuleOf<kernels::SinhNumber>("SinhBackward", Saves::kOperand,
                                [](const Tensor& g, const Tensor& x) { return Mul(g, Cosh(x)); });
Tensor Sinh(const Tensor& a) { return ApplyUnary(kSinh, a); }

constexpr UnaryRule kCosh =
    RuleOf<kernels::CoshNumber>("CoshBackward", Saves::kOperand,
                                [](const Tensor& g, const Tensor& x) { return Mul(g, Sinh(x)); });
Tensor Cosh(const Tensor& a) { return ApplyUnary(kCosh, a); }

constexpr UnaryRule kAsinh = RuleOf<kernels::AsinhNumber>(
    "AsinhBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Div(g, Sqrt(Add(Mul(x, x), Constant(1, x)))); });
Tensor Asinh(const Tensor& a) { return ApplyUnary(kAsinh, a); }

constexpr UnaryRule kAcosh = RuleOf<kernels::AcoshNumber>(
    "AcoshBackward", Saves::kOperand, [](const Tensor& g, const Tensor& x) {
      const Tensor one = Constant(1, x);
      return Div(g, Sqrt(Mul(Sub(x, one), Add(x, one))));
    });
Tensor Acosh(const Tensor& a) { return ApplyUnary(kAcosh, a); }

constexpr UnaryRule kAtanh = RuleOf<kernels::AtanhNumber>(
    "AtanhBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Div(g, OneMinusSquare(x)); });
Tensor Atanh(const Tensor& a) { return ApplyUnary(kAtanh, a); }

}  // namespace twingrad::ops
