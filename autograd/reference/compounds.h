// Ops that are a few steps of algebra.h: products that are added to something, running products
// and logarithms of sums, and functions of several pieces.
//
// Written for any algebra (composite.h). Where a function has a kink, one choice of one primitive
// gives each legal slope, so that two choices never disagree.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/opcode.h"
#include "autograd/reference/algebra.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/moments.h"
#include "autograd/reference/place_map.h"
#include "autograd/reference/primitives.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {

// addmm and the like: in[0], broadcast, plus a product of in[1] and in[2].
template <typename Algebra>
ValueIn<Algebra> AddedProductOf(Algebra& algebra, program::Opcode op,
                                absl::Span<const ValueIn<Algebra>> in,
                                absl::Span<const Shape* const> shapes) {
  Arena& arena = algebra.arena();
  Shape left = *shapes[1], right = *shapes[2];
  if (op == program::Opcode::kAddr) {  // a column times a row
    left.push_back(1);
    right.insert(right.begin(), 1);
  }
  MatmulMaps maps = ProductMaps(arena, left, right);
  if (op == program::Opcode::kAddbmm) {  // all matrices are added in one place
    maps.shape.erase(maps.shape.begin());
    const int32_t size = Count(maps.shape);
    auto* places = arena.Allocate<int32_t>(maps.result.size);
    for (int32_t i = 0; i < maps.result.size; ++i) places[i] = maps.result[i] % size;
    maps.result = {places, maps.result.size};
  }
  const Shape* shape = arena.Keep(maps.shape);
  const auto base = Gather(algebra, in[0], BroadcastMap(arena, *shapes[0], *shape), shape);
  return AddedTo(algebra, base, Products(algebra, in[1], in[2], maps), maps.result, *shape);
}

// where: in[1] where the condition in[0] is true, else in[2]; masked_fill: by= there, else in[1].
template <typename Algebra>
ValueIn<Algebra> SelectOf(Algebra& algebra, const program::Statement& statement,
                          absl::Span<const ValueIn<Algebra>> in,
                          absl::Span<const Shape* const> shapes) {
  Arena& arena = algebra.arena();
  const bool fills = in.size() == 2;
  Shape joint = BroadcastShape(*shapes[0], *shapes[1]);
  if (!fills) joint = BroadcastShape(joint, *shapes[2]);
  const Shape* shape = arena.Keep(joint);
  const auto repeated = [&](size_t k) {
    return Gather(algebra, in[k], BroadcastMap(arena, *shapes[k], *shape), shape);
  };
  const auto condition = repeated(0), first = repeated(1);
  if (!fills) return algebra.Apply(Primitive::kSelect, first, repeated(2), condition);
  const double by = statement.Get<double>(program::Key::kBy);
  return algebra.Apply(Primitive::kSelect, Constant(algebra, first, joint, by), first, condition);
}

// Where this holds of an element: a condition, by which formulas in which infinities would cancel
// are left out.
template <typename Algebra>
ValueIn<Algebra> WhereEach(Algebra& algebra, const ValueIn<Algebra>& a, bool (*holds)(double)) {
  const Array& array = *algebra.ArrayOf(a);
  Array* condition = NewArray(algebra.arena(), DType::kBool, array.shape, array.size);
  for (int32_t i = 0; i < array.size; ++i) condition->i[i] = holds(array.v[i]) ? 1 : 0;
  return algebra.Constant(condition);
}

// selu above 0, and what it tends to far below, negated.
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluDepth = kSeluScale * 1.6732632423543772848170429916717;

// a above 0; below, leaky_relu: by a, elu: by (e^a - 1), and celu: by (e^(a / by) - 1). selu is elu
// with a factor.
template <typename Algebra>
ValueIn<Algebra> BentOf(Algebra& algebra, program::Opcode op, const ValueIn<Algebra>& a,
                        double by) {
  using program::Opcode;
  const Shape& shape = *algebra.ArrayOf(a)->shape;
  const auto above = algebra.Apply(Primitive::kRelu, a);
  const auto times = [&](const ValueIn<Algebra>& factor, const ValueIn<Algebra>& x) {
    return algebra.Apply(Primitive::kMultiply, factor, x);
  };
  // relu's slope s gives s + by (1 - s); a - relu(a) is a below 0, and above it nothing at all, of
  // infinities and under gradients that are no numbers too.
  const auto part = algebra.Apply(Primitive::kSubtract, a, above);
  const auto is_above = algebra.Apply(Primitive::kCast, {.dtype = DType::kBool}, above);
  auto below = algebra.Apply(Primitive::kSelect, Constant(algebra, a, shape, 0), part, is_above);
  const auto factor =
      op == Opcode::kSelu ? Inexact(algebra, a, kSeluDepth) : Constant(algebra, a, shape, by);
  if (op == Opcode::kLeakyRelu) return algebra.Apply(Primitive::kAdd, above, times(factor, below));
  if (op == Opcode::kCelu) {  // engines may multiply by the inverse, which rounds
    int exponent = 0;
    const bool exact = std::frexp(by, &exponent) == 0.5;
    below = algebra.Apply(Primitive::kDivide, exact ? below : Roughly(algebra, below, 4), factor);
  }
  // Engines may compute exp(a) - 1.
  std::vector<double> bounds;
  const Array& array = *algebra.ArrayOf(a);
  const double size = algebra.ArrayOf(factor)->size == 0 ? 0 : algebra.ArrayOf(factor)->v[0];
  const double bound = 4 * size * FormatOf(array.dtype).unit;
  for (int32_t i = 0; i < array.size; ++i) bounds.push_back(array.v[i] < 0 ? bound : 0);
  const auto scaled = times(factor, algebra.Apply(Primitive::kExpm1, below));
  const auto rises = op == Opcode::kSelu ? times(Inexact(algebra, a, kSeluScale), above) : above;
  return algebra.Apply(Primitive::kAdd, rises, Within(algebra, scaled, bounds));
}

// (a + 3) / 6 within 0 and 1, and flat at both. Engines may multiply by 1 / 6.
template <typename Algebra>
ValueIn<Algebra> HardsigmoidOf(Algebra& algebra, const ValueIn<Algebra>& a) {
  const auto within =
      algebra.Apply(Primitive::kClamp, {.low = -3, .high = 3, .flat_at_limits = true}, a);
  const Array& array = *algebra.ArrayOf(a);
  const auto sum = algebra.Apply(Primitive::kAdd, within, Constant(algebra, a, *array.shape, 3));
  const Number sixth = Divide({1, 0}, {6, 0}, FormatOf(array.dtype));
  Array* share = NewBoundedArray(algebra.arena(), array.dtype, array.shape);
  std::fill(share->v, share->v + array.size, sixth.v);
  std::fill(share->e, share->e + array.size, sixth.e);
  return algebra.Apply(Primitive::kWeigh, sum, algebra.Constant(share));
}

// Of each entry the group of those up to it. Engines may go on from the entry before, and round its
// result.
template <typename Algebra>
ValueIn<Algebra> RunningLogSumExp(Algebra& algebra, const ValueIn<Algebra>& a, const Shape& shape,
                                  size_t dim) {
  Arena& arena = algebra.arena();
  const RunningMaps maps = CumsumMaps(arena, shape, dim);
  const Array& array = *algebra.ArrayOf(a);
  std::vector<double> greatest(array.size, -kUnknown);
  for (int32_t i = 0; i < maps.to.size; ++i) {
    greatest[maps.to[i]] = std::fmax(greatest[maps.to[i]], array.v[maps.from[i]]);
  }
  // As if each term were off: so is the result, and the result that the derivative reads, where
  // formulas let later entries meet what comes before. Beside a number whose last place is greater
  // than any sum of logarithms nothing else counts.
  const double unit = FormatOf(array.dtype).unit;
  const double more = shape.empty() ? 0 : static_cast<double>(shape[dim] - 1);
  std::vector<double> bounds(maps.to.size, 0);
  for (int32_t i = 0; i < maps.to.size; ++i) {
    const double size = std::fabs(greatest[maps.to[i]]);
    const double most = std::log1p(more);
    if (unit * size <= most) bounds[i] = 4 * more * unit * (size + most + 1);
  }
  const auto terms = Gather(algebra, a, maps.from, arena.Keep({maps.from.size}));
  return algebra.Apply(Primitive::kLogSumExp, {.map = maps.to, .shape = arena.Keep(shape)},
                       Within(algebra, terms, bounds));
}

// d²/2 where |d| < 1, else |d| - 1/2, of d = a - b: with c = d within ±1 it is c (d - c/2), whose
// slope at ±1 is that of both pieces whatever the slope of c is.
template <typename Algebra>
ValueIn<Algebra> SmoothDistance(Algebra& algebra, const ValueIn<Algebra>& a,
                                const ValueIn<Algebra>& b) {
  const auto distance = algebra.Apply(Primitive::kSubtract, a, b);
  const Shape& shape = *algebra.ArrayOf(a)->shape;
  const auto finite = WhereEach(algebra, distance, [](double x) { return std::isfinite(x); });
  const auto d =
      algebra.Apply(Primitive::kSelect, distance, Constant(algebra, a, shape, 0), finite);
  const auto c = algebra.Apply(Primitive::kClamp, {.low = -1, .high = 1}, d);
  const auto half = algebra.Apply(Primitive::kMultiply, Constant(algebra, c, shape, 0.5), c);
  const auto product =
      algebra.Apply(Primitive::kMultiply, c, algebra.Apply(Primitive::kSubtract, d, half));
  const auto far =
      algebra.Apply(Primitive::kSelect, Constant(algebra, a, shape, 1), distance, finite);
  return algebra.Apply(Primitive::kSelect, product, algebra.Apply(Primitive::kAbs, far), finite);
}

}  // namespace twingrad::reference
