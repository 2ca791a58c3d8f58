// Means and variances of groups, for any algebra (composite.h).
//
// A group is a place of a reduction's result; a map says for each element which group it belongs
// to, as for kScatterAdd.

#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/reference/algebra.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/numbers.h"
#include "autograd/reference/primitives.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {

// Of each group, as `groups` says: its map, shape, count and whether its gradient is divided late.
template <typename Algebra>
ValueIn<Algebra> MeanOf(Algebra& algebra, const ValueIn<Algebra>& a,
                        const PrimitiveArguments& groups) {
  const auto sum = algebra.Apply(
      Primitive::kScatterAdd,
      {.map = groups.map, .shape = groups.shape, .count = groups.count, .late = groups.late}, a);
  return algebra.Apply(Primitive::kDivideCount, {.count = groups.count, .late = groups.late}, sum);
}

template <typename Algebra>
PrimitiveArguments GroupsOf(Algebra& algebra, const ReductionMap& reduction) {
  return {.map = reduction.map,
          .shape = algebra.arena().Keep(reduction.shape),
          .count = reduction.count,
          .late = algebra.DividesLate()};
}

template <typename Algebra>
ValueIn<Algebra> MeanOver(Algebra& algebra, const ValueIn<Algebra>& a,
                          const ReductionMap& reduction) {
  return MeanOf(algebra, a, GroupsOf(algebra, reduction));
}

// The distance of each element to the mean of its group.
//
// Shares that round leave something of what here cancels, and so do distances, of which alone other
// formulas make the gradient.
template <typename Algebra>
ValueIn<Algebra> DistancesToMeans(Algebra& algebra, const ValueIn<Algebra>& a,
                                  const PrimitiveArguments& groups) {
  const auto mean =
      Gather(algebra, MeanOf(algebra, a, groups), groups.map, algebra.ArrayOf(a)->shape);
  const Array& x = *algebra.ArrayOf(a);
  const Array& m = *algebra.ArrayOf(mean);
  bool rounds = (groups.count & (groups.count - 1)) != 0;
  for (int32_t i = 0; i < x.size && !rounds; ++i) {
    rounds = Subtract(x.At(i), m.At(i), FormatOf(x.dtype)).e != 0;
  }
  if (!rounds) return algebra.Apply(Primitive::kSubtract, a, mean);
  return algebra.Apply(Primitive::kSubtract, Roughly(algebra, a, 8), Roughly(algebra, mean, 8));
}

// Engines may take one pass, in which the mean is that of the elements so far.
template <typename Algebra>
ValueIn<Algebra> VarianceOf(Algebra& algebra, const ValueIn<Algebra>& a,
                            const PrimitiveArguments& groups) {
  const auto distance = DistancesToMeans(algebra, a, groups);
  const auto variance =
      MeanOf(algebra, algebra.Apply(Primitive::kMultiply, distance, distance), groups);
  if (groups.count < 3) return variance;
  const Array& array = *algebra.ArrayOf(a);
  std::vector<double> bounds(algebra.ArrayOf(variance)->size, 0);
  const double roundings = 4 * static_cast<double>(groups.count) * FormatOf(array.dtype).unit;
  for (int32_t i = 0; i < array.size; ++i) {
    double& bound = bounds[groups.map[i]];
    bound = std::fmax(bound, roundings * array.v[i] * array.v[i]);
  }
  return Within(algebra, variance, bounds);
}

// Its gradient from that of its result, at all elements.
//
// Some formulas take what is left of the mean of these terms away from each, others know that it is
// 0: an engine that has summed one cancels there what another cancels elsewhere. Where terms are
// infinite the ones make NaN of what the others leave.
template <typename Algebra>
ValueIn<Algebra> VarianceGradient(Algebra& algebra, const ValueIn<Algebra>& a,
                                  const ValueIn<Algebra>& g, const PrimitiveArguments& groups) {
  const Shape* shape = algebra.ArrayOf(a)->shape;
  const auto share =
      Gather(algebra, algebra.Apply(Primitive::kDivideCount, {.count = groups.count}, g),
             groups.map, shape);
  const auto twice = algebra.Apply(Primitive::kAdd, share, share);
  const auto terms = [&] {
    return algebra.Apply(Primitive::kMultiply, twice, DistancesToMeans(algebra, a, groups));
  };
  const auto each = terms();
  const auto left = Gather(algebra, MeanOf(algebra, terms(), groups), groups.map, shape);
  const Array& term = *algebra.ArrayOf(each);
  const Array& rest = *algebra.ArrayOf(left);
  std::vector<double> bounds(term.size, 0);
  std::vector<int32_t> parted;
  for (int32_t i = 0; i < term.size; ++i) {
    if (std::isfinite(rest.v[i]) || std::isnan(term.v[i])) continue;
    bounds[i] = kUnknown;
    parted.push_back(i);
  }
  if (parted.empty()) return algebra.Apply(Primitive::kSubtract, each, left);
  const auto zeros = Constant(algebra, a, {static_cast<int64_t>(parted.size())}, 0);
  const auto kept = Overwrite(algebra, left, zeros, ListedMap(algebra.arena(), parted));
  return algebra.Apply(Primitive::kSubtract, Within(algebra, each, bounds), kept);
}

}  // namespace twingrad::reference
