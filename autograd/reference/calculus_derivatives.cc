// The derivative of every primitive; those that take more than a line are in calculus_formulas.cc.

#include "autograd/base/check.h"
#include "autograd/reference/calculus.h"
#include "autograd/reference/group_primitives.h"

namespace twingrad::reference {

Variable Calculus::Derivative(NodeId id, const Step& step, int which, const Variable& g) {
  const auto in = [&](int k) { return Unpack(id, step.in[k]); };
  switch (step.primitive) {
    case Primitive::kAdd:
    case Primitive::kAddAll:
      return g;
    case Primitive::kSubtract:
      return which == 0 ? g : Apply(Primitive::kNegate, g);
    case Primitive::kMultiply:
      return Apply(Primitive::kMultiply, g, in(1 - which));
    case Primitive::kDivide:
      return DerivativeOfQuotient(id, step, which, g);
    case Primitive::kWeigh:
      // No gradient reaches the weight; where it has history, zeros do.
      return which == 1 ? Constant(0, g) : DerivativeOfMap(id, step, g);
    case Primitive::kPower:
      return DerivativeOfPower(id, step, which, g);
    case Primitive::kMaximum:
    case Primitive::kMinimum: {
      Variable weight;
      weight.data = MaximumWeight(arena_, step.in[0].data, step.in[1].data, which,
                                  step.primitive == Primitive::kMinimum);
      return Apply(Primitive::kWeigh, g, weight);
    }
    case Primitive::kSquaredDifference: {
      const Variable difference = Apply(Primitive::kSubtract, in(which), in(1 - which));
      return Apply(Primitive::kMultiply, g,
                   Apply(Primitive::kMultiply, Constant(2, difference), difference));
    }
    case Primitive::kSelect: {
      const Variable zero = Constant(0, g);
      return which == 0 ? Apply(Primitive::kSelect, g, zero, in(2))
                        : Apply(Primitive::kSelect, zero, g, in(2));
    }
    case Primitive::kOverwrite: {
      if (which == 1) return Gather(g, step.arguments.map, step.in[1].data->shape);
      Variable zero;
      const Array& values = *step.in[1].data;
      zero.data = Filled(arena_, values.dtype, values.shape, values.size, 0);
      return Apply(Primitive::kOverwrite, g, zero, {}, step.arguments);
    }
    case Primitive::kNegate:
    case Primitive::kExp:
    case Primitive::kLog:
    case Primitive::kSqrt:
    case Primitive::kSin:
    case Primitive::kCos:
    case Primitive::kTanh:
    case Primitive::kSigmoid:
    case Primitive::kRelu:
    case Primitive::kAbs:
    case Primitive::kSign:
    case Primitive::kClamp:
    case Primitive::kDivideCount:
    case Primitive::kCast:
    case Primitive::kGather:
    case Primitive::kScatterAdd:
    case Primitive::kExtreme:
    case Primitive::kLogSumExp:
    case Primitive::kSoftmax:
    case Primitive::kLogSoftmax:
      return DerivativeOfMap(id, step, g);
  }
  AG_CHECK(false, "[reference] primitive ", static_cast<int>(step.primitive), " is not known");
}

// Of primitives with one differentiable input.
Variable Calculus::DerivativeOfMap(NodeId id, const Step& step, const Variable& g) {
  const auto in = [&] { return Unpack(id, step.in[0]); };
  const auto result = [&] { return Unpack(id, step.out); };
  const auto times = [&](const Variable& factor) { return Apply(Primitive::kMultiply, g, factor); };
  switch (step.primitive) {
    case Primitive::kNegate:
      return Apply(Primitive::kNegate, g);
    case Primitive::kExp:
      return times(result());
    case Primitive::kLog:
      return Apply(Primitive::kDivide, g, in());
    case Primitive::kSqrt: {
      const Variable r = result();
      return Apply(Primitive::kDivide, g, Apply(Primitive::kMultiply, Constant(2, r), r));
    }
    case Primitive::kSin:
      return times(Apply(Primitive::kCos, in()));
    case Primitive::kCos:
      return Apply(Primitive::kNegate, times(Apply(Primitive::kSin, in())));
    case Primitive::kTanh: {
      const Variable r = result();
      return times(Apply(Primitive::kSubtract, Constant(1, r), Apply(Primitive::kMultiply, r, r)));
    }
    case Primitive::kSigmoid: {
      const Variable r = result();
      return times(Apply(Primitive::kMultiply, r, Apply(Primitive::kSubtract, Constant(1, r), r)));
    }
    case Primitive::kRelu:
      return DerivativeOfSign(ReluWeight(arena_, step.out.data), result(), g);
    case Primitive::kAbs:
      return DerivativeOfSign(SignOf(arena_, step.in[0].data), in(), g);
    case Primitive::kSign:
      return Constant(0, g);
    case Primitive::kClamp:
      return DerivativeOfClamp(step, g);
    case Primitive::kWeigh:
      return Apply(Primitive::kWeigh, g, Unpack(id, step.in[1]));
    case Primitive::kExtreme:
    case Primitive::kLogSumExp:
    case Primitive::kSoftmax:
    case Primitive::kLogSoftmax:
      return DerivativeOfGroups(id, step, g);
    case Primitive::kDivideCount:
      return step.arguments.late ? g : Shared(g, step.arguments.count);
    case Primitive::kCast:
      return DerivativeOfCast(step, g);
    case Primitive::kGather:
    case Primitive::kScatterAdd:
      return DerivativeOfPlaces(step, g);
    case Primitive::kAdd:
    case Primitive::kSubtract:
    case Primitive::kMultiply:
    case Primitive::kDivide:
    case Primitive::kPower:
    case Primitive::kMaximum:
    case Primitive::kMinimum:
    case Primitive::kSquaredDifference:
    case Primitive::kSelect:
    case Primitive::kOverwrite:
    case Primitive::kAddAll:
      break;  // of several inputs: Derivative()
  }
  AG_CHECK(false, "[reference] primitive ", static_cast<int>(step.primitive), " is not a map");
}

}  // namespace twingrad::reference
