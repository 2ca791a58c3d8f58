#include "autograd/reference/jets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "autograd/reference/algebra.h"
#include "autograd/reference/partials.h"
#include "autograd/reference/primitive_row.h"
#include "autograd/reference/weights.h"

namespace twingrad::reference {

Jets JetAlgebra::Apply(Primitive primitive, const PrimitiveArguments& arguments, const Jets& a,
                       const Jets& b, const Jets& c) {
  if (primitive >= Primitive::kExtreme) return OfGroups(primitive, arguments, a);
  if (primitive == Primitive::kSquaredDifference) {
    const Jets difference = Apply(Primitive::kSubtract, a, b);
    return Apply(Primitive::kMultiply, difference, difference);
  }
  const Array* in[3] = {a.value, b.value, c.value};
  if (primitive == Primitive::kCast) {
    const bool floats = IsFloating(arguments.dtype);
    const DType to = floats ? DType::kF64 : arguments.dtype;
    return {Evaluate(arena_, primitive, in, {.dtype = to}, false), floats ? a.tangents : nullptr};
  }
  const Array* value = Evaluate(arena_, primitive, in, arguments, false);
  if (primitive == Primitive::kGather) {
    return {value, tangents_.Gather(a.tangents, arguments.map)};
  }
  if (primitive == Primitive::kScatterAdd) {
    return {value, tangents_.ScatterAdd(a.tangents, arguments.map, value->size)};
  }
  if (primitive == Primitive::kOverwrite) {
    return {value, tangents_.Overwrite(a.tangents, a.value->size, b.tangents, arguments.map)};
  }
  if (primitive == Primitive::kSelect) {
    auto* partials = arena_.Allocate<Partials>(value->size);
    for (int32_t i = 0; i < value->size; ++i) {
      const double first = c.value->i[i] != 0 ? 1 : 0, error = c.value->Error(i);
      partials[i] = {{first, error}, {1 - first, error}, {}, {}, {}};
    }
    return {value, tangents_.Combine(a.tangents, b.tangents, value->size, partials)};
  }
  if (primitive == Primitive::kClamp) {
    return Weighed(a, value, ClampWeight(arena_, a.value, arguments, kink_));
  }
  if (primitive == Primitive::kWeigh) return Weighed(a, value, b.value);
  if (primitive == Primitive::kDivideCount) {
    // Of a mean over nothing, which is NaN, no derivative is.
    const int64_t count = std::max<int64_t>(arguments.count, 1);
    const Number share = Divide({1, 0}, FromInteger(count, kDoubleFormat), kDoubleFormat);
    auto* partials = arena_.Allocate<Partials>(value->size);
    std::fill(partials, partials + value->size, Partials{share, {}, {}, {}, {}});
    return {value, tangents_.Combine(a.tangents, nullptr, value->size, partials)};
  }
  return Elementwise(primitive, value, a, b);
}

Jets JetAlgebra::Elementwise(Primitive primitive, const Array* value, const Jets& a,
                             const Jets& b) {
  if (a.tangents == nullptr && b.tangents == nullptr) return {value, nullptr};
  const auto partials_of = RowOf(primitive).partials;
  auto* partials = arena_.Allocate<Partials>(value->size);
  ElementwisePoint point;
  point.a_varies = a.tangents != nullptr;
  point.b_varies = b.tangents != nullptr;
  for (int32_t i = 0; i < value->size; ++i) {
    point.a = a.value->At(i);
    if (b.value != nullptr) point.b = b.value->At(i);
    point.result = value->At(i);
    partials[i] = partials_of(point, kink_);
  }
  return {value, tangents_.Combine(a.tangents, b.tangents, value->size, partials)};
}

// `value`, with the tangents of `a` times constant weights.
Jets JetAlgebra::Weighed(const Jets& a, const Array* value, const Array* weights) {
  auto* partials = arena_.Allocate<Partials>(value->size);
  for (int32_t i = 0; i < value->size; ++i) partials[i] = {weights->At(i), {}, {}, {}, {}};
  return {value, tangents_.Combine(a.tangents, nullptr, value->size, partials)};
}

Jets JetAlgebra::OfGroups(Primitive primitive, const PrimitiveArguments& arguments, const Jets& a) {
  const IndexMap& map = arguments.map;
  const Array* in[3] = {a.value, nullptr, nullptr};
  const Array* extremes = Evaluate(arena_, Primitive::kExtreme, in, arguments, false);
  if (primitive == Primitive::kExtreme) {
    if (a.tangents == nullptr) return {extremes, nullptr};
    const Jets terms = Weighed(a, a.value, ExtremeWeight(arena_, a.value, arguments, kink_));
    return {extremes, tangents_.ScatterAdd(terms.tangents, map, extremes->size)};
  }
  // exp(a - c) does not overflow; c is a constant that the result does not depend on.
  Array* constants = NewArray(arena_, DType::kF64, arguments.shape, extremes->size);
  for (int32_t g = 0; g < extremes->size; ++g) {
    const bool shifts = primitive != Primitive::kLogSumExp || std::isfinite(extremes->v[g]);
    constants->v[g] = shifts ? extremes->v[g] : 0;
  }
  const auto spread = [&](const Jets& groups) {
    return Gather(*this, groups, map, a.value->shape);
  };
  const Jets shift = Constant(constants);
  const Jets below = Apply(Primitive::kSubtract, a, spread(shift));
  const Jets each = Apply(Primitive::kExp, below);
  const Jets sums = ScatterAdd(*this, each, map, arguments.shape);
  if (primitive == Primitive::kSoftmax) return Apply(Primitive::kDivide, each, spread(sums));
  const Jets logs = Apply(Primitive::kLog, sums);
  if (primitive == Primitive::kLogSumExp) return Apply(Primitive::kAdd, logs, shift);
  return Apply(Primitive::kSubtract, below, spread(logs));
}

}  // namespace twingrad::reference
