#include "autograd/reference/jets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/reference/algebra.h"
#include "autograd/reference/matrices.h"
#include "autograd/reference/moments.h"
#include "autograd/reference/partials.h"
#include "autograd/reference/primitive_row.h"
#include "autograd/reference/triangles.h"

namespace twingrad::reference {

Jets JetAlgebra::Apply(Primitive primitive, const PrimitiveArguments& arguments, const Jets& a,
                       const Jets& b, const Jets& c) {
  if (primitive == Primitive::kInverse) return Inverse(a);
  if (primitive == Primitive::kSolve) return TriangularSolutionOf(*this, a, b, arguments.upper);
  if (primitive == Primitive::kCholesky) return CholeskyOf(*this, a);
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
      partials[i] = {.a = {first, error}, .b = {1 - first, error}};
      partials[i].a_flat = partials[i].b_flat = error == 0;
    }
    return {value, tangents_.Combine(a.tangents, b.tangents, value->size, partials)};
  }
  if (primitive == Primitive::kClamp) {
    return Clamped(a, value, arguments);
  }
  if (primitive == Primitive::kWeigh) return Weighed(a, value, b.value);
  if (primitive == Primitive::kDivideCount) {
    // Of a mean over nothing, which is NaN, no derivative is.
    const int64_t count = std::max<int64_t>(arguments.count, 1);
    const Number share = Divide({1, 0}, FromInteger(count, kF64Format), kF64Format);
    auto* partials = arena_.Allocate<Partials>(value->size);
    std::fill(partials, partials + value->size, Partials{.a = share});
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
  point.order = tangents_.order();
  for (int32_t i = 0; i < value->size; ++i) {
    point.a = a.value->At(i);
    if (b.value != nullptr) point.b = b.value->At(i);
    point.result = value->At(i);
    partials[i] = partials_of(point, choices_);
    if (product_scale_ == 1 || primitive != Primitive::kMultiply) continue;
    const Number scale{product_scale_, 0};
    partials[i].a = Multiply(partials[i].a, scale, kF64Format);
    partials[i].b = Multiply(partials[i].b, scale, kF64Format);
  }
  return {value, tangents_.Combine(a.tangents, b.tangents, value->size, partials)};
}

// `value`, with the tangents of `a` times constant weights.
Jets JetAlgebra::Weighed(const Jets& a, const Array* value, const Array* weights) {
  auto* partials = arena_.Allocate<Partials>(value->size);
  for (int32_t i = 0; i < value->size; ++i) {
    partials[i] = {.a = weights->At(i)};
  }
  return {value, tangents_.Combine(a.tangents, nullptr, value->size, partials)};
}

// A slope of 1 between the limits and 0 outside them. Limits that leave no room make a constant.
Jets JetAlgebra::Clamped(const Jets& a, const Array* value, const PrimitiveArguments& limits) {
  if (a.tangents == nullptr) return {value, nullptr};
  auto* partials = arena_.Allocate<Partials>(value->size);
  for (int32_t i = 0; i < value->size; ++i) {
    const Number x = a.value->At(i);
    const bool constant = !(limits.low < limits.high);
    const bool met = MayBeEqual(x, {limits.low, 0}) || MayBeEqual(x, {limits.high, 0});
    if (std::isnan(x.v) || (std::isinf(x.v) && !constant)) {
      // An infinity is no limit that is met: it lies within, or outside.
      const bool within = x.v >= limits.low && x.v <= limits.high;
      const Number slope{within ? 1.0 : 0.0, 0};
      partials[i] =
          std::isnan(x.v) ? Straight(Jump(x, 0, 0, 0, Kink::kClamp, choices_)) : Straight(slope);
    } else if (constant || !met) {
      const bool within = x.v > limits.low && x.v < limits.high;
      partials[i] = Straight(Number{!constant && within ? 1.0 : 0.0, 0});
    } else {
      partials[i] = Straight(choices_.Between(Kink::kClamp, 0, 0, 1, /*near=*/x.e != 0));
    }
  }
  return {value, tangents_.Combine(a.tangents, nullptr, value->size, partials)};
}

// Of each group the slope of one that is the extreme, or shares that sum to 1.
Jets JetAlgebra::Extreme(const Jets& a, const Array* extremes,
                         const PrimitiveArguments& arguments) {
  if (a.tangents == nullptr) return {extremes, nullptr};
  const IndexMap& map = arguments.map;
  const int32_t size = a.value->size;
  auto* partials = arena_.Allocate<Partials>(size);
  std::vector<std::vector<int32_t>> groups(extremes->size);
  for (int32_t i = 0; i < size; ++i) {
    partials[i] = Straight(kZero);
    groups[map[i]].push_back(i);
  }
  for (int32_t g = 0; g < extremes->size; ++g) {
    const Number best = extremes->At(g);
    if (std::isnan(best.v)) {
      choices_.NoteUndefined();
      for (const int32_t i : groups[g]) partials[i] = Straight(kNoDerivative);
      continue;
    }
    std::vector<int32_t> tied;
    bool near = false;
    for (const int32_t i : groups[g]) {
      const Number x = a.value->At(i);
      const bool equal = MayBeEqual(x, best);
      near |= equal && x.e != 0;
      if (equal) tied.push_back(i);
    }
    const auto count = static_cast<int32_t>(tied.size());
    const int32_t one = count > 1 ? choices_.OneOf(Kink::kExtreme, count, true) : 0;
    const bool own = choices_.rule() == Choices::Rule::kOwn;
    for (int32_t k = 0; k < count; ++k) {
      Partials& p = partials[tied[k]];
      const Number share = kOne / Number{static_cast<double>(count), 0};
      if (count > 1 && near && own) {
        p = Straight(kNothingKnown);
      } else if (one == -2) {
        p = Straight(Slope{{0.5, 0}, 0.5});
      } else {
        p = Straight(one == -1 ? share : one == k ? kOne : kZero);
      }
    }
  }
  const Tangents* terms = tangents_.Combine(a.tangents, nullptr, size, partials);
  return {extremes, tangents_.ScatterAdd(terms, map, extremes->size)};
}

namespace {

// The k-th order of the places.
void Permute(int32_t k, std::vector<int32_t>& places) {
  while (k-- > 0) std::next_permutation(places.begin(), places.end());
}

int32_t Factorial(size_t n) {
  int32_t product = 1;
  for (size_t k = 2; k <= n && product < 1'000'000; ++k) product *= static_cast<int32_t>(k);
  return product;
}

}  // namespace

Picks JetAlgebra::Settled(const Jets& a, const Picks& picks, absl::Span<const Tie> ties) {
  if (a.tangents == nullptr || ties.empty()) return picks;
  auto* places = arena_.Allocate<int32_t>(picks.places.size);
  for (int32_t i = 0; i < picks.places.size; ++i) places[i] = picks.places[i];
  std::vector<int32_t> open, others;
  for (const Tie& tie : ties) {
    if (tie.undefined) {
      choices_.NoteUndefined();
      continue;
    }
    const bool orders = tie.at.size() > 1;
    std::vector<int32_t> order = tie.places;
    const int32_t one =
        orders ? choices_.OneOf(Kink::kOrder, Factorial(order.size()), false)
               : choices_.OneOf(Kink::kPick, static_cast<int32_t>(order.size()), false);
    if (one == -2) {
      for (const int32_t at : tie.at) {
        for (const int32_t other : order) {
          if (other == places[at]) continue;
          open.push_back(at);
          others.push_back(other);
        }
      }
    } else if (orders) {
      Permute(one, order);
      for (size_t k = 0; k < tie.at.size(); ++k) places[tie.at[k]] = order[k];
    } else {
      places[tie.at[0]] = order[one];
    }
  }
  Picks settled{{places, picks.places.size}, picks.open, picks.others};
  if (open.empty()) return settled;
  const auto keep = [this](const std::vector<int32_t>& list) -> IndexMap {
    auto* kept = arena_.Allocate<int32_t>(list.size());
    std::copy(list.begin(), list.end(), kept);
    return {kept, static_cast<int32_t>(list.size())};
  };
  for (int32_t k = 0; k < picks.open.size; ++k) {
    open.push_back(picks.open[k]);
    others.push_back(picks.others[k]);
  }
  settled.open = keep(open);
  settled.others = keep(others);
  return settled;
}

Jets JetAlgebra::Inverse(const Jets& a) {
  const Array* in[3] = {a.value, nullptr, nullptr};
  const Array* inverse = Evaluate(arena_, Primitive::kInverse, in, {}, false);
  return {inverse, InverseBySteps(*this, a, inverse).tangents};
}

Jets JetAlgebra::OfGroups(Primitive primitive, const PrimitiveArguments& arguments, const Jets& a) {
  if (primitive == Primitive::kVariance) return VarianceOf(*this, a, arguments);
  if (primitive == Primitive::kNorm) return Norm(a, arguments);
  if (primitive == Primitive::kDeviation) return DeviationOf(*this, a, arguments);
  if (primitive == Primitive::kNormalize) return NormalizedOf(*this, a, arguments);
  const IndexMap& map = arguments.map;
  const Array* in[3] = {a.value, nullptr, nullptr};
  const Array* extremes = Evaluate(arena_, Primitive::kExtreme, in, arguments, false);
  if (primitive == Primitive::kExtreme) {
    return Extreme(a, extremes, arguments);
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
