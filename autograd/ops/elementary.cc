#include "autograd/ops/elementary.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/unary.h"
#include "autograd/tensor/kernels/elementary.h"

namespace twingrad::ops {
namespace {

// In each derivative g is the gradient of the result, and x the operand or r the result.

constexpr UnaryRule kExp = {"exp", "ExpBackward", kernels::Exp, Saves::kResult,
                            [](const Tensor& g, const Tensor& r) { return Mul(g, r); }};

constexpr UnaryRule kLog = {"log", "LogBackward", kernels::Log, Saves::kOperand,
                            [](const Tensor& g, const Tensor& x) { return Div(g, x); }};

constexpr UnaryRule kSqrt = {
    "sqrt", "SqrtBackward", kernels::Sqrt, Saves::kResult,
    [](const Tensor& g, const Tensor& r) { return Div(g, Mul(Constant(2, r), r)); }};

constexpr UnaryRule kSin = {"sin", "SinBackward", kernels::Sin, Saves::kOperand,
                            [](const Tensor& g, const Tensor& x) { return Mul(g, Cos(x)); }};

constexpr UnaryRule kCos = {"cos", "CosBackward", kernels::Cos, Saves::kOperand,
                            [](const Tensor& g, const Tensor& x) { return Neg(Mul(g, Sin(x))); }};

constexpr UnaryRule kTanh = {
    "tanh", "TanhBackward", kernels::Tanh, Saves::kResult,
    [](const Tensor& g, const Tensor& r) { return Mul(g, Sub(Constant(1, r), Mul(r, r))); }};

constexpr UnaryRule kSigmoid = {
    "sigmoid", "SigmoidBackward", kernels::Sigmoid, Saves::kResult,
    [](const Tensor& g, const Tensor& r) { return Mul(g, Mul(r, Sub(Constant(1, r), r))); }};

}  // namespace

Tensor Exp(const Tensor& a) { return ApplyUnary(kExp, a); }
Tensor Log(const Tensor& a) { return ApplyUnary(kLog, a); }
Tensor Sqrt(const Tensor& a) { return ApplyUnary(kSqrt, a); }
Tensor Sin(const Tensor& a) { return ApplyUnary(kSin, a); }
Tensor Cos(const Tensor& a) { return ApplyUnary(kCos, a); }
Tensor Tanh(const Tensor& a) { return ApplyUnary(kTanh, a); }
Tensor Sigmoid(const Tensor& a) { return ApplyUnary(kSigmoid, a); }

void ExpInPlace(Tensor& self) { ApplyUnaryInPlace(kExp, self); }
void SqrtInPlace(Tensor& self) { ApplyUnaryInPlace(kSqrt, self); }
void SinInPlace(Tensor& self) { ApplyUnaryInPlace(kSin, self); }
void CosInPlace(Tensor& self) { ApplyUnaryInPlace(kCos, self); }
void TanhInPlace(Tensor& self) { ApplyUnaryInPlace(kTanh, self); }
void SigmoidInPlace(Tensor& self) { ApplyUnaryInPlace(kSigmoid, self); }

}  // namespace twingrad::ops
