// Statements of several primitives, with their tangents.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/types/span.h"
#include "autograd/reference/composite.h"
#include "autograd/reference/dual_interpreter.h"
#include "autograd/reference/group_primitives.h"

namespace twingrad::reference {

// The algebra of composite.h on jets.
class DualAlgebra {
 public:
  using Value = Jets;

  explicit DualAlgebra(DualInterpreter& run) : run_(run) {}

  Arena& arena() { return run_.arena_; }
  const Shape* Keep(const Shape& shape) { return run_.Keep(shape); }
  const Array* ArrayOf(const Jets& jets) const { return jets.value; }
  void NoteTie() { run_.result_.kink = true; }
  Jets Constant(const Array* array) { return {array, nullptr}; }
  Jets Gather(const Jets& a, const IndexMap& map, const Shape* shape) {
    return run_.Gather(a, map, shape);
  }
  Jets Pick(const Jets& a, const IndexMap& map, const Shape* shape) {
    return run_.Gather(a, map, shape);
  }
  Jets ScatterAdd(const Jets& a, const IndexMap& map, const Shape* shape) {
    return run_.ScatterAdd(a, map, shape);
  }
  Jets Overwrite(const Jets& base, const Jets& values, const IndexMap& map) {
    PrimitiveArguments arguments;
    arguments.map = map;
    return {run_.Apply(Primitive::kOverwrite, base.value, values.value, arguments),
            run_.algebra_.Overwrite(base.tangents, base.value->size, values.tangents, map)};
  }
  Jets Apply(Primitive primitive, const Jets& a, const Jets& b = {},
             const PrimitiveArguments& arguments = {}) {
    if (primitive == Primitive::kExtreme || primitive == Primitive::kLogSumExp ||
        primitive == Primitive::kSoftmax || primitive == Primitive::kLogSoftmax) {
      return run_.OfGroups(primitive, a, arguments);
    }
    if (primitive == Primitive::kSquaredDifference) {
      const Jets difference = run_.Elementwise(Primitive::kSubtract, a, &b);
      return run_.Elementwise(Primitive::kMultiply, difference, &difference);
    }
    if (primitive == Primitive::kClamp) {
      return run_.Weighed(a, run_.Apply(primitive, a.value, nullptr, arguments),
                          ClampWeight(arena(), a.value, arguments, &run_.result_.kink));
    }
    if (primitive == Primitive::kWeigh) {
      return run_.Weighed(a, run_.Apply(primitive, a.value, b.value), b.value);
    }
    return run_.Elementwise(primitive, a, b.value == nullptr ? nullptr : &b);
  }

 private:
  DualInterpreter& run_;
};

Jets DualInterpreter::LowerComposite(const program::Statement& statement, const Jets* in,
                                     const Shape* const* shapes) {
  DualAlgebra algebra(*this);
  const size_t count = statement.operands.size();
  Jets out;
  if (Composite(algebra, statement, absl::MakeConstSpan(in, count),
                absl::MakeConstSpan(shapes, count))
          .Lower(&out)) {
    return out;
  }
  throw NotApplicable{"a statement without a derivative"};
}

// `value`, with the tangents of `a` times constant weights.
Jets DualInterpreter::Weighed(const Jets& a, const Array* value, const Array* weights) {
  auto* partials = arena_.Allocate<Partials>(value->size);
  for (int32_t i = 0; i < value->size; ++i) partials[i] = {weights->At(i), {}, {}, {}, {}};
  return {value, algebra_.Combine(a.tangents, nullptr, value->size, partials)};
}

Jets DualInterpreter::OfGroups(Primitive primitive, const Jets& a,
                               const PrimitiveArguments& arguments) {
  const Array* extremes = Apply(Primitive::kExtreme, a.value, nullptr, arguments);
  if (primitive == Primitive::kExtreme) {
    if (a.tangents == nullptr) return {extremes, nullptr};
    const Array* weights = ExtremeWeight(arena_, a.value, arguments, &result_.kink);
    const Jets terms = Weighed(a, a.value, weights);
    return {extremes, algebra_.ScatterAdd(terms.tangents, arguments.map, extremes->size)};
  }
  // exp(a - c) does not overflow; c is a constant that the result does not depend on.
  Array* constants = NewArray(arena_, DType::kF64, arguments.shape, extremes->size);
  for (int32_t g = 0; g < extremes->size; ++g) {
    const bool shifts = primitive != Primitive::kLogSumExp || std::isfinite(extremes->v[g]);
    constants->v[g] = shifts ? extremes->v[g] : 0;
  }
  const auto spread = [&](const Jets& groups) {
    return Gather(groups, arguments.map, a.value->shape);
  };
  const Jets shift{constants, nullptr}, repeated = spread(shift);
  const Jets below = Elementwise(Primitive::kSubtract, a, &repeated);
  const Jets each = Elementwise(Primitive::kExp, below, nullptr);
  const Jets sums = ScatterAdd(each, arguments.map, arguments.shape);
  if (primitive == Primitive::kSoftmax) {
    const Jets total = spread(sums);
    return Elementwise(Primitive::kDivide, each, &total);
  }
  const Jets logs = Elementwise(Primitive::kLog, sums, nullptr);
  if (primitive == Primitive::kLogSumExp) return Elementwise(Primitive::kAdd, logs, &shift);
  const Jets total = spread(logs);
  return Elementwise(Primitive::kSubtract, below, &total);
}

}  // namespace twingrad::reference
