#include "autograd/ops/pairs.h"

#include <cstdint>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/elementary.h"
#include "autograd/ops/rules.h"
#include "autograd/tensor/kernels/arithmetic.h"

namespace twingrad::ops {
namespace {

constexpr uint8_t kSavesBoth = kSavesA | kSavesB;

Tensor LogAddExpByA(const Tensor& g, const Saved& s) { return Mul(g, Sigmoid(Sub(s.a, s.b))); }
Tensor LogAddExpByB(const Tensor& g, const Saved& s) { return Mul(g, Sigmoid(Sub(s.b, s.a))); }

// g x / (a² + b²), of which x is b or -a. Scaled where a square might leave the format; what scales
// is a constant, because it cancels.
Tensor OverSquares(const Tensor& g, const Tensor& x, const Saved& s) {
  const Tensor scale = kernels::ScaleOfSquares(s.a, s.b);
  const Tensor a = Div(s.a, scale), b = Div(s.b, scale);
  const Tensor squares = Add(Mul(a, a), Mul(b, b));
  return Mul(g, Div(Div(Div(x, scale), scale), squares));
}

constexpr BinaryRule kLogAddExp = {"logaddexp", "LogaddexpBackward", kernels::LogAddExp, kSavesBoth,
                                   kSavesBoth,  LogAddExpByA,        LogAddExpByB};
constexpr BinaryRule kAtan2 = {
    "atan2",
    "Atan2Backward",
    kernels::Atan2,
    kSavesBoth,
    kSavesBoth,
    [](const Tensor& g, const Saved& s) { return OverSquares(g, s.b, s); },
    [](const Tensor& g, const Saved& s) { return OverSquares(g, Neg(s.a), s); }};

// Beside nothing 0 has no logarithm either, whose slope would make NaN of a sum over nothing.
Tensor XLogYByA(const Tensor& g, const Saved& s) {
  return Mul(g, Log(g.numel() == 0 ? ExpandTo(s.b, g.sizes()) : s.b));
}

constexpr BinaryRule kXLogY = {
    "xlogy",
    "XlogyBackward",
    kernels::XLogY,
    kSavesBoth,
    kSavesBoth,
    XLogYByA,
    [](const Tensor& g, const Saved& s) { return Mul(g, Div(s.a, s.b)); }};

Tensor Passed(const Tensor& g, const Saved&) { return g; }

constexpr BinaryRule kFmod = {"fmod",
                              "FmodBackward",
                              kernels::Fmod,
                              kSavesNothing,
                              kSavesBoth,
                              Passed,
                              [](const Tensor& g, const Saved& s) {
                                return Neg(Mul(g, kernels::TruncatedQuotient(s.a, s.b)));
                              }};

constexpr BinaryRule kRemainder = {"remainder",
                                   "RemainderBackward",
                                   kernels::Remainder,
                                   kSavesNothing,
                                   kSavesBoth,
                                   Passed,
                                   [](const Tensor& g, const Saved& s) {
                                     return Neg(Mul(g, kernels::FlooredQuotient(s.a, s.b)));
                                   }};

}  // namespace

Tensor LogAddExp(const Tensor& a, const Tensor& b) { return ApplyBinary(kLogAddExp, a, b); }
Tensor Atan2(const Tensor& a, const Tensor& b) { return ApplyBinary(kAtan2, a, b); }
Tensor XLogY(const Tensor& a, const Tensor& b) { return ApplyBinary(kXLogY, a, b); }
Tensor Fmod(const Tensor& a, const Tensor& b) { return ApplyBinary(kFmod, a, b); }
Tensor Remainder(const Tensor& a, const Tensor& b) { return ApplyBinary(kRemainder, a, b); }

}  // namespace twingrad::ops
