// Convolutions, pools, planes of other sizes, index_select and embeddings.
//
// Written for any algebra (composite.h).

#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/op_facts.h"
#include "autograd/program/program.h"
#include "autograd/program/signature.h"
#include "autograd/reference/algebra.h"
#include "autograd/reference/compounds.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/neighbour_map.h"
#include "autograd/reference/numbers.h"
#include "autograd/reference/place_map.h"
#include "autograd/reference/primitives.h"
#include "autograd/reference/result.h"
#include "autograd/reference/window_map.h"

namespace twingrad::reference {

// The values of two lists of one dimension, one after the other.
template <typename Algebra>
ValueIn<Algebra> Listed(Algebra& algebra, const ValueIn<Algebra>& a, const ValueIn<Algebra>& b) {
  const Shape first = *algebra.ArrayOf(a)->shape, second = *algebra.ArrayOf(b)->shape;
  const ValueIn<Algebra> parts[] = {a, b};
  const Shape shapes[] = {first, second};
  return Joined<Algebra>(algebra, parts, shapes, 0);
}

// Weights meet the zeros of the padding too, which infinite ones turn into NaN. The padding is a
// place of its own behind the operand's: what gradients bring there is cut off, and gradients of
// that meet zeros, as those of engines do.
template <typename Algebra>
ValueIn<Algebra> ConvolutionOf(Algebra& algebra, const program::Statement& statement,
                               absl::Span<const ValueIn<Algebra>> in,
                               absl::Span<const Shape* const> shapes) {
  Arena& arena = algebra.arena();
  const ConvolutionMaps maps = ConvolvedMaps(arena, statement, *shapes[0], *shapes[1]);
  const Shape* shape = arena.Keep(maps.inside.shape);
  const int32_t padded = maps.padded.right.size;
  if (padded == 0) {
    const auto products = Products(algebra, in[0], in[1], maps.inside);
    return ScatterAdd(algebra, products, maps.inside.result, shape);
  }
  const int32_t size = Count(*shapes[0]);
  const auto elements = Gather(algebra, in[0], {nullptr, size}, arena.Keep({size}));
  const auto operand = Listed(algebra, elements, Constant(algebra, in[0], {1}, 0));
  auto* border = arena.Allocate<int32_t>(padded);
  std::fill(border, border + padded, size);
  const MatmulMaps all = {*shape, Appended(arena, maps.inside.left, {border, padded}),
                          Appended(arena, maps.inside.right, maps.padded.right),
                          Appended(arena, maps.inside.result, maps.padded.result)};
  return ScatterAdd(algebra, Products(algebra, operand, in[1], all), all.result, shape);
}

// Products that fall into the padding go to a place of their own, which is cut off: gradients meet
// the zeros there, as those of engines do.
template <typename Algebra>
ValueIn<Algebra> TransposedOf(Algebra& algebra, const program::Statement& statement,
                              absl::Span<const ValueIn<Algebra>> in,
                              absl::Span<const Shape* const> shapes) {
  Arena& arena = algebra.arena();
  const ConvolutionMaps maps = TransposedMaps(arena, statement, *shapes[0], *shapes[1]);
  const Shape* shape = arena.Keep(maps.inside.shape);
  auto products = Products(algebra, in[0], in[1], maps.inside);
  const int32_t lost = maps.padded.right.size, inside = maps.inside.result.size;
  if (lost == 0) return ScatterAdd(algebra, products, maps.inside.result, shape);
  products = Listed(algebra, products, Products(algebra, in[0], in[1], maps.padded));
  const int32_t size = Count(*shape);
  auto* places = arena.Allocate<int32_t>(inside + lost);
  for (int32_t i = 0; i < inside; ++i) places[i] = maps.inside.result[i];
  std::fill(places + inside, places + inside + lost, size);
  const auto all = ScatterAdd(algebra, products, {places, inside + lost}, arena.Keep({size + 1}));
  auto* kept = arena.Allocate<int32_t>(size);
  std::iota(kept, kept + size, 0);
  return Gather(algebra, all, {kept, size}, shape);
}

// Of pools.
inline Windows WindowsOf(const program::Statement& statement, const Shape& shape) {
  using List = std::vector<int64_t>;
  if (statement.Find(program::Key::kKernel) == nullptr) {
    return PortionsOf(shape, statement.Get<List>(program::Key::kShape));
  }
  return WindowsOf(statement, shape, statement.Get<List>(program::Key::kKernel));
}

// Zeros in the padding count too. Of windows of different sizes engines may multiply by 1 / n or
// divide by n.
template <typename Algebra>
ValueIn<Algebra> AveragePoolOf(Algebra& algebra, const program::Statement& statement,
                               const ValueIn<Algebra>& a, const Shape& shape) {
  Arena& arena = algebra.arena();
  const Windows windows = WindowsOf(statement, shape);
  const EntryMaps entries = EntriesOf(arena, shape, windows);
  const auto each = Gather(algebra, a, entries.from, arena.Keep({entries.from.size}));
  const Shape* result = arena.Keep(WindowedShape(shape, windows));
  // One window alone is a mean, which engines may divide before they repeat or add it.
  if (statement.Find(program::Key::kKernel) != nullptr || windows.places.size() == 1) {
    const auto count = static_cast<int64_t>(windows.places[0].size());
    return MeanOver(algebra, each, {*result, entries.to, count});
  }
  const DType dtype = algebra.ArrayOf(a)->dtype;
  Result shares(arena, dtype, result, Count(*result));
  for (int32_t i = 0; i < Count(*result); ++i) {
    const size_t window = static_cast<size_t>(i) % windows.places.size();
    const auto count = static_cast<double>(windows.places[window].size());
    shares.Set(i, Divide({1, 0}, {count, 0}, FormatOf(dtype)));
  }
  return algebra.Apply(Primitive::kWeigh, ScatterAdd(algebra, each, entries.to, result),
                       algebra.Constant(shares.array()));
}

// The greatest of each window, or where in its plane it stands.
template <typename Algebra>
ValueIn<Algebra> MaxPoolOf(Algebra& algebra, const program::Statement& statement,
                           const ValueIn<Algebra>& a, const Shape& whole) {
  Arena& arena = algebra.arena();
  const Windows windows = WindowsOf(statement, whole);
  std::vector<Tie> ties;
  const Picks places = ExtremeOfRows(arena, *algebra.ArrayOf(a), RowsOf(whole, windows),
                                     /*least=*/false, &ties);
  const Shape* shape = arena.Keep(WindowedShape(whole, windows));
  if (program::SignatureOf(statement.op).differentiable != 0) {
    return Pick(algebra, a, algebra.Settled(a, places, ties), shape);
  }
  const Shape planes = {Count(whole) / windows.plane, windows.plane};
  return algebra.Constant(CoordinatesOf(arena, places, planes, 1, shape));
}

// Sums of the entries around each place, times weights.
template <typename Algebra>
ValueIn<Algebra> UpsampledOf(Algebra& algebra, const program::Statement& statement,
                             const ValueIn<Algebra>& a, const Shape& shape) {
  Arena& arena = algebra.arena();
  const Neighbours terms = NeighboursOf(arena, statement, shape, algebra.ArrayOf(a)->dtype);
  if (program::SignatureOf(statement.op).Find(program::Key::kAlignCorners) == nullptr) {
    return Gather(algebra, a, terms.from, terms.shape);  // the nearest
  }
  const auto each = Gather(algebra, a, terms.from, terms.weights->shape);
  const auto weighed = algebra.Apply(Primitive::kWeigh, {.unsaved = !algebra.SavesFactors()}, each,
                                     algebra.Constant(terms.weights));
  return ScatterAdd(algebra, weighed, terms.to, terms.shape);
}

// Whatever works on planes.
template <typename Algebra>
ValueIn<Algebra> OnPlanes(Algebra& algebra, const program::Statement& statement,
                          absl::Span<const ValueIn<Algebra>> in,
                          absl::Span<const Shape* const> shapes) {
  const program::Signature& signature = program::SignatureOf(statement.op);
  if (signature.category == program::Category::kRearrange) {
    return UpsampledOf(algebra, statement, in[0], *shapes[0]);
  }
  if (signature.category == program::Category::kReduction) {
    const bool means = signature.facts.numbers == program::Numbers::kMeanOver;
    return means ? AveragePoolOf(algebra, statement, in[0], *shapes[0])
                 : MaxPoolOf(algebra, statement, in[0], *shapes[0]);
  }
  return signature.Find(program::Key::kOutputPadding) != nullptr
             ? TransposedOf<Algebra>(algebra, statement, in, shapes)
             : ConvolutionOf<Algebra>(algebra, statement, in, shapes);
}

// Slices along a dimension in place of their indices.
template <typename Algebra>
ValueIn<Algebra> SelectedOf(Algebra& algebra, absl::Span<const ValueIn<Algebra>> in,
                            absl::Span<const Shape* const> shapes, size_t dim) {
  Arena& arena = algebra.arena();
  const Array& indices = *algebra.ArrayOf(in[1]);
  Shape shape = *shapes[0];
  shape[dim] = shapes[1]->at(0);
  if (Count(shape) == 0) CheckIndices(arena, *shapes[0], dim, indices);
  const Picks places = PickMap(arena, *shapes[0], shape, dim, indices, ListMap(arena, shape, dim));
  return Pick(algebra, in[0], places, arena.Keep(shape));
}

// Rows of a matrix in place of their indices. sparse= is about how an engine keeps the gradient.
template <typename Algebra>
ValueIn<Algebra> EmbeddingOf(Algebra& algebra, absl::Span<const ValueIn<Algebra>> in,
                             absl::Span<const Shape* const> shapes) {
  Arena& arena = algebra.arena();
  const Shape &matrix = *shapes[0], &indices = *shapes[1];
  const Shape rows = {Count(indices), 1}, each = {rows[0], matrix[1]};
  if (matrix[1] == 0) CheckIndices(arena, matrix, 0, *algebra.ArrayOf(in[1]));
  const Picks places =
      PickMap(arena, matrix, each, 0, *algebra.ArrayOf(in[1]), BroadcastMap(arena, rows, each));
  Shape shape = indices;
  shape.push_back(matrix[1]);
  return Pick(algebra, in[0], places, arena.Keep(shape));
}

}  // namespace twingrad::reference
