// What networks are made of: linear layers, attention, norms and dropout.
//
// Written for any algebra (composite.h).

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/dropout.h"
#include "autograd/program/program.h"
#include "autograd/program/signature.h"
#include "autograd/reference/algebra.h"
#include "autograd/reference/compounds.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/moments.h"
#include "autograd/reference/numbers.h"
#include "autograd/reference/place_map.h"
#include "autograd/reference/primitives.h"
#include "autograd/reference/result.h"

namespace twingrad::reference {

// Times 1 / (1 - by) or 0. Engines may divide by 1 - by.
template <typename Algebra>
ValueIn<Algebra> DroppedOf(Algebra& algebra, const program::Statement& statement,
                           const ValueIn<Algebra>& a) {
  const Array& array = *algebra.ArrayOf(a);
  const auto by = statement.Get<double>(program::Key::kBy);
  const auto seed = statement.Get<int64_t>(program::Key::kSeed);
  const FloatFormat& format = FormatOf(array.dtype);
  const double kept = Rounded(1 / (1 - by), format);
  int exponent = 0;
  const bool exact = std::frexp(1 - by, &exponent) == 0.5;
  Array* factors = NewBoundedArray(algebra.arena(), array.dtype, array.shape);
  for (int32_t i = 0; i < array.size; ++i) {
    const bool dropped = program::IsDropped(seed, i, by);
    factors->v[i] = dropped ? 0 : kept;
    factors->e[i] = dropped || exact ? 0 : 4 * format.unit * kept;
  }
  return algebra.Apply(Primitive::kWeigh, a, algebra.Constant(factors));
}

// Each row of in[0] times each row of in[1], plus in[2].
template <typename Algebra>
ValueIn<Algebra> LinearOf(Algebra& algebra, absl::Span<const ValueIn<Algebra>> in,
                          absl::Span<const Shape* const> shapes) {
  Arena& arena = algebra.arena();
  const int64_t outputs = shapes[1]->at(0), inputs = shapes[1]->at(1);
  Shape result = *shapes[0];
  result.back() = outputs;
  Shape counted = result;
  counted.back() = 1;
  const int64_t rows = Count(counted);
  MatmulMaps maps = ProductMaps(arena, {rows, inputs}, {inputs, outputs});
  auto* right = arena.Allocate<int32_t>(maps.right.size);  // of the transposed matrix
  for (int32_t i = 0; i < maps.right.size; ++i) {
    const int64_t place = maps.right[i];
    right[i] = static_cast<int32_t>(place % outputs * inputs + place / outputs);
  }
  maps.right = {right, maps.right.size};
  const auto products = Products(algebra, in[0], in[1], maps);
  const Shape* shape = arena.Keep(result);
  if (in.size() == 2) return ScatterAdd(algebra, products, maps.result, shape);
  const auto base = Gather(algebra, in[2], BroadcastMap(arena, *shapes[2], result), shape);
  return AddedTo(algebra, base, products, maps.result, result);
}

// Of each query the keys that it sees: a pair of rows each, and the row of what it gives.
struct SeenPairs {
  std::vector<int32_t> query, key;
};
inline SeenPairs SeenPairsOf(int64_t batches, int64_t queries, int64_t keys, bool causal) {
  SeenPairs pairs;
  for (int64_t b = 0; b < batches; ++b) {
    for (int64_t i = 0; i < queries; ++i) {
      const int64_t end = causal ? std::min(i + 1, keys) : keys;
      for (int64_t j = 0; j < end; ++j) {
        pairs.query.push_back(static_cast<int32_t>(b * queries + i));
        pairs.key.push_back(static_cast<int32_t>(b * keys + j));
      }
    }
  }
  return pairs;
}

// softmax(q k' / sqrt(E)) v over the pairs that see each other. Engines may scale q and k instead
// of their products.
template <typename Algebra>
ValueIn<Algebra> AttentionOf(Algebra& algebra, const program::Statement& statement,
                             absl::Span<const ValueIn<Algebra>> in,
                             absl::Span<const Shape* const> shapes) {
  Arena& arena = algebra.arena();
  const size_t last = shapes[0]->size() - 1;
  const int64_t queries = shapes[0]->at(last - 1), inner = shapes[0]->at(last);
  const int64_t keys = shapes[1]->at(last - 1), outer = shapes[2]->at(last);
  Shape batch(shapes[0]->begin(), shapes[0]->end() - 2);
  const SeenPairs pairs =
      SeenPairsOf(Count(batch), queries, keys, statement.Get<bool>(program::Key::kCausal));
  const auto count = static_cast<int32_t>(pairs.query.size());
  std::vector<int32_t> left, right, at;
  for (int32_t p = 0; p < count; ++p) {
    for (int64_t e = 0; e < inner; ++e) {
      left.push_back(static_cast<int32_t>(pairs.query[p] * inner + e));
      right.push_back(static_cast<int32_t>(pairs.key[p] * inner + e));
      at.push_back(p);
    }
  }
  const MatmulMaps of_scores = {
      {count}, ListedMap(arena, left), ListedMap(arena, right), ListedMap(arena, at)};
  const Shape* flat = arena.Keep({count});
  const auto products = Products(algebra, in[0], in[1], of_scores);
  auto scores = ScatterAdd(algebra, inner == 1 ? products : Roughly(algebra, products, 4),
                           of_scores.result, flat);
  if (inner > 1) {
    const auto scale = Inexact(algebra, scores, 1 / std::sqrt(static_cast<double>(inner)));
    scores = algebra.Apply(Primitive::kMultiply, scores, scale);
  }
  const auto shares = algebra.Apply(
      Primitive::kSoftmax,
      {.map = ListedMap(arena, pairs.query), .shape = arena.Keep({Count(batch) * queries})},
      scores);
  left.clear(), right.clear(), at.clear();
  for (int32_t p = 0; p < count; ++p) {
    for (int64_t d = 0; d < outer; ++d) {
      left.push_back(p);
      right.push_back(static_cast<int32_t>(pairs.key[p] * outer + d));
      at.push_back(static_cast<int32_t>(pairs.query[p] * outer + d));
    }
  }
  Shape result = *shapes[0];
  result[last] = outer;
  const MatmulMaps of_values = {result, ListedMap(arena, left), ListedMap(arena, right),
                                ListedMap(arena, at)};
  return ScatterAdd(algebra, Products(algebra, shares, in[2], of_values), of_values.result,
                    arena.Keep(result));
}

// Of each element its group, and its weight.
struct NormMaps {
  ReductionMap groups;
  IndexMap weights;
};
inline NormMaps NormMapsOf(Arena& arena, const program::Statement& statement, const Shape& shape,
                           int64_t weights) {
  const int64_t size = Count(shape);
  int64_t places = 1, groups = 1;  // of a channel in a sample; of channels in a sample
  if (statement.op != program::Opcode::kLayerNorm) {
    for (size_t d = 2; d < shape.size(); ++d) places *= shape[d];
    groups = statement.op == program::Opcode::kGroupNorm
                 ? statement.Get<int64_t>(program::Key::kGroups, 1)
                 : weights;
  }
  const int64_t sample = weights * places;
  const int64_t samples = sample == 0 ? 0 : size / sample;
  const bool joins = statement.op == program::Opcode::kBatchNorm;
  auto* group = arena.Allocate<int32_t>(size);
  auto* weight = arena.Allocate<int32_t>(size);
  for (int64_t i = 0; i < size; ++i) {
    const int64_t in_sample = i % sample;
    const int64_t of_sample = in_sample / (sample / groups);
    group[i] = static_cast<int32_t>(joins ? of_sample : i / sample * groups + of_sample);
    weight[i] = static_cast<int32_t>(in_sample / places);
  }
  const auto count = static_cast<int32_t>(size);
  const int64_t number = joins ? groups : samples * groups;
  return {{{number}, {group, count}, number == 0 ? 0 : size / number}, {weight, count}};
}

// Each element less the mean of its group, by the root of the variance and eps, times a weight and
// plus a bias.
template <typename Algebra>
ValueIn<Algebra> NormOf(Algebra& algebra, const program::Statement& statement,
                        absl::Span<const ValueIn<Algebra>> in,
                        absl::Span<const Shape* const> shapes) {
  const Shape* shape = shapes[0];
  int64_t weights = 1;
  if (statement.op == program::Opcode::kLayerNorm) {
    const auto count = statement.Get<int64_t>(program::Key::kCount);
    for (auto size = shape->end() - count; size != shape->end(); ++size) weights *= *size;
  } else {
    weights = shape->at(1);
  }
  const NormMaps maps = NormMapsOf(algebra.arena(), statement, *shape, weights);
  PrimitiveArguments groups = GroupsOf(algebra, maps.groups);
  groups.low = statement.Get<double>(program::Key::kEps);
  auto result = algebra.Apply(Primitive::kNormalize, groups, in[0]);
  if (in.size() > 1) {
    result =
        algebra.Apply(Primitive::kMultiply, result, Gather(algebra, in[1], maps.weights, shape));
  }
  if (in.size() > 2) {
    result = algebra.Apply(Primitive::kAdd, result, Gather(algebra, in[2], maps.weights, shape));
  }
  return result;
}

template <typename Algebra>
ValueIn<Algebra> OfNetworks(Algebra& algebra, const program::Statement& statement,
                            absl::Span<const ValueIn<Algebra>> in,
                            absl::Span<const Shape* const> shapes) {
  const program::Opcode op = statement.op;
  if (op == program::Opcode::kDropout) return DroppedOf(algebra, statement, in[0]);
  if (op == program::Opcode::kLinear) return LinearOf<Algebra>(algebra, in, shapes);
  if (op == program::Opcode::kScaledDotProductAttention) {
    return AttentionOf<Algebra>(algebra, statement, in, shapes);
  }
  return NormOf<Algebra>(algebra, statement, in, shapes);
}

}  // namespace twingrad::reference
