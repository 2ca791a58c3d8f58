// Functions of one number: for each its value, its derivative and its partial derivatives.

#include <cmath>
#include <cstdint>

#include "absl/types/span.h"
#include "autograd/reference/elementwise.h"
#include "autograd/reference/primitive_row.h"
#include "autograd/reference/weights.h"

namespace twingrad::reference {
namespace {

using program::kSavesA;
using program::kSavesNothing;
using program::kSavesResult;
using program::Opcode;

int64_t IntegerRelu(int64_t a) { return a > 0 ? a : 0; }
int64_t IntegerAbs(int64_t a) { return a < 0 ? WrapNegate(a) : a; }
int64_t IntegerSign(int64_t a) { return (a > 0) - (a < 0); }

const Array* Clamped(const Evaluation& evaluation) {
  const PrimitiveArguments& limits = evaluation.arguments;
  return MapUnary(evaluation.arena, evaluation.in[0], [&](Number x, const FloatFormat&) {
    return Minimum(Maximum(x, {limits.low, 0}), {limits.high, 0});
  });
}

// Of relu, abs and hardtanh: g times a weight that is constant where `value` does not change its
// sign.
Term WeighedBySign(const Backward& b, const Array* weight, Variable value) {
  if (!b.rules().signs_have_history) value = {};
  value.data = weight;
  return b.g.Apply(Primitive::kWeigh, {b.g.calculus, value});
}

// Those of a power at 0, the end of its domain, which are infinite.
Partials Steep(Number slope, double curvature) { return Curve(slope, {curvature * kUnknown, 0}); }

constexpr PrimitiveRow kUnaryRows[] = {
    {Primitive::kNegate, Opcode::kNeg, 1, kSavesNothing, UnaryValue<Negated, WrapNegate>,
     [](const Backward& b) { return -b.g; },
     [](const ElementwisePoint&, Choices&) { return Straight(-kOne); }},

    {Primitive::kExp, Opcode::kExp, 1, kSavesResult, UnaryValue<Exp>,
     [](const Backward& b) { return b.g * b.result(); },
     [](const ElementwisePoint& p, Choices&) { return Curve(p.result, p.result); }},

    {Primitive::kLog, Opcode::kLog, 1, kSavesA, UnaryValue<Log>,
     [](const Backward& b) { return b.g / b.in(0); },
     [](const ElementwisePoint& p, Choices& choices) {
       if (IsExactly(p.a, 0)) return Steep({kUnknown, 0}, -1);
       if (!(p.a.v >= -p.a.e)) return Nowhere(choices);
       const Number slope = kOne / p.a;
       return Curve(slope, -(slope * slope));
     }},

    {Primitive::kSqrt, Opcode::kSqrt, 1, kSavesResult, UnaryValue<Sqrt>,
     [](const Backward& b) { return b.g / (2 * b.result()); },
     [](const ElementwisePoint& p, Choices& choices) {
       if (IsExactly(p.a, 0)) return Steep({kUnknown, 0}, -1);
       if (!(p.a.v >= -p.a.e)) return Nowhere(choices);
       if (MayBeZero(p.a)) return Curve(kNothingKnown, kNothingKnown);
       const Number slope = kOne / (kTwo * p.result);
       return Curve(slope, -(slope / (kTwo * p.a)));
     }},

    {Primitive::kSin, Opcode::kSin, 1, kSavesA, UnaryValue<Sin>,
     [](const Backward& b) { return b.g * b.in(0).Apply(Primitive::kCos); },
     [](const ElementwisePoint& p, Choices&) { return Curve(Cos(p.a, kF64Format), -p.result); }},

    {Primitive::kCos, Opcode::kCos, 1, kSavesA, UnaryValue<Cos>,
     [](const Backward& b) { return -(b.g * b.in(0).Apply(Primitive::kSin)); },
     [](const ElementwisePoint& p, Choices&) { return Curve(-Sin(p.a, kF64Format), -p.result); }},

    {Primitive::kTanh, Opcode::kTanh, 1, kSavesResult, UnaryValue<Tanh>,
     [](const Backward& b) {
       const Term r = b.result();
       return b.g * (1 - r * r);
     },
     [](const ElementwisePoint& p, Choices&) {
       const Number slope = kOne - p.result * p.result;
       return Curve(slope, -(kTwo * (p.result * slope)));
     }},

    {Primitive::kSigmoid, Opcode::kSigmoid, 1, kSavesResult, UnaryValue<Sigmoid>,
     [](const Backward& b) {
       const Term r = b.result();
       return b.g * (r * (1 - r));
     },
     [](const ElementwisePoint& p, Choices&) {
       const Number rest = kOne - p.result, slope = p.result * rest;
       return Curve(slope, slope * (rest - p.result));
     }},

    {Primitive::kRelu, Opcode::kRelu, 1, kSavesResult, UnaryValue<Relu, IntegerRelu>,
     [](const Backward& b) {
       return WeighedBySign(b, ReluWeight(b.calculus.arena(), b.result_elements()), b.result().v);
     },
     [](const ElementwisePoint& p, Choices& choices) {
       return Straight(Jump(p.a, 0, 0, 1, Kink::kRelu, choices));
     }},

    {Primitive::kAbs, Opcode::kAbs, 1, kSavesA, UnaryValue<Abs, IntegerAbs>,
     [](const Backward& b) {
       return WeighedBySign(b, SignOf(b.calculus.arena(), b.elements(0)), b.in(0).v);
     },
     [](const ElementwisePoint& p, Choices& choices) {
       return Straight(Jump(p.a, -1, 0, 1, Kink::kAbs, choices));
     }},

    {Primitive::kSign, Opcode::kSgn, 1, kSavesNothing, UnaryValue<Sign, IntegerSign>,
     [](const Backward& b) { return b.g.Filled(0); },
     [](const ElementwisePoint& p, Choices& choices) {
       if (std::isnan(p.a.v)) return Straight(Jump(p.a, 0, 0, 0, Kink::kSgn, choices));
       return Straight(MayBeZero(p.a) ? choices.OfJump(/*near=*/p.a.e != 0)
                                      : Slope{kZero, 0, /*flat=*/true});
     }},

    {Primitive::kClamp, Opcode::kClamp, 1, kSavesA, Clamped,
     [](const Backward& b) {
       const bool flat = b.step.arguments.flat_at_limits;
       const Array* weight = ClampWeight(b.calculus.arena(), b.elements(0), b.step.arguments,
                                         flat || b.rules().clamp_is_flat_at_limits);
       return flat ? WeighedBySign(b, weight, b.in(0).v) : b.g.Weighed(weight);
     }},
};

static_assert(AreRowsOf(kUnaryRows, Primitive::kNegate, Primitive::kTan),
              "in the order of Primitive");
static_assert(NameEveryOp(kUnaryRows, 1, Opcode::kNeg, Opcode::kTan) &&
                  NameEveryOp(kUnaryRows, 1, Opcode::kClamp, Opcode::kHardtanh),
              "a row for each elementwise statement of one operand but those of smooth_primitives");

}  // namespace

absl::Span<const PrimitiveRow> UnaryPrimitives() { return kUnaryRows; }

}  // namespace twingrad::reference
