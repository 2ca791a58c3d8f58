// Derivatives that take more than a line: groups, powers, quotients, signs.

#include <cstdint>

#include "autograd/base/check.h"
#include "autograd/reference/calculus.h"
#include "autograd/reference/group_primitives.h"

namespace twingrad::reference {

Variable Calculus::DerivativeOfGroups(NodeId id, const Step& step, const Variable& g) {
  const IndexMap& map = step.arguments.map;
  const Shape* shape = step.in[0].data->shape;
  const Variable r = Unpack(id, step.out);
  const auto sums = [&](const Variable& terms) {
    return Gather(ScatterAdd(terms, map, step.arguments.shape), map, shape);
  };
  if (step.primitive == Primitive::kExtreme) {
    bool tie = false;
    Variable weight;
    weight.data = ExtremeWeight(arena_, step.in[0].data, step.arguments, &tie);
    return Apply(Primitive::kWeigh, Gather(g, map, shape), weight);
  }
  if (step.primitive == Primitive::kLogSumExp) {
    const Variable below =
        Apply(Primitive::kSubtract, Unpack(id, step.in[0]), Gather(r, map, shape));
    return Apply(Primitive::kMultiply, Gather(g, map, shape), Apply(Primitive::kExp, below));
  }
  if (step.primitive == Primitive::kSoftmax) {
    return Apply(Primitive::kMultiply,
                 Apply(Primitive::kSubtract, g, sums(Apply(Primitive::kMultiply, g, r))), r);
  }
  AG_CHECK(step.primitive == Primitive::kLogSoftmax, "[reference] not a primitive of groups");
  {
    return Apply(Primitive::kSubtract, g,
                 Apply(Primitive::kMultiply, Apply(Primitive::kExp, r), sums(g)));
  }
}

Variable Calculus::DerivativeOfCast(const Step& step, const Variable& g) {
  PrimitiveArguments arguments;
  arguments.dtype = step.in[0].data->dtype;
  return Apply(Primitive::kCast, g, {}, {}, arguments);
}

Variable Calculus::DerivativeOfClamp(const Step& step, const Variable& g) {
  bool kink = false;
  Variable weight;
  weight.data =
      ClampWeight(arena_, step.in[0].data, step.arguments, &kink, rules_.clamp_is_flat_at_limits);
  return Apply(Primitive::kWeigh, g, weight);
}

// Gather and scatter-add are each other's derivatives.
Variable Calculus::DerivativeOfPlaces(const Step& step, const Variable& g) {
  PrimitiveArguments arguments = step.arguments;
  arguments.shape = step.in[0].data->shape;
  arguments.late = false;
  const bool gathers = step.primitive == Primitive::kGather;
  const Variable out =
      Apply(gathers ? Primitive::kScatterAdd : Primitive::kGather, g, {}, {}, arguments);
  return step.arguments.late ? Shared(out, step.arguments.count) : out;
}

// (b == 0 ? 0 : g b a^(b-1)) and (a == 0 && b >= 0 ? 0 : g a^b log a).
Variable Calculus::DerivativeOfPower(NodeId id, const Step& step, int which, const Variable& g) {
  const Variable a = Unpack(id, step.in[0]), b = Unpack(id, step.in[1]);
  Variable flat, slope;
  if (which == 0) {
    flat.data = IsZero(arena_, b.data);
    const Variable power =
        Apply(Primitive::kPower, a, Apply(Primitive::kSubtract, b, Constant(1, b)));
    slope = Apply(Primitive::kMultiply, Apply(Primitive::kMultiply, g, b), power);
  } else {
    flat.data = IsZeroToPositive(arena_, a.data, b.data);
    slope = Apply(Primitive::kMultiply, Apply(Primitive::kMultiply, g, Unpack(id, step.out)),
                  Apply(Primitive::kLog, a));
  }
  return Apply(Primitive::kSelect, Constant(0, slope), slope, flat);
}

// The second operand's: -(g·a) / (b·b), or -g·(a / b / b).
Variable Calculus::DerivativeOfQuotient(NodeId id, const Step& step, int which, const Variable& g) {
  const Variable b = Unpack(id, step.in[1]);
  if (which == 0) return Apply(Primitive::kDivide, g, b);
  const Variable a = Unpack(id, step.in[0]);
  if (rules_.divides_late) {
    const Variable quotient = Apply(Primitive::kDivide, Apply(Primitive::kDivide, a, b), b);
    return Apply(Primitive::kMultiply, Apply(Primitive::kNegate, g), quotient);
  }
  return Apply(Primitive::kNegate, Apply(Primitive::kDivide, Apply(Primitive::kMultiply, g, a),
                                         Apply(Primitive::kMultiply, b, b)));
}

// Of relu and abs: g times a weight that is constant where `value` does not change its sign.
Variable Calculus::DerivativeOfSign(const Array* weight, Variable value, const Variable& g) {
  if (!rules_.signs_have_history) value = {};
  value.data = weight;
  return Apply(Primitive::kWeigh, g, value);
}

// Derivative of a mean: each of `count` elements gets an equal share. A mean over nothing is NaN in
// any case; its share is 1, because infinity would turn further derivatives into NaN.
Variable Calculus::Shared(const Variable& g, int64_t count) {
  if (count == 0) return g;
  const Variable part =
      Apply(Primitive::kDivide, g, Constant(FromInteger(count, FormatOf(g.data->dtype)).v, g));
  if (rules_.divides_late && part.tracked) nodes_[part.node].saves = false;
  return part;
}

}  // namespace twingrad::reference
