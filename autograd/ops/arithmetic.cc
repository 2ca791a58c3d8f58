#include "autograd/ops/arithmetic.h"

#include "autograd/ops/binary.h"
#include "autograd/ops/elementary.h"
#include "autograd/ops/piecewise.h"
#include "autograd/ops/unary.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/elementary.h"

namespace twingrad::ops {
namespace {

Tensor Passed(const Tensor& gradient, const Saved&) { return gradient; }

// g * b * a^(b-1), and 0 where b is 0 whatever a is.
Tensor PowByBase(const Tensor& gradient, const Saved& s) {
  const Tensor lowered = Pow(s.a, Sub(s.b, Constant(1, s.b)));
  return Where(kernels::IsZero(s.b), Constant(0, gradient), Mul(Mul(gradient, s.b), lowered));
}

// g * a^b * log(a), and 0 where a is 0 and b is not negative.
Tensor PowByExponent(const Tensor& gradient, const Saved& s) {
  return Where(kernels::PowExponentMask(s.a, s.b), Mul(Mul(gradient, s.result), Log(s.a)),
               Constant(0, gradient));
}

constexpr BinaryRule kAdd = {"add",         "AddBackward", kernels::Add, kSavesNothing,
                             kSavesNothing, Passed,        Passed};

constexpr BinaryRule kSub = {"sub",
                             "SubBackward",
                             kernels::Sub,
                             kSavesNothing,
                             kSavesNothing,
                             Passed,
                             [](const Tensor& gradient, const Saved&) { return Neg(gradient); }};

constexpr BinaryRule kMul = {
    "mul",
    "MulBackward",
    kernels::Mul,
    kSavesB,
    kSavesA,
    [](const Tensor& gradient, const Saved& s) { return Mul(gradient, s.b); },
    [](const Tensor& gradient, const Saved& s) { return Mul(gradient, s.a); }};

constexpr BinaryRule kDiv = {
    "div",
    "DivBackward",
    kernels::Div,
    kSavesB,
    kSavesA | kSavesB,
    [](const Tensor& gradient, const Saved& s) { return Div(gradient, s.b); },
    [](const Tensor& gradient, const Saved& s) {
      return Neg(Div(Mul(gradient, s.a), Mul(s.b, s.b)));
    }};

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
