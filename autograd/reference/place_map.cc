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
  // Whether rounding could reverse the order.
  bool IsOpen(int32_t x, int32_t y) const {
    const double error = a_.Error(x) + a_.Error(y);
    return error != 0 && (!IsFloating(a_.dtype) || !(std::fabs(a_.v[x] - a_.v[y]) > error));
  }

 private:
  const Array& a_;
};

// Picks under construction.
class Picking {
 public:
  Picking(Arena& arena, int32_t count) : arena_(arena), places_(count) {}

  void Set(int32_t at, int64_t place) { places_[at] = static_cast<int32_t>(place); }
  // Another engine may pick this; any of these: base + k stride.
  void Open(int32_t at, int64_t place) {
    if (place == places_[at]) return;
    open_.push_back(at);
    others_.push_back(static_cast<int32_t>(place));
  }
  void Open(int32_t at, int64_t base, int64_t stride, int64_t size) {
    for (int64_t k = 0; k < size; ++k) Open(at, base + k * stride);
  }
  Picks Take() const {
    return {ListedMap(arena_, places_), ListedMap(arena_, open_), ListedMap(arena_, others_)};
  }

 private:
  Arena& arena_;
  std::vector<int32_t> places_, open_, others_;
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

IndexMap RollMap(Arena& arena, const Shape& shape, size_t dim, int64_t by) {
  const Rows rows(shape, dim);
  auto* from = arena.Allocate<int32_t>(Count(shape));
  for (int64_t row = 0; row < rows.count; ++row) {
    for (int64_t k = 0; k < rows.size; ++k) {
      const int64_t source = ((k - by % rows.size) % rows.size + rows.size) % rows.size;
      from[rows.Start(row) + k * rows.stride] =
          static_cast<int32_t>(rows.Start(row) + source * rows.stride);
    }
  }
  return {from, Count(shape)};
}

IndexMap TriangleMap(Arena& arena, const Shape& shape, int64_t by, bool below) {
  const int64_t rows = shape[shape.size() - 2], columns = shape.back();
  auto* kept = arena.Allocate<int32_t>(Count(shape));
  int32_t size = 0;
  for (int32_t i = 0; i < Count(shape); ++i) {
    const int64_t distance = i % columns - i / columns % rows;
    if (below ? distance <= by : distance >= by) kept[size++] = i;
  }
  return {kept, size};
}

Padding PaddingOf(const program::Statement& statement, const Shape& from) {
  const auto pads = statement.Get<std::vector<int64_t>>(program::Key::kPads);
  Padding padding{from, Shape(from.size(), 0)};
  for (size_t k = 0; k < pads.size(); ++k) {
    const size_t d = from.size() - 1 - k / 2;
    padding.shape[d] += pads[k];
    if (k % 2 == 0) padding.before[d] = pads[k];
  }
  return padding;
}

IndexMap ExtendedMap(Arena& arena, program::Opcode op, const Shape& from, const Shape& to,
                     const Shape& before) {
  const auto folded = [op](int64_t k, int64_t size) {
    if (op == program::Opcode::kPadReplicate) return std::clamp<int64_t>(k, 0, size - 1);
    if (op != program::Opcode::kPadReflect) return (k % size + size) % size;
    return k < 0 ? -k : k < size ? k : 2 * (size - 1) - k;
  };
  const Shape strides = RowMajorStrides(from);
  std::vector<int32_t> places;
  for (int32_t i = 0; i < Count(to); ++i) {
    int64_t rest = i, place = 0;
    for (size_t d = to.size(); d-- > 0; rest /= to[d]) {
      place += folded(rest % to[d] - before[d], from[d]) * strides[d];
    }
    places.push_back(static_cast<int32_t>(place));
  }
  return ListedMap(arena, places);
}

Picks PickMap(Arena& arena, const Shape& of, const Shape& shape, size_t dim, const Array& indices,
              const IndexMap& at) {
  Shape strides = RowMajorStrides(of);
  const int64_t stride = strides[dim];
  strides[dim] = 0;
  const int32_t count = Count(shape);
  const IndexMap base = StridedMap(arena, shape, strides, 0);
  Picking picking(arena, count);
  for (int32_t i = 0; i < count; ++i) {
    const int64_t index = indices.i[at[i]];
    const double bound = indices.e == nullptr ? 0 : indices.e[at[i]];
    const bool ranged = bound < 0 && -bound <= static_cast<double>(of[dim]);
    if (bound != 0 && !ranged) throw UnknownInteger();
    if (index < 0 || index >= of[dim]) throw IndexOutOfRange();
    picking.Set(i, base[i] + index * stride);
    if (ranged) picking.Open(i, base[i], stride, static_cast<int64_t>(-bound));
  }
  return picking.Take();
}

void CheckIndices(Arena& arena, const Shape& of, size_t dim, const Array& indices) {
  PickMap(arena, {of[dim], 1}, {indices.size, 1}, 0, indices, {nullptr, indices.size});
}

PickTerms TermsOf(Arena& arena, const Picks& picks, DType dtype) {
  const int32_t count = picks.places.size, total = count + picks.open.size;
  auto* from = arena.Allocate<int32_t>(total);
  auto* to = arena.Allocate<int32_t>(total);
  Array* weights = NewArray(arena, dtype, arena.Keep({total}), total);
  weights->e = arena.Allocate<double>(total);
  for (int32_t k = 0; k < total; ++k) {
    const int32_t other = k - count;
    from[k] = other < 0 ? picks.places[k] : picks.others[other];
    to[k] = other < 0 ? k : picks.open[other];
    weights->v[k] = other < 0 ? 1 : 0;
    weights->e[k] = other < 0 ? 0 : 1;
    if (other >= 0) weights->e[to[k]] = 1;
  }
  return {{from, total}, {to, total}, weights};
}

const Array* PickedIntegers(Arena& arena, const Array& a, const Picks& picks, const Shape* shape) {
  Array* picked = NewArray(arena, a.dtype, shape, picks.places.size);
  picked->e = arena.Allocate<double>(picked->size);
  for (int32_t i = 0; i < picked->size; ++i) {
    picked->i[i] = a.i[picks.places[i]];
    picked->e[i] = a.Error(picks.places[i]);
  }
  for (int32_t k = 0; k < picks.open.size; ++k) picked->e[picks.open[k]] = kUnknown;
  return picked;
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

Picks OrderMap(Arena& arena, const Array& a, size_t dim, bool descending, std::vector<Tie>* ties) {
  const Rows rows(*a.shape, dim);
  const Comparison comparison(a);
  Picking picking(arena, a.size);
  std::vector<int32_t> row(rows.size);
  for (int64_t r = 0; r < rows.count && a.size > 0; ++r) {
    for (int64_t k = 0; k < rows.size; ++k) {
      row[k] = static_cast<int32_t>(rows.Start(r) + k * rows.stride);
    }
    std::vector<int32_t> ordered = row;
    std::stable_sort(ordered.begin(), ordered.end(), [&](int32_t x, int32_t y) {
      return descending ? comparison.Less(y, x) : comparison.Less(x, y);
    });
    bool open = false;
    for (int64_t k = 0; k < rows.size; ++k) {
      picking.Set(row[k], ordered[k]);
      if (k > 0) open |= comparison.IsOpen(ordered[k - 1], ordered[k]);
    }
    for (int64_t k = 0, end = 0; k < rows.size; k = end) {
      for (end = k + 1; end < rows.size && comparison.IsTie(ordered[k], ordered[end]); ++end) {
      }
      if (end == k + 1 && !open) continue;
      Tie& tie = ties->emplace_back();
      tie.undefined = open || comparison.IsNan(ordered[k]);
      tie.at.assign(row.begin() + k, row.begin() + end);
      tie.places.assign(ordered.begin() + k, ordered.begin() + end);
    }
    for (const int32_t at : row) {
      if (open) picking.Open(at, rows.Start(r), rows.stride, rows.size);
    }
  }
  return picking.Take();
}

Picks ExtremeMap(Arena& arena, const Array& a, size_t dim, bool least, std::vector<Tie>* ties) {
  const Rows rows(*a.shape, dim);
  std::vector<std::vector<int32_t>> lists(rows.count);
  for (int64_t r = 0; r < rows.count; ++r) {
    for (int64_t k = 0; k < rows.size; ++k) {
      lists[r].push_back(static_cast<int32_t>(rows.Start(r) + k * rows.stride));
    }
  }
  return ExtremeOfRows(arena, a, lists, least, ties);
}

Picks ExtremeOfRows(Arena& arena, const Array& a, const std::vector<std::vector<int32_t>>& rows,
                    bool least, std::vector<Tie>* ties) {
  const Comparison comparison(a);
  const auto count = static_cast<int32_t>(rows.size());
  Picking picking(arena, count);
  for (int32_t r = 0; r < count; ++r) {
    int32_t best = rows[r][0];
    for (const int32_t next : rows[r]) {
      if (comparison.IsNan(best)) break;
      const bool better = least ? comparison.Less(next, best) : comparison.Less(best, next);
      if (better || comparison.IsNan(next)) best = next;
    }
    picking.Set(r, best);
    bool open = false;
    Tie tie{{r}, {}, comparison.IsNan(best)};
    for (const int32_t place : rows[r]) {
      if (place != best) open |= comparison.IsOpen(best, place);
      if (comparison.IsTie(best, place)) tie.places.push_back(place);
    }
    tie.undefined |= open;
    if (open || tie.places.size() > 1) ties->push_back(tie);
    for (const int32_t place : rows[r]) {
      if (open) picking.Open(r, place);
    }
  }
  return picking.Take();
}

const Array* CoordinatesOf(Arena& arena, const Picks& picks, const Shape& of, size_t dim,
                           const Shape* shape) {
  const Rows rows(of, dim);
  const IndexMap& map = picks.places;
  Array* coordinates = NewArray(arena, DType::kI64, shape, map.size);
  for (int32_t i = 0; i < map.size; ++i) coordinates->i[i] = map[i] / rows.stride % rows.size;
  if (picks.certain()) return coordinates;
  coordinates->e = arena.Allocate<double>(map.size);
  std::fill(coordinates->e, coordinates->e + map.size, 0);
  for (int32_t k = 0; k < picks.open.size; ++k) {
    coordinates->e[picks.open[k]] = -static_cast<double>(rows.size);
  }
  return coordinates;
}

}  // namespace twingrad::reference
