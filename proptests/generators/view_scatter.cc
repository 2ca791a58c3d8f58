#include "proptests/generators/view_scatter.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"

namespace twingrad::generators {
namespace {

// A view by its attributes, and its shape.
struct Place {
  Attributes attributes;
  Shape shape;
};

Place Entry(Draft& draft, Place whole, int64_t dim) {
  const int64_t size = whole.shape[static_cast<size_t>(dim)];
  whole.shape.erase(whole.shape.begin() + dim);
  whole.attributes = {{Key::kDim, dim}, {Key::kIndex, draft.source().Between(0, size - 1)}};
  return whole;
}

Place Entries(Draft& draft, Place whole, int64_t dim) {
  Source& source = draft.source();
  int64_t& size = whole.shape[static_cast<size_t>(dim)];
  const int64_t start = source.Between(0, size), stop = source.Between(start, size);
  const int64_t step = source.Between(1, 2);
  whole.attributes = {{Key::kDim, dim}};
  if (start != 0) whole.attributes.push_back({Key::kStart, start});
  if (stop != size) whole.attributes.push_back({Key::kStop, stop});
  if (step != 1) whole.attributes.push_back({Key::kStep, step});
  size = (stop - start + step - 1) / step;
  return whole;
}

Place Diagonal(Draft& draft, Place whole, int64_t first) {
  Source& source = draft.source();
  const auto rank = static_cast<int64_t>(whole.shape.size());
  const int64_t second = (first + source.Between(1, rank - 1)) % rank;
  const int64_t by = source.Between(0, 2) - 1;
  const int64_t rows = whole.shape[static_cast<size_t>(first)];
  const int64_t columns = whole.shape[static_cast<size_t>(second)];
  const int64_t length =
      std::min(rows + std::min<int64_t>(by, 0), columns - std::max<int64_t>(by, 0));
  whole.shape.erase(whole.shape.begin() + std::max(first, second));
  whole.shape.erase(whole.shape.begin() + std::min(first, second));
  whole.shape.push_back(std::max<int64_t>(length, 0));
  whole.attributes = {{Key::kDims, std::vector<int64_t>{first, second}}};
  if (by != 0) whole.attributes.push_back({Key::kBy, by});
  return whole;
}

// Rows of entries that lie apart by the inner stride, and do not meet.
Place Strided(Draft& draft, int64_t elements) {
  Source& source = draft.source();
  const int64_t rows = source.Chance(8) ? 0 : source.Between(1, 2), inner = source.Between(1, 2);
  const int64_t stride = source.Between(1, 2), outer = inner * stride + source.Between(0, 1);
  const int64_t last = rows == 0 ? 0 : (rows - 1) * outer + (inner - 1) * stride;
  if (rows != 0 && last >= elements) return {{}, {-1}};
  const int64_t start = rows == 0 ? 0 : source.Between(0, elements - 1 - last);
  Place place = {{{Key::kShape, std::vector<int64_t>{rows, inner}}}, {rows, inner}};
  if (start != 0) place.attributes.push_back({Key::kStart, start});
  place.attributes.push_back({Key::kStride, std::vector<int64_t>{outer, stride}});
  return place;
}

}  // namespace

ValueId ApplyViewScatter(Draft& draft, ValueId x, Opcode op, int64_t dim) {
  const Place whole = {{}, draft.ShapeOf(x)};
  Place place;
  if (op == Opcode::kSelectScatter) {
    if (whole.shape[static_cast<size_t>(dim)] == 0) return kNoValue;
    place = Entry(draft, whole, dim);
  } else if (op == Opcode::kSliceScatter) {
    place = Entries(draft, whole, dim);
  } else if (op == Opcode::kDiagonalScatter) {
    if (whole.shape.size() < 2) return kNoValue;
    place = Diagonal(draft, whole, dim);
  } else {
    place = Strided(draft, draft.NumElements(x));
    if (place.attributes.empty()) return kNoValue;
  }
  const ValueId part = Fellow(draft, x, place.shape);
  return part == kNoValue ? part : draft.Op(op, {x, part}, std::move(place.attributes));
}

}  // namespace twingrad::generators
