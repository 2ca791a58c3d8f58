#include "autograd/reference/indexed_map.h"

#include <cstddef>
#include <set>
#include <utility>

#include "autograd/reference/place_map.h"

namespace twingrad::reference {
namespace {

// The rows of this many places each that are named, in full.
ShapedMap RowsOf(Arena& arena, Shape shape, const std::vector<int64_t>& rows, const Shape& of,
                 size_t dims) {
  int64_t each = 1;
  for (size_t d = dims; d < of.size(); ++d) {
    shape.push_back(of[d]);
    each *= of[d];
  }
  std::vector<int32_t> places;
  for (const int64_t row : rows) {
    for (int64_t k = 0; k < each; ++k) places.push_back(static_cast<int32_t>(row * each + k));
  }
  return {std::move(shape), ListedMap(arena, places)};
}

}  // namespace

ShapedMap IndexedMap(Arena& arena, const Shape& of, absl::Span<const Array* const> indices) {
  Shape shape;
  for (const Array* index : indices) shape = BroadcastShape(shape, *index->shape);
  std::vector<int64_t> rows(static_cast<size_t>(Count(shape)), 0);
  for (size_t d = 0; d < indices.size(); ++d) {
    const IndexMap from = BroadcastMap(arena, *indices[d]->shape, shape);
    for (int32_t i = 0; i < from.size; ++i) {
      const int64_t index = indices[d]->i[from[i]];
      if (indices[d]->Error(from[i]) != 0) throw UnknownInteger();
      if (index < 0 || index >= of[d]) throw IndexOutOfRange();
      int64_t& row = rows[static_cast<size_t>(i)];
      row = row * of[d] + index;
    }
  }
  return RowsOf(arena, std::move(shape), rows, of, indices.size());
}

ShapedMap MaskedMap(Arena& arena, const Shape& of, const Array& mask, int64_t count) {
  std::vector<int64_t> rows;
  for (int32_t i = 0; i < mask.size; ++i) {
    if (mask.Error(i) != 0) throw UnknownInteger();
    if (mask.i[i] != 0) rows.push_back(i);
  }
  if (static_cast<int64_t>(rows.size()) != count) throw CountDiffers();
  return RowsOf(arena, {count}, rows, of, mask.shape->size());
}

ShapedMap ColumnsMap(Arena& arena, const Shape& of, const Array& indices) {
  const auto dims = static_cast<size_t>(indices.shape->at(0));
  const auto columns = static_cast<int32_t>(indices.shape->at(1));
  std::vector<int64_t> rows(static_cast<size_t>(columns), 0);
  for (int32_t i = 0; i < indices.size; ++i) {
    const auto size = of[static_cast<size_t>(i / columns)];
    if (indices.Error(i) != 0) throw UnknownInteger();
    if (indices.i[i] < 0 || indices.i[i] >= size) throw IndexOutOfRange();
    int64_t& row = rows[static_cast<size_t>(i % columns)];
    row = row * size + indices.i[i];
  }
  return RowsOf(arena, {columns}, rows, of, dims);
}

const Array* DifferentColumns(Arena& arena, const Array& indices) {
  const auto dims = static_cast<int32_t>(indices.shape->at(0));
  const auto columns = static_cast<int32_t>(indices.shape->at(1));
  std::set<std::vector<int64_t>> different;
  for (int32_t k = 0; k < columns; ++k) {
    std::vector<int64_t> column;
    for (int32_t d = 0; d < dims; ++d) {
      if (indices.Error(d * columns + k) != 0) throw UnknownInteger();
      column.push_back(indices.i[d * columns + k]);
    }
    different.insert(std::move(column));
  }
  const auto count = static_cast<int32_t>(different.size());
  Array* result = NewArray(arena, DType::kI64, arena.Keep({dims, count}), dims * count);
  int32_t k = 0;
  for (const std::vector<int64_t>& column : different) {
    for (int32_t d = 0; d < dims; ++d) {
      result->i[d * count + k] = column[static_cast<size_t>(d)];
    }
    ++k;
  }
  return result;
}

std::vector<Meeting> MeetingsOf(const IndexMap& places, int32_t count) {
  std::vector<int32_t> meeting(static_cast<size_t>(count), -1);
  std::vector<Meeting> meetings;
  for (int32_t i = 0; i < places.size; ++i) {
    int32_t& at = meeting[static_cast<size_t>(places[i])];
    if (at < 0) {
      at = static_cast<int32_t>(meetings.size());
      meetings.push_back({places[i], {}});
    }
    meetings[static_cast<size_t>(at)].elements.push_back(i);
  }
  return meetings;
}

}  // namespace twingrad::reference
