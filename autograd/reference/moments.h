// Means and variances of groups, for any algebra (composite.h).
//
// A group is a place of a reduction's result; a map says for each element which group it belongs
// to, as for kScatterAdd.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/reference/algebra.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/numbers.h"
#include "autograd/reference/primitives.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {

// The rows along `dim`, a group each.
inline ReductionMap RowsAlong(Arena& arena, const Shape& shape, size_t dim) {
  Shape kept = shape;
  kept[dim] = 1;
  return {kept, BroadcastMap(arena, kept, shape), shape[dim]};
}

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

// The same where engines may multiply both by a factor before they subtract.
template <typename Algebra>
ValueIn<Algebra> RoughDistances(Algebra& algebra, const ValueIn<Algebra>& a,
                                const PrimitiveArguments& groups) {
  const auto mean =
      Gather(algebra, MeanOf(algebra, a, groups), groups.map, algebra.ArrayOf(a)->shape);
  return algebra.Apply(Primitive::kSubtract, Roughly(algebra, a, 2), Roughly(algebra, mean, 2));
}

// Engines may take one pass, in which the mean is that of the elements so far, or (unless
// groups.from_mean) the squares are those of the elements.
template <typename Algebra>
ValueIn<Algebra> VarianceOf(Algebra& algebra, const ValueIn<Algebra>& a,
                            const PrimitiveArguments& groups) {
  const auto distance =
      groups.from_mean ? RoughDistances(algebra, a, groups) : DistancesToMeans(algebra, a, groups);
  const auto variance =
      MeanOf(algebra, algebra.Apply(Primitive::kMultiply, distance, distance), groups);
  if (groups.count < 3) return variance;
  const Array& array = *algebra.ArrayOf(groups.from_mean ? distance : a);
  std::vector<double> bounds(algebra.ArrayOf(variance)->size, 0);
  const double roundings =
      (groups.from_mean ? 1 : 4) * static_cast<double>(groups.count) * FormatOf(array.dtype).unit;
  for (int32_t i = 0; i < array.size; ++i) {
    double& bound = bounds[groups.map[i]];
    bound = std::fmax(bound, roundings * array.v[i] * array.v[i]);
  }
  return Within(algebra, variance, bounds);
}

// The gradient at all elements of a function of distances to means: these terms, whose mean in each
// group is 0.
//
// Some formulas take what is left of that mean away from each, others know that it is 0: an engine
// that has summed one cancels there what another cancels elsewhere. Where terms are infinite the
// ones make NaN of what the others leave.
template <typename Algebra, typename Terms>
ValueIn<Algebra> OfMeanZero(Algebra& algebra, const ValueIn<Algebra>& a,
                            const PrimitiveArguments& groups, const Terms& terms) {
  const auto each = terms();
  const auto left =
      Gather(algebra, MeanOf(algebra, terms(), groups), groups.map, algebra.ArrayOf(a)->shape);
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

// The gradient of a variance from that of its result, at all elements.
template <typename Algebra>
ValueIn<Algebra> VarianceGradient(Algebra& algebra, const ValueIn<Algebra>& a,
                                  const ValueIn<Algebra>& g, const PrimitiveArguments& groups) {
  const auto share =
      Gather(algebra, algebra.Apply(Primitive::kDivideCount, {.count = groups.count}, g),
             groups.map, algebra.ArrayOf(a)->shape);
  const auto twice = algebra.Apply(Primitive::kAdd, share, share);
  return OfMeanZero(algebra, a, groups, [&] {
    return algebra.Apply(Primitive::kMultiply, twice, DistancesToMeans(algebra, a, groups));
  });
}

// A number that the element type of `like` may not hold; engines may be off by two roundings.
template <typename Algebra>
ValueIn<Algebra> Inexact(Algebra& algebra, const ValueIn<Algebra>& like, double number) {
  const Array& array = *algebra.ArrayOf(like);
  const FloatFormat& format = FormatOf(array.dtype);
  const double v = Rounded(number, format);
  Array* all = NewBoundedArray(algebra.arena(), array.dtype, array.shape);
  std::fill(all->v, all->v + array.size, v);
  std::fill(all->e, all->e + array.size, 4 * format.unit * std::fabs(v));
  return algebra.Constant(all);
}

// The root of the sum of squares of each group.
template <typename Algebra>
ValueIn<Algebra> NormOf(Algebra& algebra, const ValueIn<Algebra>& a,
                        const PrimitiveArguments& groups) {
  const auto squares = algebra.Apply(Primitive::kMultiply, a, a);
  const auto sum =
      algebra.Apply(Primitive::kScatterAdd, {.map = groups.map, .shape = groups.shape}, squares);
  return algebra.Apply(Primitive::kSqrt, PrimitiveArguments(), sum);
}

// The distance of each element to the mean of its group, which in one pass is that of the elements
// so far.
template <typename Algebra>
ValueIn<Algebra> DistancesOfOnePass(Algebra& algebra, const ValueIn<Algebra>& a,
                                    const PrimitiveArguments& groups) {
  const Array& array = *algebra.ArrayOf(a);
  std::vector<double> of_mean(static_cast<size_t>(Count(*groups.shape)), 0), bounds(array.size, 0);
  for (int32_t i = 0; i < array.size; ++i) {
    of_mean[groups.map[i]] += FormatOf(array.dtype).unit * std::fabs(array.v[i]);
  }
  for (int32_t i = 0; i < array.size && groups.count > 2; ++i) bounds[i] = of_mean[groups.map[i]];
  return Within(algebra, RoughDistances(algebra, a, groups), bounds);
}

// The elements of groups of one number, as often as a power of two: the mean is that number in any
// order and by any formula.
inline std::vector<int32_t> ElementsOfEqualGroups(const Array& array,
                                                  const PrimitiveArguments& groups) {
  if (groups.count < 1 || (groups.count & (groups.count - 1)) != 0) return {};
  std::vector<int32_t> first(static_cast<size_t>(Count(*groups.shape)), -1);
  std::vector<bool> differ(first.size(), false);
  for (int32_t i = 0; i < array.size; ++i) {
    const auto group = static_cast<size_t>(groups.map[i]);
    if (first[group] < 0) first[group] = i;
    const bool is_sure = array.Error(i) == 0 && std::isfinite(array.v[i]);
    if (!is_sure || array.v[i] != array.v[first[group]]) differ[group] = true;
  }
  std::vector<int32_t> elements;
  for (int32_t i = 0; i < array.size; ++i) {
    if (!differ[static_cast<size_t>(groups.map[i])]) elements.push_back(i);
  }
  return elements;
}

// The distances that a root is taken of, at which 0 is a point of its own.
template <typename Algebra>
ValueIn<Algebra> DistancesUnderRoot(Algebra& algebra, const ValueIn<Algebra>& a,
                                    const PrimitiveArguments& groups) {
  const auto rough = DistancesOfOnePass(algebra, a, groups);
  const Array& array = *algebra.ArrayOf(a);
  const std::vector<int32_t> equal = ElementsOfEqualGroups(array, groups);
  if (equal.empty()) return rough;
  const auto mean = Gather(algebra, MeanOf(algebra, a, groups), groups.map, array.shape);
  const auto zeros = Gather(algebra, algebra.Apply(Primitive::kSubtract, a, mean),
                            ListedMap(algebra.arena(), equal),
                            algebra.arena().Keep({static_cast<int64_t>(equal.size())}));
  return Overwrite(algebra, rough, zeros, ListedMap(algebra.arena(), equal));
}

// 1 / sqrt(count) of groups, in the element type of `like`.
template <typename Algebra>
ValueIn<Algebra> InverseRootOfCount(Algebra& algebra, const ValueIn<Algebra>& like,
                                    const PrimitiveArguments& groups) {
  return Inexact(algebra, like, 1 / std::sqrt(static_cast<double>(groups.count)));
}

// The root of the variance of each group.
template <typename Algebra>
ValueIn<Algebra> DeviationOf(Algebra& algebra, const ValueIn<Algebra>& a,
                             const PrimitiveArguments& groups) {
  const auto distance = DistancesUnderRoot(algebra, a, groups);
  const auto length = algebra.Apply(Primitive::kNorm, groups, distance);
  return algebra.Apply(Primitive::kMultiply, length, InverseRootOfCount(algebra, length, groups));
}

// What elements are less the mean of their group, and 1 / sqrt(variance + eps) of it, at all
// elements. arguments.low: eps.
//
// Engines may multiply by that root before they subtract: each element and each mean is off by some
// roundings of itself. In one pass, the mean is that of the elements so far. Where squares overflow
// those that scale first are right.
template <typename Algebra>
struct Deviations {
  ValueIn<Algebra> distance, inverse;
};
template <typename Algebra>
Deviations<Algebra> DeviationsOf(Algebra& algebra, const ValueIn<Algebra>& a,
                                 PrimitiveArguments groups) {
  groups.from_mean = true;
  const Array& array = *algebra.ArrayOf(a);
  const auto spread = [&](const ValueIn<Algebra>& of) {
    return Gather(algebra, of, groups.map, array.shape);
  };
  const auto distance = DistancesOfOnePass(algebra, a, groups);
  auto variance = algebra.Apply(Primitive::kVariance, groups, a);
  const Array& squares = *algebra.ArrayOf(variance);
  std::vector<double> of_variance(squares.size, 0);
  for (int32_t i = 0; i < array.size; ++i) {
    const int32_t group = groups.map[i];
    if (std::isinf(squares.v[group]) && std::isfinite(array.v[i])) of_variance[group] = kUnknown;
  }
  variance = Within(algebra, variance, of_variance);
  const auto sum = algebra.Apply(Primitive::kAdd, variance,
                                 Constant(algebra, variance, *squares.shape, groups.low));
  return {distance, spread(algebra.Apply(Primitive::kRsqrt, PrimitiveArguments(), sum))};
}

template <typename Algebra>
ValueIn<Algebra> NormalizedOf(Algebra& algebra, const ValueIn<Algebra>& a,
                              const PrimitiveArguments& groups) {
  const auto [distance, inverse] = DeviationsOf(algebra, a, groups);
  return algebra.Apply(Primitive::kMultiply, distance, inverse);
}

// Its gradient: with n for the result, g less its mean and less n times the mean of g n, by the
// root. Engines may multiply g by the root first, and so round it before it cancels.
template <typename Algebra>
ValueIn<Algebra> NormalizedGradient(Algebra& algebra, const ValueIn<Algebra>& a,
                                    const ValueIn<Algebra>& g, const PrimitiveArguments& groups) {
  const Shape* shape = algebra.ArrayOf(a)->shape;
  const auto mean = [&](const ValueIn<Algebra>& of) {
    return Gather(algebra, MeanOf(algebra, of, groups), groups.map, shape);
  };
  const auto [distance, inverse] = DeviationsOf(algebra, a, groups);
  const auto n = algebra.Apply(Primitive::kMultiply, distance, inverse);
  const auto along =
      algebra.Apply(Primitive::kMultiply, n, mean(algebra.Apply(Primitive::kMultiply, g, n)));
  const auto apart = RoughDistances(algebra, g, groups);
  return algebra.Apply(Primitive::kMultiply, algebra.Apply(Primitive::kSubtract, apart, along),
                       inverse);
}

}  // namespace twingrad::reference
