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

// The groups whose factors above 1 overflow together where with the others they do not: so they do
// on the way in some orders, of which none is the right one.
inline std::vector<bool> OverflowInSomeOrder(const Array& a, const IndexMap& map, int32_t groups) {
  std::vector<bool> open(groups, false);
  if (!IsFloating(a.dtype)) return open;
  // A factor of 2 to either side of the end, for logarithms that round.
  const double end = std::log2(FormatOf(a.dtype).largest) - 1;
  std::vector<double> of_greater(groups, 0), of_all(groups, 0);  // logarithms of sizes
  for (int32_t i = 0; i < map.size; ++i) {
    const double log = std::log2(std::fabs(a.v[i]));
    of_all[map[i]] += log;
    of_greater[map[i]] += std::fmax(log, 0);
  }
  for (int32_t g = 0; g < groups; ++g) {
    open[g] = std::isfinite(of_greater[g]) && of_greater[g] > end && of_all[g] < end + 2;
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

}  // namespace twingrad::reference
