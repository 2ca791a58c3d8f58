// Primitives on groups of elements (extremes, softmax and related ones): for each its value and its
// derivative.
//
// A map says for each element which group it belongs to, as for kScatterAdd; a group is a place of
// a reduction's result.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "autograd/reference/element_algebra.h"
#include "autograd/reference/moments.h"
#include "autograd/reference/primitive_row.h"
#include "autograd/reference/result.h"
#include "autograd/reference/weights.h"

namespace twingrad::reference {
namespace {

using program::kSavesA;
using program::kSavesResult;

// Into an array with bounds.
void Put(Array* array, int32_t at, Number x) { array->v[at] = x.v, array->e[at] = x.e; }

int64_t Pick(int64_t x, int64_t y, bool least) { return least ? std::min(x, y) : std::max(x, y); }

const Array* Extreme(const Evaluation& evaluation) {
  const auto& [arena, in, arguments, lenient] = evaluation;
  const Array* a = in[0];
  Array* out = NewBoundedArray(arena, a->dtype, arguments.shape);
  auto* seen = arena.Allocate<bool>(out->size);
  std::fill(seen, seen + out->size, false);
  if (IsFloating(a->dtype)) std::fill(out->v, out->v + out->size, -kUnknown);
  for (int32_t i = 0; i < a->size; ++i) {
    const int32_t g = arguments.map[i];
    if (!IsFloating(a->dtype)) {
      out->i[g] = seen[g] ? Pick(out->i[g], a->i[i], arguments.least) : a->i[i];
      out->e[g] += a->Error(i);
    } else {
      Number best = a->At(i);
      if (seen[g]) best = arguments.least ? Minimum(out->At(g), best) : Maximum(out->At(g), best);
      Put(out, g, best);
    }
    seen[g] = true;
  }
  return out;
}

// exp(x - shift) of each element and their sums by group. The shift is a constant, the greatest of
// the group: it changes no result on paper.
struct Exponentials {
  Array* shifted;  // x - shift
  Array* each;
  Array* sums;
  Array* shifts;
};

Exponentials Exponentiate(const Evaluation& evaluation, bool finite_shifts) {
  const auto& [arena, in, arguments, lenient] = evaluation;
  const Array* a = in[0];
  const FloatFormat& format = FormatOf(a->dtype);
  const Shape* shape = arguments.shape;
  const int32_t groups = Count(*shape);
  Exponentials x{NewBoundedArray(arena, a->dtype, a->shape),
                 NewBoundedArray(arena, a->dtype, a->shape),
                 NewBoundedArray(arena, a->dtype, shape), NewBoundedArray(arena, a->dtype, shape)};
  std::fill(x.shifts->v, x.shifts->v + groups, -kUnknown);
  // Of a group in which some element is unknown so is everything, its shift too.
  for (int32_t i = 0; i < a->size; ++i) {
    const int32_t g = arguments.map[i];
    x.shifts->v[g] = Maximum({x.shifts->v[g], 0}, {a->v[i], 0}).v;
    if (a->Error(i) == kUnknown) x.shifts->e[g] = kUnknown;
  }
  for (int32_t g = 0; g < groups && finite_shifts; ++g) {
    if (std::isinf(x.shifts->v[g])) x.shifts->v[g] = 0;
  }
  const SumInAnyOrder nothing(format);
  auto* sums = arena.Allocate<SumInAnyOrder>(groups);
  for (int32_t g = 0; g < groups; ++g) new (&sums[g]) SumInAnyOrder(nothing);
  for (int32_t i = 0; i < a->size; ++i) {
    const int32_t g = arguments.map[i];
    const Number shifted = Add(a->At(i), Negated(x.shifts->At(g)), format);
    const Number each = Exp(shifted, format);
    Put(x.shifted, i, shifted);
    Put(x.each, i, each);
    sums[g].Add(each);
  }
  for (int32_t g = 0; g < groups; ++g) {
    Put(x.sums, g, sums[g].Total());
  }
  return x;
}

// How far the share of element i may be from `share` where elements are off by their bounds: from
// 1 / the sum of exp(x[j] - x[i]), of which that for j = i is 1, however far x[i] is off.
// Engines take the greatest away from all before; exponentials, their sum and the division round.
double ShareError(const Evaluation& evaluation, int32_t i, double share, double greatest_element) {
  const Array& a = *evaluation.in[0];
  const FloatFormat& format = FormatOf(a.dtype);
  const IndexMap& map = evaluation.arguments.map;
  const auto off = [&](int32_t k) {
    return a.Error(k) + format.unit * std::fabs(a.v[k] - greatest_element);
  };
  double least = 1, greatest = 1, count = 1;  // of the sum
  for (int32_t j = 0; j < a.size; ++j) {
    if (map[j] != map[i]) continue;
    if (a.Error(j) == kUnknown) return kUnknown;
    if (j == i) continue;
    const double apart = a.v[j] - a.v[i], error = off(i) + off(j);
    least += std::exp(apart - error);
    greatest += std::exp(apart + error);
    ++count;
  }
  if (count == 1) return 0;
  const double low = 1 / greatest, high = 1 / least;
  const double error = std::fmax(high - share, share - low) * (1 + 1e-9);
  return std::isnan(least) || std::isnan(greatest)
             ? kUnknown
             : error + (count + 1 + 4 * kUlps.exp) * format.unit * high + format.tiny;
}

template <bool kOfLogarithm>
const Array* Softmax(const Evaluation& evaluation) {
  const Array* a = evaluation.in[0];
  const FloatFormat& format = FormatOf(a->dtype);
  const Exponentials x = Exponentiate(evaluation, false);
  Array* out = NewBoundedArray(evaluation.arena, a->dtype, a->shape);
  for (int32_t i = 0; i < a->size; ++i) {
    const int32_t group = evaluation.arguments.map[i];
    const Number sum = x.sums->At(group);
    Number r = kOfLogarithm ? Subtract(x.shifted->At(i), Log(sum, format), format)
                            : Divide(x.each->At(i), sum, format);
    // Of exact elements the quotient has the narrower bound already.
    const bool is_off = a->e != nullptr && r.e > 0;
    if (!kOfLogarithm && is_off) {
      r.e = std::fmin(r.e, ShareError(evaluation, i, r.v, x.shifts->v[group]));
    }
    Put(out, i, r);
  }
  return out;
}

const Array* LogSumExp(const Evaluation& evaluation) {
  const DType dtype = evaluation.in[0]->dtype;
  const FloatFormat& format = FormatOf(dtype);
  const Exponentials x = Exponentiate(evaluation, true);
  Array* out = NewBoundedArray(evaluation.arena, dtype, evaluation.arguments.shape);
  for (int32_t g = 0; g < out->size; ++g) {
    const Number r = Add(Log(x.sums->At(g), format), x.shifts->At(g), format);
    Put(out, g, r);
  }
  return out;
}

const Array* Variance(const Evaluation& evaluation) {
  ElementAlgebra elements{evaluation};
  return VarianceOf(elements, evaluation.in[0], evaluation.arguments);
}

const Array* Norm(const Evaluation& evaluation) {
  ElementAlgebra elements{evaluation};
  return NormOf(elements, evaluation.in[0], evaluation.arguments);
}

const Array* Deviation(const Evaluation& evaluation) {
  ElementAlgebra elements{evaluation};
  return DeviationOf(elements, evaluation.in[0], evaluation.arguments);
}

const Array* Normalize(const Evaluation& evaluation) {
  ElementAlgebra elements{evaluation};
  return NormalizedOf(elements, evaluation.in[0], evaluation.arguments);
}

// The gradient or result of each group, at all of its elements.
Term Spread(const Backward& b, const Term& groups) {
  return groups.Apply(Primitive::kGather,
                      {.map = b.step.arguments.map, .shape = b.step.in[0].data->shape});
}

// The sum of the terms in each group, at all of its elements.
Term Sums(const Backward& b, const Term& terms) {
  return Spread(b, terms.Apply(Primitive::kScatterAdd,
                               {.map = b.step.arguments.map, .shape = b.step.arguments.shape}));
}

// The gradient at all elements from g, that of the lengths of groups of a. Of zeros alone there is
// no derivative; 0 is taken. lengths: those of the numbers, without history.
Term AlongUnit(const Backward& b, const Term& g, const Term& a, const Term& length,
               const Array* lengths) {
  const Term divisor = length + g.Filled(1).Weighed(IsZero(b.calculus.arena(), lengths));
  const Term along = g.Weighed(IsNotZero(b.calculus.arena(), lengths));
  return Spread(b, along) * (a / Spread(b, divisor));
}

// The distances are those from which the result was made.
Term DeviationGradient(const Backward& b) {
  const PrimitiveArguments& groups = b.step.arguments;
  const Term a = b.in(0);
  const Term g = b.g * Term{&b.calculus, Inexact(b.calculus, b.g.v, 1.0 / groups.count)};
  const auto terms = [&] {
    const Term distance{&b.calculus, DistancesUnderRoot(b.calculus, a.v, groups)};
    return AlongUnit(b, g, distance, b.result(), b.result_elements()).v;
  };
  return {&b.calculus, OfMeanZero(b.calculus, a.v, groups, terms)};
}

// A share is 1 at most, but where a saved result was changed: where it overflows then, engines that
// sum gradients of both signs first are right, and those that sum terms have infinities of both.
Term SharesInAnyOrder(const Backward& b, const Term& g, const Term& share) {
  const Array& shares = *b.calculus.ArrayOf(share.v);
  const Array& gradients = *b.calculus.ArrayOf(g.v);
  std::vector<double> bounds(static_cast<size_t>(shares.size), 0);
  bool rises = false, falls = false;
  for (int32_t i = 0; i < shares.size; ++i) {
    if (!std::isinf(shares.v[i])) continue;
    bounds[static_cast<size_t>(i)] = kUnknown;
    rises |= !(gradients.v[i] < 0);
    falls |= !(gradients.v[i] > 0);
  }
  return rises && falls ? Term{&b.calculus, Within(b.calculus, share.v, bounds)} : share;
}

constexpr PrimitiveRow kGroupRows[] = {
    {Primitive::kExtreme, std::nullopt, 1, kSavesA | kSavesResult, Extreme,
     [](const Backward& b) {
       // Those that equal the result: scaled alike they are the same, but all where by 0.
       const Array* a = b.scales_to_zero() ? b.elements(0) : b.step.in[0].data;
       const Array* weights = ExtremeWeight(b.calculus.arena(), a, b.step.arguments);
       return Spread(b, b.g).Weighed(weights);
     }},

    {Primitive::kVariance, std::nullopt, 1, kSavesA, Variance,
     [](const Backward& b) -> Term {
       return {&b.calculus, VarianceGradient(b.calculus, b.in(0).v, b.g.v, b.step.arguments)};
     }},

    {Primitive::kNormalize, std::nullopt, 1, kSavesA, Normalize,
     [](const Backward& b) -> Term {
       return {&b.calculus, NormalizedGradient(b.calculus, b.in(0).v, b.g.v, b.step.arguments)};
     }},

    {Primitive::kNorm, std::nullopt, 1, kSavesA | kSavesResult, Norm,
     [](const Backward& b) { return AlongUnit(b, b.g, b.in(0), b.result(), b.result_elements()); }},

    {Primitive::kDeviation, std::nullopt, 1, kSavesA | kSavesResult, Deviation, DeviationGradient},

    {Primitive::kLogSumExp, std::nullopt, 1, kSavesA | kSavesResult, LogSumExp,
     [](const Backward& b) {
       const Term r = b.result();
       const Term below = b.in(0) - Spread(b, r);
       const Term g = Spread(b, b.g);
       return g * SharesInAnyOrder(b, g, below.Apply(Primitive::kExp));
     }},

    {Primitive::kSoftmax, std::nullopt, 1, kSavesResult, Softmax<false>,
     [](const Backward& b) {
       const Term r = b.result();
       return (b.g - Sums(b, b.g * r)) * r;
     }},

    {Primitive::kLogSoftmax, std::nullopt, 1, kSavesResult, Softmax<true>,
     [](const Backward& b) {
       const Term r = b.result();
       const Term sums = Sums(b, b.g);
       return b.g - r.Apply(Primitive::kExp) * sums;
     }},
};

static_assert(AreRowsOf(kGroupRows, Primitive::kExtreme, Primitive::kInverse),
              "in the order of Primitive");

}  // namespace

absl::Span<const PrimitiveRow> GroupPrimitives() { return kGroupRows; }

}  // namespace twingrad::reference
