#include "autograd/ops/elementary.h"

#include <numbers>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/piecewise.h"
#include "autograd/ops/rules.h"

namespace twingrad::ops {
namespace {

Tensor TimesLogOf2(const Tensor& x) { return Mul(Constant(std::numbers::ln2, x), x); }
Tensor TimesLogOf10(const Tensor& x) { return Mul(Constant(std::numbers::ln10, x), x); }

}  // namespace

// In each derivative g is the gradient of the result, and x the operand or r the result.

constexpr UnaryRule kExp = RuleOf<kernels::ExpNumber>(
    "ExpBackward", Saves::kResult, [](const Tensor& g, const Tensor& r) { return Mul(g, r); });
Tensor Exp(const Tensor& a) { return ApplyUnary(kExp, a); }
void ExpInPlace(Tensor& self) { ApplyUnaryInPlace(kExp, self); }

constexpr UnaryRule kLog = RuleOf<kernels::LogNumber>(
    "LogBackward", Saves::kOperand, [](const Tensor& g, const Tensor& x) { return Div(g, x); });
Tensor Log(const Tensor& a) { return ApplyUnary(kLog, a); }

constexpr UnaryRule kSqrt = RuleOf<kernels::SqrtNumber>(
    "SqrtBackward", Saves::kResult,
    [](const Tensor& g, const Tensor& r) { return Div(g, Mul(Constant(2, r), r)); });
Tensor Sqrt(const Tensor& a) { return ApplyUnary(kSqrt, a); }
void SqrtInPlace(Tensor& self) { ApplyUnaryInPlace(kSqrt, self); }

constexpr UnaryRule kSin =
    RuleOf<kernels::SinNumber>("SinBackward", Saves::kOperand,
                               [](const Tensor& g, const Tensor& x) { return Mul(g, Cos(x)); });
Tensor Sin(const Tensor& a) { return ApplyUnary(kSin, a); }
void SinInPlace(Tensor& self) { ApplyUnaryInPlace(kSin, self); }

constexpr UnaryRule kCos = RuleOf<kernels::CosNumber>(
    "CosBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Neg(Mul(g, Sin(x))); });
Tensor Cos(const Tensor& a) { return ApplyUnary(kCos, a); }
void CosInPlace(Tensor& self) { ApplyUnaryInPlace(kCos, self); }

constexpr UnaryRule kTanh = RuleOf<kernels::TanhNumber>(
    "TanhBackward", Saves::kResult,
    [](const Tensor& g, const Tensor& r) { return Mul(g, Sub(Constant(1, r), Mul(r, r))); });
Tensor Tanh(const Tensor& a) { return ApplyUnary(kTanh, a); }
void TanhInPlace(Tensor& self) { ApplyUnaryInPlace(kTanh, self); }

constexpr UnaryRule kSigmoid = RuleOf<kernels::SigmoidNumber>(
    "SigmoidBackward", Saves::kResult,
    [](const Tensor& g, const Tensor& r) { return Mul(g, Mul(r, Sub(Constant(1, r), r))); });
Tensor Sigmoid(const Tensor& a) { return ApplyUnary(kSigmoid, a); }
void SigmoidInPlace(Tensor& self) { ApplyUnaryInPlace(kSigmoid, self); }

// The slope is 0 beyond ±64, at infinities too.
static Tensor ErfSlope(const Tensor& operand) {
  const Tensor x = Clamp(operand, -64, 64);
  return Mul(Constant(2 * std::numbers::inv_sqrtpi, x), Exp(Neg(Mul(x, x))));
}

constexpr UnaryRule kErf = RuleOf<kernels::ErfNumber>(
    "ErfBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Mul(g, ErfSlope(x)); });
Tensor Erf(const Tensor& a) { return ApplyUnary(kErf, a); }

constexpr UnaryRule kErfc = RuleOf<kernels::ErfcNumber>(
    "ErfcBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Neg(Mul(g, ErfSlope(x))); });
Tensor Erfc(const Tensor& a) { return ApplyUnary(kErfc, a); }

constexpr UnaryRule kExpm1 = RuleOf<kernels::Expm1Number>(
    "Expm1Backward", Saves::kResult,
    [](const Tensor& g, const Tensor& r) { return Mul(g, Add(r, Constant(1, r))); });
Tensor Expm1(const Tensor& a) { return ApplyUnary(kExpm1, a); }

constexpr UnaryRule kLog1p = RuleOf<kernels::Log1pNumber>(
    "Log1pBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Div(g, Add(x, Constant(1, x))); });
Tensor Log1p(const Tensor& a) { return ApplyUnary(kLog1p, a); }

constexpr UnaryRule kLog2 = RuleOf<kernels::Log2Number>(
    "Log2Backward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Div(g, TimesLogOf2(x)); });
Tensor Log2(const Tensor& a) { return ApplyUnary(kLog2, a); }

constexpr UnaryRule kLog10 = RuleOf<kernels::Log10Number>(
    "Log10Backward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Div(g, TimesLogOf10(x)); });
Tensor Log10(const Tensor& a) { return ApplyUnary(kLog10, a); }

constexpr UnaryRule kExp2 = RuleOf<kernels::Exp2Number>(
    "Exp2Backward", Saves::kResult,
    [](const Tensor& g, const Tensor& r) { return Mul(g, TimesLogOf2(r)); });
Tensor Exp2(const Tensor& a) { return ApplyUnary(kExp2, a); }

constexpr UnaryRule kRsqrt = RuleOf<kernels::RsqrtNumber>(
    "RsqrtBackward", Saves::kResult, [](const Tensor& g, const Tensor& r) {
      return Mul(g, Mul(Mul(Constant(-0.5, r), r), Mul(r, r)));
    });
Tensor Rsqrt(const Tensor& a) { return ApplyUnary(kRsqrt, a); }

constexpr UnaryRule kReciprocal = RuleOf<kernels::ReciprocalNumber>(
    "ReciprocalBackward", Saves::kResult,
    [](const Tensor& g, const Tensor& r) { return Neg(Mul(g, Mul(r, r))); });
Tensor Reciprocal(const Tensor& a) { return ApplyUnary(kReciprocal, a); }

constexpr UnaryRule kSquare = RuleOf<kernels::SquareNumber>(
    "SquareBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Mul(g, Mul(Constant(2, x), x)); });
Tensor Square(const Tensor& a) { return ApplyUnary(kSquare, a); }

}  // namespace twingrad::ops
