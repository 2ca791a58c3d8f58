// The algebra of composite.h on elements alone: by it the value of a primitive follows from others.
//
//   ElementAlgebra elements{evaluation};
//   return NormOf(elements, evaluation.in[0], evaluation.arguments);

#pragma once

#include "autograd/reference/primitive_row.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

struct ElementAlgebra {
  using Value = const Array*;

  const Evaluation& evaluation;

  Arena& arena() { return evaluation.arena; }
  Value Apply(Primitive primitive, const PrimitiveArguments& arguments, Value a,
              Value b = nullptr) {
    const Array* in[3] = {a, b, nullptr};
    return Evaluate(evaluation.arena, primitive, in, arguments, evaluation.lenient);
  }
  Value Apply(Primitive primitive, Value a, Value b = nullptr) {
    return Apply(primitive, PrimitiveArguments(), a, b);
  }
  Value Constant(Value array) const { return array; }
  Value ArrayOf(Value array) const { return array; }
};

}  // namespace twingrad::reference
