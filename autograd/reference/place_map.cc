#include "autograd/reference/place_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace twingrad::reference {
namespace {

// The rows along one dimension: element k of row r is at Start(r) + k * stride.
struct Rows {
  Rows(const Shape& shape, size_t dim) : size(shape[dim]) {
    for (size_t d = dim + 1; d < shape.size(); ++d) stride *= shape[d];
    count = stride;
    for (size_t d = 0; d < dim; ++d) count *= shape[d];
  }
  int64_t Start(int64_t row) const { return row / stride * stride * size + row % stride; }

  int64_t size;
  int64_t stride = 1;
  int64_t count = 1;
};

// Compares numbers and notes what their bounds leave open.
class Comparison {
 public:
  explicit Comparison(const Array& a) : a_(a) {}

  // Whether the element at x stands before that at y in ascending order.
  bool Less(int32_t x, int32_t y) const {
    if (!IsFloating(a_.dtype)) return a_.i[x] < a_.i[y];
    if (std::isnan(a_.v[y])) return !std::isnan(a_.v[x]);
    return a_.v[x] < a_.v[y];
  }
  bool IsNan(int32_t x) const { return IsFloating(a_.dtype) && std::isnan(a_.v[x]); }
  bool IsTie(int32_t x, int32_t y) const { return !Less(x, y) && !Less(y, x); }
  // Throws if rounding could reverse the order.
  void RequireDecided(int32_t x, int32_t y) const {
    const double error = a_.Error(x) + a_.Error(y);
    if (error == 0) return;
    if (!IsFloating(a_.dtype) || !(std::fabs(a_.v[x] - a_.v[y]) > error)) throw UnknownInteger();
  }

 private:
  const Array& a_;
};

}  // namespace

IndexMap PartMap(Arena& arena, const Shape& part, const Shape& whole, size_t dim, int64_t start) {
  const Shape strides = RowMajorStrides(whole);
  return StridedMap(arena, part, strides, start * strides[dim]);
}

IndexMap FlipMap(Arena& arena, const Shape& shape, absl::Span<const int64_t> dims) {
  Shape strides = RowMajorStrides(shape);
  int64_t offset = 0;
  for (const int64_t d : dims) {
    offset += strides[d] * (shape[d] - 1);
    strides[d] = -strides[d];
  }
  return StridedMap(arena, shape, strides, offset);
}

IndexMap PickMap(Arena& arena, const Shape& of, const Shape& shape, size_t dim,
                 const Array& indices, const IndexMap& at) {
  Shape strides = RowMajorStrides(of);
  const int64_t stride = strides[dim];
  strides[dim] = 0;
  const int32_t count = Count(shape);
  const IndexMap base = StridedMap(arena, shape, strides, 0);
  auto* places = arena.Allocate<int32_t>(count);
  for (int32_t i = 0; i < count; ++i) {
    if (indices.Error(at[i]) != 0) throw UnknownInteger();
    const int64_t index = indices.i[at[i]];
    if (index < 0 || index >= of[dim]) throw IndexOutOfRange();
    places[i] = static_cast<int32_t>(base[i] + index * stride);
  }
  return {places, count};
}

RunningMaps CumsumMaps(Arena& arena, const Shape& shape, size_t dim) {
  const Rows rows(shape, dim);
  const int64_t terms = rows.count * (rows.size * (rows.size + 1) / 2);
  auto* from = arena.Allocate<int32_t>(terms);
  auto* to = arena.Allocate<int32_t>(terms);
  int32_t next = 0;
  for (int64_t row = 0; row < rows.count; ++row) {
    for (int64_t k = 0; k < rows.size; ++k) {
      for (int64_t j = 0; j <= k; ++j, ++next) {
        from[next] = static_cast<int32_t>(rows.Start(row) + j * rows.stride);
        to[next] = static_cast<int32_t>(rows.Start(row) + k * rows.stride);
      }
    }
  }
  return {{from, next}, {to, next}};
}

IndexMap OrderMap(Arena& arena, const Array& a, size_t dim, bool descending, bool* tie) {
  const Rows rows(*a.shape, dim);
  const Comparison comparison(a);
  auto* places = arena.Allocate<int32_t>(a.size);
  std::vector<int32_t> row(rows.size);
  for (int64_t r = 0; r < rows.count && a.size > 0; ++r) {
    for (int64_t k = 0; k < rows.size; ++k) {
      row[k] = static_cast<int32_t>(rows.Start(r) + k * rows.stride);
    }
    std::vector<int32_t> ordered = row;
    std::stable_sort(ordered.begin(), ordered.end(), [&](int32_t x, int32_t y) {
      return descending ? comparison.Less(y, x) : comparison.Less(x, y);
    });
    for (int64_t k = 0; k < rows.size; ++k) {
      places[row[k]] = ordered[k];
      if (k == 0) continue;
      comparison.RequireDecided(ordered[k - 1], ordered[k]);
      *tie |= comparison.IsTie(ordered[k - 1], ordered[k]);
    }
  }
  return {places, a.size};
}

IndexMap ExtremeMap(Arena& arena, const Array& a, size_t dim, bool least, bool* tie) {
  const Rows rows(*a.shape, dim);
  const Comparison comparison(a);
  const auto count = static_cast<int32_t>(rows.count);
  auto* places = arena.Allocate<int32_t>(count);
  for (int32_t r = 0; r < count; ++r) {
    const auto place = [&](int64_t k) {
      return static_cast<int32_t>(rows.Start(r) + k * rows.stride);
    };
    int32_t best = place(0);
    for (int64_t k = 1; k < rows.size; ++k) {
      if (comparison.IsNan(best)) break;
      const int32_t next = place(k);
      const bool better = least ? comparison.Less(next, best) : comparison.Less(best, next);
      if (better || comparison.IsNan(next)) best = next;
    }
    for (int64_t k = 0; k < rows.size; ++k) {
      if (place(k) == best) continue;
      comparison.RequireDecided(best, place(k));
      *tie |= comparison.IsTie(best, place(k));
    }
    places[r] = best;
  }
  return {places, count};
}

const Array* CoordinatesOf(Arena& arena, const IndexMap& map, const Shape& of, size_t dim,
                           const Shape* shape) {
  const Rows rows(of, dim);
  Array* coordinates = NewArray(arena, DType::kI64, shape, map.size);
  for (int32_t i = 0; i < map.size; ++i) coordinates->i[i] = map[i] / rows.stride % rows.size;
  return coordinates;
}

}  // namespace twingrad::reference
