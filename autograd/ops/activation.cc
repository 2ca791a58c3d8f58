#include "autograd/ops/activation.h"

#include <numbers>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/elementary.h"
#include "autograd/ops/piecewise.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/rules.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad::ops {
namespace {

constexpr double kRootOfHalf = std::numbers::sqrt2 / 2;
constexpr double kDensity = kRootOfHalf * std::numbers::inv_sqrtpi;  // of the normal, at 0
constexpr double kTanhScale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
constexpr double kTanhCubic = 0.044715;

// x, but `end` where it is greater, for slopes that do not change beyond it: their formulas then
// meet no infinity, nor a product that leaves the format.
Tensor Within(double end, const Tensor& x) { return Clamp(x, -end, end); }

Tensor Times(double factor, const Tensor& x) { return Mul(Constant(factor, x), x); }
Tensor Plus(double term, const Tensor& x) { return Add(Constant(term, x), x); }

Tensor SiluSlope(const Tensor& operand) {
  const Tensor x = Within(1000, operand), s = Sigmoid(x);
  return Mul(s, Plus(1, Mul(x, Sub(Constant(1, x), s))));
}

// Φ(x) + x φ(x).
Tensor GeluSlope(const Tensor& operand) {
  const Tensor x = Within(64, operand);
  const Tensor share = Times(0.5, Plus(1, Erf(Times(kRootOfHalf, x))));
  const Tensor density = Times(kDensity, Exp(Times(-0.5, Mul(x, x))));
  return Add(share, Mul(x, density));
}

// (1 + t) / 2 + x (1 - t²) z' / 2 where t = tanh z.
Tensor GeluTanhSlope(const Tensor& operand) {
  const Tensor x = Within(64, operand), square = Mul(x, x);
  const Tensor z = Times(kTanhScale, Mul(x, Plus(1, Times(kTanhCubic, square))));
  const Tensor t = Tanh(z);
  const Tensor z_slope = Times(kTanhScale, Plus(1, Times(3 * kTanhCubic, square)));
  const Tensor t_slope = Mul(Sub(Constant(1, t), Mul(t, t)), z_slope);
  return Times(0.5, Add(Plus(1, t), Mul(x, t_slope)));
}

constexpr UnaryRule kSilu = RuleOf<kernels::SiluNumber>(
    "SiluBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Mul(g, SiluSlope(x)); });
constexpr UnaryRule kSoftplus = RuleOf<kernels::SoftplusNumber>(
    "SoftplusBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Mul(g, Sigmoid(x)); });
constexpr UnaryRule kGelu = RuleOf<kernels::GeluNumber>(
    "GeluBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Mul(g, GeluSlope(x)); });
constexpr UnaryRule kGeluTanh = RuleOf<kernels::GeluTanhNumber>(
    "GeluTanhBackward", Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Mul(g, GeluTanhSlope(x)); });

}  // namespace

Tensor Silu(const Tensor& a) { return ApplyUnary(kSilu, a); }
Tensor Softplus(const Tensor& a) { return ApplyUnary(kSoftplus, a); }
Tensor Gelu(const Tensor& a) { return ApplyUnary(kGelu, a); }
Tensor GeluTanh(const Tensor& a) { return ApplyUnary(kGeluTanh, a); }

Tensor LeakyRelu(const Tensor& a, double by) {
  CheckDefined("leaky_relu", a);
  Tensor result = kernels::Where(kernels::IsPositive(a), a, kernels::Mul(Constant(by, a), a));
  if (ShouldRecord(a)) {
    Record<1>("LeakyReluBackward", result, a, [by](const Tensor& g, const Tensor* operand) {
      return Where(kernels::IsPositive(operand[0]), g, Times(by, g));
    })->Save(a);
  }
  return result;
}

Tensor Elu(const Tensor& a, double by) {
  CheckDefined("elu", a);
  const Tensor below = kernels::Mul(Constant(by, a), kernels::Each<kernels::Expm1Number>(a));
  Tensor result = kernels::Where(kernels::IsPositive(a), a, below);
  if (ShouldRecord(a)) {
    Record<1>("EluBackward", result, a, [by](const Tensor& g, const Tensor* operand) {
      const Tensor& x = operand[0];
      const Tensor above = kernels::IsPositive(x);
      // Without those above, whose exponential may leave the format.
      const Tensor slope = Times(by, Exp(Where(above, Constant(0, x), x)));
      return Where(above, g, Mul(g, slope));
    })->Save(a);
  }
  return result;
}

}  // namespace twingrad::ops
