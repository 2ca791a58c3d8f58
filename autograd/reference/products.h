// Products of groups, for any algebra (composite.h). Engines may multiply the factors in any order.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/reference/algebra.h"
#include "autograd/reference/arena.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/numbers.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

// Whether the product of some factors of a group, and of a gradient of usual size (one rounding
// unit or more), may be subnormal.
inline bool MayUnderflow(const Array& a, const IndexMap& map, int32_t groups) {
  if (!IsFloating(a.dtype)) return false;
  const FloatFormat& format = FormatOf(a.dtype);
  const double end = 4 * format.smallest_normal / format.unit;
  std::vector<double> least(groups, 1.0);
  for (int32_t i = 0; i < map.size; ++i) {
    const double size = std::fabs(a.v[i]);
    if (size != 0 && size < 1) least[map[i]] *= size;
  }
  return std::any_of(least.begin(), least.end(), [end](double x) { return x < end; });
}

// The sizes of factors that an engine may multiply in any order, as logarithms.
class Factors {
 public:
  void Add(double factor) {
    const double log = std::log2(std::fabs(factor));
    all_ += log;
    above_1_ += std::fmax(log, 0);
  }
  // Whether those above 1 overflow together where with the others they do not: so they do on the
  // way in some orders, of which none is the right one.
  bool OverflowInSomeOrder(const FloatFormat& format) const {
    // A factor of 2 to either side of the end, for logarithms that round.
    const double end = std::log2(format.largest) - 1;
    return std::isfinite(above_1_) && above_1_ > end && all_ < end + 2;
  }

 private:
  double all_ = 0;
  double above_1_ = 0;
};

// The groups of which that holds.
inline std::vector<bool> OverflowInSomeOrder(const Array& a, const IndexMap& map, int32_t groups) {
  std::vector<bool> open(groups, false);
  if (!IsFloating(a.dtype)) return open;
  std::vector<Factors> factors(groups);
  for (int32_t i = 0; i < map.size; ++i) factors[map[i]].Add(a.v[i]);
  for (int32_t g = 0; g < groups; ++g) {
    open[g] = factors[g].OverflowInSomeOrder(FormatOf(a.dtype));
  }
  return open;
}

// x, of whose elements nothing is known where `open`, nor of what is derived through them.
template <typename Algebra>
ValueIn<Algebra> UnknownWhere(Algebra& algebra, const ValueIn<Algebra>& x,
                              const std::vector<bool>& open) {
  if (std::none_of(open.begin(), open.end(), [](bool is) { return is; })) return x;
  const Array& array = *algebra.ArrayOf(x);
  Array* ones = NewBoundedArray(algebra.arena(), array.dtype, array.shape);
  for (int32_t i = 0; i < array.size; ++i) {
    ones->v[i] = 1;
    ones->e[i] = open[i] ? kUnknown : 0;
  }
  return algebra.Apply(Primitive::kWeigh, x, algebra.Constant(ones));
}

// The product of each group, factor by factor: the first of each group times the second, and so on.
template <typename Algebra>
ValueIn<Algebra> ProductOf(Algebra& algebra, const ValueIn<Algebra>& a,
                           const ReductionMap& groups) {
  Arena& arena = algebra.arena();
  const Shape* shape = arena.Keep(groups.shape);
  const int32_t size = Count(groups.shape);
  if (groups.count == 0) {  // 1, and a gradient without elements
    return algebra.Apply(Primitive::kAdd, ScatterAdd(algebra, a, groups.map, shape),
                         Constant(algebra, a, groups.shape, 1));
  }
  if (groups.count > 64) throw TooLong();
  std::vector<int32_t> seen(size, 0);
  std::vector<int32_t*> places(groups.count);
  for (int32_t*& place : places) place = arena.Allocate<int32_t>(size);
  for (int32_t i = 0; i < groups.map.size; ++i) {
    const int32_t g = groups.map[i];
    places[seen[g]++][g] = i;
  }
  const PrimitiveArguments any_order = {
      .in_product = true, .may_underflow = MayUnderflow(*algebra.ArrayOf(a), groups.map, size)};
  auto product = Gather(algebra, a, {places[0], size}, shape);
  for (size_t k = 1; k < places.size(); ++k) {
    product = algebra.Apply(Primitive::kMultiply, any_order, product,
                            Gather(algebra, a, {places[k], size}, shape));
  }
  const auto open = OverflowInSomeOrder(*algebra.ArrayOf(a), groups.map, size);
  return UnknownWhere(algebra, product, open);
}

// Entry k of each row along `dim` is the product of the factors up to it: entry k - 1 times the
// next factor.
template <typename Algebra>
ValueIn<Algebra> RunningProduct(Algebra& algebra, const ValueIn<Algebra>& a, const Shape& shape,
                                size_t dim) {
  Arena& arena = algebra.arena();
  if (shape[dim] > 64) throw TooLong();
  if (shape[dim] == 0) return Gather(algebra, a, {nullptr, 0}, arena.Keep(shape));
  Shape entry = shape;
  entry[dim] = 1;
  const Shape* kept = arena.Keep(entry);
  const Array& numbers = *algebra.ArrayOf(a);
  const IndexMap rows = BroadcastMap(arena, entry, shape);
  const PrimitiveArguments any_order = {.in_product = true,
                                        .may_underflow = MayUnderflow(numbers, rows, Count(entry))};
  auto result = Constant(algebra, a, shape, 0), product = result;
  std::vector<Factors> factors(static_cast<size_t>(Count(entry)));
  std::vector<bool> open(factors.size(), false);
  for (int64_t k = 0; k < shape[dim]; ++k) {
    const IndexMap places = PartMap(arena, entry, shape, dim, k);
    const auto factor = Gather(algebra, a, places, kept);
    product = k == 0 ? factor : algebra.Apply(Primitive::kMultiply, any_order, product, factor);
    for (size_t row = 0; IsFloating(numbers.dtype) && row < factors.size(); ++row) {
      factors[row].Add(numbers.v[places[static_cast<int32_t>(row)]]);
      open[row] = factors[row].OverflowInSomeOrder(FormatOf(numbers.dtype));
    }
    result = Overwrite(algebra, result, UnknownWhere(algebra, product, open), places);
  }
  return result;
}

}  // namespace twingrad::reference
