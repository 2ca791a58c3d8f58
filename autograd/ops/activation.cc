#include "autograd/ops/activation.h"

#include <numbers>
#include <string_view>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/elementary.h"
#include "autograd/ops/piecewise.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/rules.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/elementary.h"

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

// scale·a above 0, else depth·(e^(a / divisor) - 1).
struct EluShape {
  double scale = 1;
  double depth;
  double divisor = 1;

  Tensor Inner(const Tensor& x) const { return divisor == 1 ? x : Div(x, Constant(divisor, x)); }
};

Tensor EluOf(const char* op, std::string_view node_name, const Tensor& a, EluShape shape) {
  CheckDefined(op, a);
  const Tensor above = shape.scale == 1 ? a : kernels::Mul(Constant(shape.scale, a), a);
  const Tensor inner = shape.divisor == 1 ? a : kernels::Div(a, Constant(shape.divisor, a));
  const Tensor below =
      kernels::Mul(Constant(shape.depth, a), kernels::Each<kernels::Expm1Number>(inner));
  Tensor result = kernels::Where(kernels::IsPositive(a), above, below);
  if (ShouldRecord(a)) {
    Record<1>(node_name, result, a, [shape](const Tensor& g, const Tensor* operand) {
      const Tensor& x = operand[0];
      const Tensor is_above = kernels::IsPositive(x);
      // Without those above, whose exponential may leave the format.
      const Tensor rest = Where(is_above, Constant(0, x), x);
      const Tensor slope = Times(shape.depth / shape.divisor, Exp(shape.Inner(rest)));
      return Where(is_above, shape.scale == 1 ? g : Times(shape.scale, g), Mul(g, slope));
    })->Save(a);
  }
  return result;
}

// a within the limits, with a slope of 0 at both.
Tensor ClampOf(const char* op, std::string_view node_name, const Tensor& a, double low,
               double high) {
  CheckDefined(op, a);
  Tensor result = kernels::Clamp(a, low, high);
  if (ShouldRecord(a)) {
    Record<1>(node_name, result, a, [low, high](const Tensor& g, const Tensor* operand) {
      return Where(kernels::IsWithin(operand[0], low, high), g, Constant(0, g));
    })->Save(a);
  }
  return result;
}

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

Tensor Elu(const Tensor& a, double by) { return EluOf("elu", "EluBackward", a, {.depth = by}); }
Tensor Celu(const Tensor& a, double by) {
  return EluOf("celu", "CeluBackward", a, {.depth = by, .divisor = by});
}
Tensor Selu(const Tensor& a) {
  constexpr double kScale = 1.0507009873554804934193349852946;
  constexpr double kBy = 1.6732632423543772848170429916717;
  return EluOf("selu", "SeluBackward", a, {.scale = kScale, .depth = kScale * kBy});
}

Tensor Hardtanh(const Tensor& a, double low, double high) {
  return ClampOf("hardtanh", "HardtanhBackward", a, low, high);
}
Tensor Relu6(const Tensor& a) { return ClampOf("relu6", "Relu6Backward", a, 0, 6); }

Tensor Hardsigmoid(const Tensor& a) {
  CheckDefined("hardsigmoid", a);
  const Tensor within = kernels::Clamp(kernels::Add(a, Constant(3, a)), 0, 6);
  Tensor result = kernels::Div(within, Constant(6, a));
  if (ShouldRecord(a)) {
    Record<1>("HardsigmoidBackward", result, a, [](const Tensor& g, const Tensor* operand) {
      return Where(kernels::IsWithin(operand[0], -3, 3), Div(g, Constant(6, g)), Constant(0, g));
    })->Save(a);
  }
  return result;
}

}  // namespace twingrad::ops
