#include "autograd/ops/piecewise.h"

#include <cstdint>

#include "autograd/graph/saved_variable.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/rules.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/elementary.h"

namespace twingrad::ops {
namespace {

Tensor WhereAIsGreater(const Tensor& g, const Saved& s) {
  return Mul(g, kernels::MaximumWeight(s.a, s.b));
}
Tensor WhereBIsGreater(const Tensor& g, const Saved& s) {
  return Mul(g, kernels::MaximumWeight(s.b, s.a));
}

constexpr uint8_t kBoth = kSavesA | kSavesB;
constexpr BinaryRule kMaximum = {"maximum", "MaximumBackward", kernels::Maximum, kBoth,
                                 kBoth,     WhereAIsGreater,   WhereBIsGreater};
constexpr BinaryRule kMinimum = {"minimum", "MinimumBackward", kernels::Minimum, kBoth,
                                 kBoth,     WhereBIsGreater,   WhereAIsGreater};

constexpr UnaryRule kSgn = RuleOf<kernels::SgnNumber>(
    "SgnBackward", Saves::kNothing,
    [](const Tensor& g, const Tensor&) { return Tensor::Zeros(g.sizes(), g.dtype(), g.device()); });

constexpr UnaryRule kRelu = RuleOf<kernels::ReluNumber>(
    "ReluBackward", Saves::kResult, [](const Tensor& g, const Tensor& r) {
      if (!ShouldRecord(g) && r.HasSameTypeAs(g) && !g.is_sparse()) return kernels::Gated(g, r);
      return Where(kernels::IsPositive(r), g, Constant(0, g));
    });

constexpr UnaryRule kAbs = RuleOf<kernels::AbsNumber>(
    "AbsBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Mul(g, kernels::Each<kernels::SgnNumber>(x)); });

}  // namespace

Tensor Where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  CheckDefined("where", condition, a, b);
  Tensor result = kernels::Where(condition, a, b);
  if (ShouldRecord(a, b)) {
    Record<1>("WhereBackward", result, {&a, &b},
              [of_a = BroadcastUndo(a, result), of_b = BroadcastUndo(b, result)](
                  size_t k, const Tensor& g, const Tensor* saved) {
                const Tensor zero = Constant(0, g);
                return k == 0 ? of_a.Undo(Where(saved[0], g, zero))
                              : of_b.Undo(Where(saved[0], zero, g));
              })
        ->Save(condition);
  }
  return result;
}

Tensor MaskedFill(const Tensor& condition, const Tensor& a, double by) {
  CheckDefined("masked_fill", condition, a);
  Tensor result = kernels::Where(condition, Constant(by, a), a);
  if (ShouldRecord(a)) {
    Record<1>("MaskedFillBackward", result, a,
              [of_a = BroadcastUndo(a, result)](const Tensor& g, const Tensor* saved) {
                return of_a.Undo(Where(saved[0], Constant(0, g), g));
              })
        ->Save(condition);
  }
  return result;
}

Tensor Maximum(const Tensor& a, const Tensor& b) { return ApplyBinary(kMaximum, a, b); }
Tensor Minimum(const Tensor& a, const Tensor& b) { return ApplyBinary(kMinimum, a, b); }
Tensor Sgn(const Tensor& a) { return ApplyUnary(kSgn, a); }

Tensor Clamp(const Tensor& a, double low, double high) {
  CheckDefined("clamp", a);
  Tensor result = kernels::Clamp(a, low, high);
  if (ShouldRecord(a)) {
    Record<1>("ClampBackward", result, a, [low, high](const Tensor& g, const Tensor* operand) {
      return Where(kernels::IsWithin(operand[0], low, high), g, Constant(0, g));
    })->Save(a);
  }
  return result;
}

Tensor Relu(const Tensor& a) { return ApplyUnary(kRelu, a); }
Tensor Abs(const Tensor& a) { return ApplyUnary(kAbs, a); }

void ReluInPlace(Tensor& self) { ApplyUnaryInPlace(kRelu, self); }
void AbsInPlace(Tensor& self) { ApplyUnaryInPlace(kAbs, self); }

}  // namespace twingrad::ops
