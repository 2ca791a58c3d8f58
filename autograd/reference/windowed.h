// Convolutions, pools and embeddings.
//
// Written for any algebra (composite.h).

#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "autograd/program/signature.h"
#include "autograd/reference/algebra.h"
#include "autograd/reference/compounds.h"
#include "autograd/reference/index_map.h"
#include "autograd/reference/place_map.h"
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

// Weights meet the zeros of the padding too, which infinite ones turn into NaN.
template <typename Algebra>
ValueIn<Algebra> ConvolutionOf(Algebra& algebra, const program::Statement& statement,
                               absl::Span<const ValueIn<Algebra>> in,
                               absl::Span<const Shape* const> shapes) {
  Arena& arena = algebra.arena();
  const ConvolutionMaps maps = ConvolvedMaps(arena, statement, *shapes[0], *shapes[1]);
  auto products = Products(algebra, in[0], in[1], maps.inside);
  IndexMap places = maps.inside.result;
  const int32_t padded = maps.padded.right.size;
  if (padded > 0) {
    const Shape* list = arena.Keep({padded});
    const auto weights = Gather(algebra, in[1], maps.padded.right, list);
    const auto zeros =
        algebra.Apply(Primitive::kMultiply, Constant(algebra, in[0], {padded}, 0), weights);
    products = Listed(algebra, products, zeros);
    auto* all = arena.Allocate<int32_t>(places.size + padded);
    for (int32_t i = 0; i < places.size; ++i) all[i] = places[i];
    for (int32_t i = 0; i < padded; ++i) all[places.size + i] = maps.padded.result[i];
    places = {all, places.size + padded};
  }
  return ScatterAdd(algebra, products, places, arena.Keep(maps.inside.shape));
}

// Zeros in the padding count too.
template <typename Algebra>
ValueIn<Algebra> AveragePoolOf(Algebra& algebra, const program::Statement& statement,
                               const ValueIn<Algebra>& a, const Shape& shape) {
  Arena& arena = algebra.arena();
  const auto kernel = statement.Get<std::vector<int64_t>>(program::Key::kKernel);
  const Windows windows = WindowsOf(statement, shape, kernel);
  const EntryMaps entries = EntriesOf(arena, shape, windows);
  const auto each = Gather(algebra, a, entries.from, arena.Keep({entries.from.size}));
  const auto count = static_cast<int64_t>(windows.places[0].size());
  return MeanOver(algebra, each, {WindowedShape(shape, windows), entries.to, count});
}

// The greatest of each window, or where in its plane it stands.
template <typename Algebra>
ValueIn<Algebra> MaxPoolOf(Algebra& algebra, const program::Statement& statement,
                           program::Opcode op, const ValueIn<Algebra>& a, const Shape& whole) {
  Arena& arena = algebra.arena();
  const auto kernel = statement.Get<std::vector<int64_t>>(program::Key::kKernel);
  const Windows windows = WindowsOf(statement, whole, kernel);
  std::vector<Tie> ties;
  const Picks places = ExtremeOfRows(arena, *algebra.ArrayOf(a), RowsOf(whole, windows),
                                     /*least=*/false, &ties);
  const Shape* shape = arena.Keep(WindowedShape(whole, windows));
  if (program::SignatureOf(op).differentiable != 0) {
    return Pick(algebra, a, algebra.Settled(a, places, ties), shape);
  }
  const Shape planes = {Count(whole) / windows.plane, windows.plane};
  return algebra.Constant(CoordinatesOf(arena, places, planes, 1, shape));
}

// Rows of a matrix in place of their indices.
template <typename Algebra>
ValueIn<Algebra> EmbeddingOf(Algebra& algebra, absl::Span<const ValueIn<Algebra>> in,
                             absl::Span<const Shape* const> shapes) {
  Arena& arena = algebra.arena();
  const Shape &matrix = *shapes[0], &indices = *shapes[1];
  const Shape rows = {Count(indices), 1}, each = {rows[0], matrix[1]};
  const Picks places =
      PickMap(arena, matrix, each, 0, *algebra.ArrayOf(in[1]), BroadcastMap(arena, rows, each));
  Shape shape = indices;
  shape.push_back(matrix[1]);
  return Pick(algebra, in[0], places, arena.Keep(shape));
}

}  // namespace twingrad::reference
