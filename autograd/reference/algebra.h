// What the rules of composite.h are written in: sums, products and moves of the values of an
// algebra.
//
// An algebra is a witness's arithmetic on arrays; see composite.h for what it has. Each function
// here is a few primitives with their maps.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/opcode.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/place_map.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

// Thrown for a product of more factors than a witness multiplies one by one.
struct TooLong {};

template <typename Algebra>
using ValueIn = typename Algebra::Value;

template <typename Algebra>
ValueIn<Algebra> Gather(Algebra& algebra, const ValueIn<Algebra>& a, const IndexMap& map,
                        const Shape* shape) {
  return algebra.Apply(Primitive::kGather, {.map = map, .shape = shape}, a);
}

// By indices, which derivatives save too.
template <typename Algebra>
ValueIn<Algebra> Pick(Algebra& algebra, const ValueIn<Algebra>& a, const IndexMap& map,
                      const Shape* shape) {
  return algebra.Apply(Primitive::kGather, {.map = map, .shape = shape, .picks = true}, a);
}

template <typename Algebra>
ValueIn<Algebra> Pick(Algebra& algebra, const ValueIn<Algebra>& a, const Picks& picks,
                      const Shape* shape) {
  const Array& array = *algebra.ArrayOf(a);
  Arena& arena = algebra.arena();
  if (picks.certain()) return Pick(algebra, a, picks.places, shape);
  if (!IsFloating(array.dtype)) {
    return algebra.Constant(PickedIntegers(arena, array, picks, shape));
  }
  const PickTerms terms = TermsOf(arena, picks, array.dtype);
  const auto each = Pick(algebra, a, terms.from, terms.weights->shape);
  const auto weighed = algebra.Apply(Primitive::kWeigh, each, algebra.Constant(terms.weights));
  return algebra.Apply(Primitive::kScatterAdd, {.map = terms.to, .shape = shape}, weighed);
}

template <typename Algebra>
ValueIn<Algebra> ScatterAdd(Algebra& algebra, const ValueIn<Algebra>& a, const IndexMap& map,
                            const Shape* shape) {
  return algebra.Apply(Primitive::kScatterAdd, {.map = map, .shape = shape}, a);
}

template <typename Algebra>
ValueIn<Algebra> Overwrite(Algebra& algebra, const ValueIn<Algebra>& base,
                           const ValueIn<Algebra>& values, const IndexMap& map) {
  return algebra.Apply(Primitive::kOverwrite, {.map = map}, base, values);
}

// A constant array of one number, of the type of `like`.
template <typename Algebra>
ValueIn<Algebra> Constant(Algebra& algebra, const ValueIn<Algebra>& like, const Shape& shape,
                          double number) {
  const Shape* kept = algebra.arena().Keep(shape);
  return algebra.Constant(
      Filled(algebra.arena(), algebra.ArrayOf(like)->dtype, kept, Count(shape), number));
}

// The products of a matrix product, before they are summed.
template <typename Algebra>
ValueIn<Algebra> Products(Algebra& algebra, const ValueIn<Algebra>& a, const ValueIn<Algebra>& b,
                          const MatmulMaps& maps) {
  const Shape* shape = algebra.arena().Keep({maps.left.size});
  const auto left = Gather(algebra, a, maps.left, shape);
  const auto right = Gather(algebra, b, maps.right, shape);
  return algebra.Apply(Primitive::kMultiply, left, right);
}

// base with each of the terms added at its place, in unspecified order.
template <typename Algebra>
ValueIn<Algebra> AddedTo(Algebra& algebra, const ValueIn<Algebra>& base,
                         const ValueIn<Algebra>& terms, const IndexMap& map, const Shape& shape) {
  Arena& arena = algebra.arena();
  const int32_t size = Count(shape), total = size + map.size;
  auto* places = arena.Allocate<int32_t>(total);
  std::iota(places, places + size, 0);
  for (int32_t i = 0; i < map.size; ++i) places[size + i] = map[i];
  auto* at_end = arena.Allocate<int32_t>(map.size);
  std::iota(at_end, at_end + map.size, size);
  auto all = Constant(algebra, base, {total}, 0);
  all = Overwrite(algebra, all, base, {nullptr, size});
  all = Overwrite(algebra, all, terms, {at_end, map.size});
  return ScatterAdd(algebra, all, {places, total}, arena.Keep(shape));
}

// The same where the terms go to what is picked.
template <typename Algebra>
ValueIn<Algebra> AddedTo(Algebra& algebra, const ValueIn<Algebra>& base,
                         const ValueIn<Algebra>& terms, const Picks& picks, const Shape& shape) {
  if (picks.certain()) return AddedTo(algebra, base, terms, picks.places, shape);
  const DType dtype = algebra.ArrayOf(base)->dtype;
  if (!IsFloating(dtype)) throw UnknownInteger();
  const PickTerms each = TermsOf(algebra.arena(), picks, dtype);
  const auto taken = Gather(algebra, terms, each.to, each.weights->shape);
  const auto weighed = algebra.Apply(Primitive::kWeigh, taken, algebra.Constant(each.weights));
  return AddedTo(algebra, base, weighed, each.from, shape);
}

// x, of which engines with other formulas may have rounded terms that are `roundings` times as
// large.
template <typename Algebra>
ValueIn<Algebra> Roughly(Algebra& algebra, const ValueIn<Algebra>& x, double roundings) {
  const Array& array = *algebra.ArrayOf(x);
  Array* ones = NewArray(algebra.arena(), array.dtype, array.shape, array.size);
  ones->e = algebra.arena().template Allocate<double>(array.size);
  std::fill(ones->v, ones->v + array.size, 1.0);
  std::fill(ones->e, ones->e + array.size, roundings * FormatOf(array.dtype).unit);
  return algebra.Apply(Primitive::kWeigh, x, algebra.Constant(ones));
}

// x, of which engines with other formulas may be off by `bounds`.
template <typename Algebra>
ValueIn<Algebra> Within(Algebra& algebra, const ValueIn<Algebra>& x,
                        absl::Span<const double> bounds) {
  const Array& array = *algebra.ArrayOf(x);
  Array* zeros = NewBoundedArray(algebra.arena(), array.dtype, array.shape);
  std::fill(zeros->v, zeros->v + array.size, 0.0);
  std::copy(bounds.begin(), bounds.end(), zeros->e);
  return algebra.Apply(Primitive::kAdd, x, algebra.Constant(zeros));
}

// addcmul, addcdiv and lerp.
template <typename Algebra>
ValueIn<Algebra> TernaryOf(Algebra& algebra, program::Opcode op,
                           absl::Span<const ValueIn<Algebra>> in,
                           absl::Span<const Shape* const> shapes) {
  const Shape shape = BroadcastShape(*shapes[0], BroadcastShape(*shapes[1], *shapes[2]));
  const auto aligned = [&](size_t k) {
    if (*shapes[k] == shape) return in[k];
    Arena& arena = algebra.arena();
    return Gather(algebra, in[k], BroadcastMap(arena, *shapes[k], shape), arena.Keep(shape));
  };
  const auto a = aligned(0), b = aligned(1), c = aligned(2);
  const auto apply = [&](Primitive p, const ValueIn<Algebra>& x, const ValueIn<Algebra>& y) {
    return algebra.Apply(p, x, y);
  };
  if (op == program::Opcode::kAddcmul) {
    return apply(Primitive::kAdd, a, apply(Primitive::kMultiply, b, c));
  }
  if (op == program::Opcode::kAddcdiv) {
    return apply(Primitive::kAdd, a, apply(Primitive::kDivide, b, c));
  }
  // PyTorch takes b - (1 - c) (b - a) from c = 1/2 on, and (1 - c) a + c b is lerp too.
  const auto way = apply(Primitive::kMultiply, c, apply(Primitive::kSubtract, b, a));
  return apply(Primitive::kAdd, Roughly(algebra, a, 4), Roughly(algebra, way, 10));
}

// The products of each element of one vector with each of another.
template <typename Algebra>
ValueIn<Algebra> OuterOf(Algebra& algebra, const ValueIn<Algebra>& a, const ValueIn<Algebra>& b) {
  Arena& arena = algebra.arena();
  const int32_t rows = algebra.ArrayOf(a)->size, columns = algebra.ArrayOf(b)->size;
  const Shape* shape = arena.Keep({rows, columns});
  const auto left = Gather(algebra, a, BroadcastMap(arena, {rows, 1}, *shape), shape);
  const auto right = Gather(algebra, b, BroadcastMap(arena, {columns}, *shape), shape);
  return algebra.Apply(Primitive::kMultiply, left, right);
}

// log(1 + exp(a)) - a b. PyTorch takes (1 - b) a - log(sigmoid(a)), or adds the greater of 0 and -a
// to a logarithm: their terms may be much larger than what is left of them, and are rounded three
// times.
template <typename Algebra>
ValueIn<Algebra> BceOf(Algebra& algebra, const ValueIn<Algebra>& a, const ValueIn<Algebra>& b) {
  const Array &logit = *algebra.ArrayOf(a), &target = *algebra.ArrayOf(b);
  Array* terms = NewArray(algebra.arena(), logit.dtype, logit.shape, logit.size);
  terms->e = algebra.arena().template Allocate<double>(logit.size);
  for (int32_t i = 0; i < logit.size; ++i) {
    const double size = std::fabs(logit.v[i]) * (1 + std::fabs(target.v[i])) + 1;
    terms->v[i] = 0;
    terms->e[i] = std::isfinite(size) ? 3 * FormatOf(logit.dtype).unit * size : 0;
  }
  const auto product = algebra.Apply(Primitive::kMultiply, a, b);
  const auto loss =
      algebra.Apply(Primitive::kSubtract, algebra.Apply(Primitive::kSoftplus, a), product);
  return algebra.Apply(Primitive::kAdd, loss, algebra.Constant(terms));
}

// The parts, of these shapes, one after another along `dim`, written into an array of zeros.
template <typename Algebra>
ValueIn<Algebra> Joined(Algebra& algebra, absl::Span<const ValueIn<Algebra>> parts,
                        absl::Span<const Shape> shapes, size_t dim) {
  Shape whole = shapes[0];
  for (size_t k = 1; k < shapes.size(); ++k) whole[dim] += shapes[k][dim];
  auto joined = Constant(algebra, parts[0], whole, 0);
  int64_t start = 0;
  for (size_t k = 0; k < shapes.size(); ++k) {
    joined = Overwrite(algebra, joined, parts[k],
                       PartMap(algebra.arena(), shapes[k], whole, dim, start));
    start += shapes[k][dim];
  }
  return joined;
}

// cat and stack, of operands of these shapes.
template <typename Algebra>
ValueIn<Algebra> JoinedAlong(Algebra& algebra, absl::Span<const ValueIn<Algebra>> in,
                             absl::Span<const Shape* const> shapes, size_t dim, bool stacks) {
  std::vector<Shape> parts;
  for (const Shape* shape : shapes) {
    Shape& part = parts.emplace_back(*shape);
    if (stacks) part.insert(part.begin() + dim, 1);
  }
  return Joined<Algebra>(algebra, in, parts, dim);
}

// The sum of all elements.
template <typename Algebra>
ValueIn<Algebra> Total(Algebra& algebra, const ValueIn<Algebra>& each) {
  const int32_t size = algebra.ArrayOf(each)->size;
  auto* all = algebra.arena().template Allocate<int32_t>(size);
  std::fill(all, all + size, 0);
  return ScatterAdd(algebra, each, {all, size}, algebra.arena().Keep({}));
}

// The mean of all elements, for losses. An engine may compute it as a sum times 1 / n or divided by
// n; the bound covers both.
template <typename Algebra>
ValueIn<Algebra> MeanOf(Algebra& algebra, const ValueIn<Algebra>& each) {
  Arena& arena = algebra.arena();
  const Array& array = *algebra.ArrayOf(each);
  const auto sum = Total(algebra, each);
  Array* share = NewArray(arena, array.dtype, arena.Keep({}), 1);
  if (array.size == 0) {  // NaN, and no derivative of it is
    share->v[0] = std::numeric_limits<double>::quiet_NaN();
    return algebra.Apply(Primitive::kAdd, sum, algebra.Constant(share));
  }
  const Number part = Divide({1, 0}, {static_cast<double>(array.size), 0}, FormatOf(array.dtype));
  share->v[0] = part.v;
  share->e = arena.New(part.e);
  return algebra.Apply(Primitive::kWeigh, sum, algebra.Constant(share));
}

}  // namespace twingrad::reference
