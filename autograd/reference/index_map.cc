#include "autograd/reference/index_map.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "autograd/program/view_scatter.h"
#include "autograd/reference/strides.h"

namespace twingrad::reference {

Shape RowMajorStrides(const Shape& sizes) {
  Shape strides(sizes.size());
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
  return strides;
}

namespace {

using program::Key;
using program::Statement;

// Strides of `from` seen as `to`: 0 where a dimension is repeated or missing.
Shape BroadcastStrides(const Shape& from, const Shape& to) {
  const Shape own = RowMajorStrides(from);
  Shape strides(to.size(), 0);
  const size_t missing = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d) {
    strides[missing + d] = from[d] == 1 ? 0 : own[d];
  }
  return strides;
}

}  // namespace

IndexMap ListedMap(Arena& arena, const std::vector<int32_t>& places) {
  auto* kept = arena.Allocate<int32_t>(places.size());
  std::copy(places.begin(), places.end(), kept);
  return {kept, static_cast<int32_t>(places.size())};
}

IndexMap Appended(Arena& arena, const IndexMap& a, const IndexMap& b) {
  auto* places = arena.Allocate<int32_t>(a.size + b.size);
  for (int32_t i = 0; i < a.size; ++i) places[i] = a[i];
  for (int32_t i = 0; i < b.size; ++i) places[a.size + i] = b[i];
  return {places, a.size + b.size};
}

int32_t Count(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return static_cast<int32_t>(count);
}

IndexMap StridedMap(Arena& arena, const Shape& sizes, const Shape& strides, int64_t offset) {
  const int32_t count = Count(sizes);
  if (count == 0 || (offset == 0 && strides == RowMajorStrides(sizes))) return {nullptr, count};
  auto* index = arena.Allocate<int32_t>(count);
  Shape at(sizes.size(), 0);
  int64_t place = offset;
  for (int32_t i = 0; i < count; ++i) {
    index[i] = static_cast<int32_t>(place);
    for (size_t d = sizes.size(); d-- > 0;) {
      if (sizes[d] == 1) continue;  // whatever its stride
      place += strides[d];
      if (++at[d] < sizes[d]) break;
      place -= strides[d] * sizes[d];
      at[d] = 0;
    }
  }
  return {index, count};
}

Shape BroadcastShape(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape shape = longer;
  const size_t missing = longer.size() - shorter.size();
  for (size_t d = 0; d < shorter.size(); ++d) {
    if (shape[missing + d] == 1) shape[missing + d] = shorter[d];
  }
  return shape;
}

IndexMap BroadcastMap(Arena& arena, const Shape& from, const Shape& to) {
  const int32_t count = Count(to);
  // As many places as before: nothing is repeated, and the order stays.
  if (count == 0 || count == Count(from)) return {nullptr, count};
  return StridedMap(arena, to, BroadcastStrides(from, to), 0);
}

IndexMap ListMap(Arena& arena, const Shape& shape, size_t dim) {
  Shape list(shape.size() - dim, 1);
  list[0] = shape[dim];
  return BroadcastMap(arena, list, shape);
}

ShapedMap ViewMap(Arena& arena, const Statement& view, const Shape& from) {
  const Layout layout = ViewLayout(view, from, RowMajorStrides(from));
  return {layout.sizes, StridedMap(arena, layout.sizes, layout.strides, layout.offset)};
}

IndexMap ViewWritten(Arena& arena, const Statement& scatter, const Shape& from) {
  Statement view = scatter;
  view.op = *program::ViewWrittenBy(scatter.op);
  return ViewMap(arena, view, from).map;
}

ReductionMap ReduceMap(Arena& arena, const Statement& reduction, const Shape& from) {
  const auto dims = reduction.Get<std::vector<int64_t>>(Key::kDims);
  const bool keep = reduction.Get<bool>(Key::kKeepdim);
  Shape kept = from, result;
  for (size_t d = 0; d < from.size(); ++d) {
    const bool reduced =
        dims.empty() || std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
    if (reduced) kept[d] = 1;
    if (!reduced || keep) result.push_back(kept[d]);
  }
  int64_t count = 1;
  for (size_t d = 0; d < from.size(); ++d) {
    if (kept[d] != from[d] || kept[d] == 1) count *= from[d];
  }
  return {result, BroadcastMap(arena, kept, from), count};
}

MatmulMaps ProductMaps(Arena& arena, const Shape& a, const Shape& b) {
  // Vectors are matrices with one row (left) or one column (right) that the result drops.
  Shape left = a, right = b;
  if (a.size() == 1) left.insert(left.begin(), 1);
  if (b.size() == 1) right.push_back(1);
  const Shape left_batch(left.begin(), left.end() - 2), right_batch(right.begin(), right.end() - 2);
  const Shape batch = BroadcastShape(left_batch, right_batch);
  const int64_t rows = left[left.size() - 2], inner = left.back(), columns = right.back();

  // The space of products is batch x rows x columns x inner.
  Shape space = batch, left_strides = BroadcastStrides(left_batch, batch);
  Shape right_strides = BroadcastStrides(right_batch, batch);
  Shape result_strides = RowMajorStrides(batch);
  for (size_t d = 0; d < batch.size(); ++d) {
    left_strides[d] *= rows * inner;
    right_strides[d] *= inner * columns;
    result_strides[d] *= rows * columns;
  }
  for (const int64_t size : {rows, columns, inner}) space.push_back(size);
  for (const int64_t stride : {inner, int64_t{0}, int64_t{1}}) left_strides.push_back(stride);
  for (const int64_t stride : {int64_t{0}, int64_t{1}, columns}) right_strides.push_back(stride);
  for (const int64_t stride : {columns, int64_t{1}, int64_t{0}}) result_strides.push_back(stride);

  Shape shape = batch;
  if (a.size() > 1) shape.push_back(rows);
  if (b.size() > 1) shape.push_back(columns);
  return {shape, StridedMap(arena, space, left_strides, 0),
          StridedMap(arena, space, right_strides, 0), StridedMap(arena, space, result_strides, 0)};
}

IndexMap Compose(Arena& arena, const IndexMap& outer, const IndexMap& inner) {
  if (inner.identity() && inner.size == outer.size) return outer;
  if (outer.identity()) return inner;
  auto* index = arena.Allocate<int32_t>(inner.size);
  for (int32_t i = 0; i < inner.size; ++i) index[i] = outer[inner[i]];
  return {index, inner.size};
}

bool IsConsecutive(const IndexMap& map) {
  if (map.identity()) return true;
  for (int32_t i = 1; i < map.size; ++i) {
    if (map.index[i] != map.index[i - 1] + 1) return false;
  }
  return true;
}

bool Overlaps(Arena& arena, const IndexMap& map, int32_t places) {
  if (map.identity()) return false;
  auto* seen = arena.Allocate<bool>(places);
  std::memset(seen, 0, places);
  for (int32_t i = 0; i < map.size; ++i) {
    if (seen[map.index[i]]) return true;
    seen[map.index[i]] = true;
  }
  return false;
}

}  // namespace twingrad::reference
