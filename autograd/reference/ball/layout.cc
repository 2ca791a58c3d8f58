#include "autograd/reference/ball/layout.h"

#include <algorithm>
#include <utility>

namespace twingrad::reference::ball {

using program::Key;
using program::Opcode;

int64_t CountOf(absl::Span<const int64_t> shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

Places StridesOf(absl::Span<const int64_t> shape) {
  Places strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) strides[d] = stride;
  return strides;
}

Places Enumerate(absl::Span<const int64_t> shape, absl::Span<const int64_t> strides,
                 int64_t offset) {
  Places places;
  const int64_t count = CountOf(shape);
  places.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = offset, rest = i;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) place += rest % shape[d] * strides[d];
    places.push_back(place);
  }
  return places;
}

Places Broadcasting(absl::Span<const int64_t> from, absl::Span<const int64_t> shape) {
  const Places own = StridesOf(from);
  Places strides(shape.size(), 0);
  const size_t new_dims = shape.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] == shape[d + new_dims]) strides[d + new_dims] = own[d];
  }
  return Enumerate(shape, strides);
}

std::vector<Lane> LanesAlong(absl::Span<const int64_t> shape, int64_t dim) {
  std::vector<int64_t> others(shape.begin(), shape.end());
  Places strides = StridesOf(shape);
  const Lane lane{0, strides[static_cast<size_t>(dim)], shape[static_cast<size_t>(dim)]};
  others.erase(others.begin() + dim);
  strides.erase(strides.begin() + dim);
  std::vector<Lane> lanes;
  for (const int64_t start : Enumerate(others, strides)) {
    lanes.push_back({start, lane.step, lane.length});
  }
  return lanes;
}

Layout Layout::Of(const Shape& shape) { return {shape, StridesOf(shape), 0}; }

bool Layout::IsContiguous() const {
  int64_t expected = 1;
  if (CountOf(shape) == 0) return true;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}

namespace {

using Dims = std::vector<int64_t>;

Layout Permuted(const Layout& from, const Dims& order) {
  Layout view{{}, {}, from.offset};
  for (const int64_t d : order) {
    view.shape.push_back(from.shape[static_cast<size_t>(d)]);
    view.strides.push_back(from.strides[static_cast<size_t>(d)]);
  }
  return view;
}

Layout Transposed(const Layout& from, const Dims& two) {
  Dims order(from.shape.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int64_t>(d);
  std::swap(order[static_cast<size_t>(two[0])], order[static_cast<size_t>(two[1])]);
  return Permuted(from, order);
}

Layout Expanded(const Layout& from, const Dims& sizes) {
  Layout view{{}, Places(sizes.size(), 0), from.offset};
  for (const int64_t size : sizes) view.shape.push_back(size);
  const size_t new_dims = sizes.size() - from.shape.size();
  for (size_t d = 0; d < from.shape.size(); ++d) {
    if (from.shape[d] == sizes[d + new_dims]) view.strides[d + new_dims] = from.strides[d];
  }
  return view;
}

Layout Sliced(Layout view, const program::Statement& statement) {
  const auto dim = static_cast<size_t>(statement.Get<int64_t>(Key::kDim));
  const int64_t size = view.shape[dim], step = statement.Get<int64_t>(Key::kStep, 1);
  const int64_t start = std::min(statement.Get<int64_t>(Key::kStart), size);
  const int64_t stop = std::min(statement.Get<int64_t>(Key::kStop, size), size);
  view.shape[dim] = stop > start ? (stop - start - 1) / step + 1 : 0;
  view.offset += start * view.strides[dim];
  view.strides[dim] = view.shape[dim] > 1 ? view.strides[dim] * step : view.strides[dim];
  return view;
}

Layout Squeezed(const Layout& from, const Dims& dims) {
  Layout view{{}, {}, from.offset};
  for (size_t d = 0; d < from.shape.size(); ++d) {
    const bool named =
        dims.empty() || std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
    if (named && from.shape[d] == 1) continue;
    view.shape.push_back(from.shape[d]);
    view.strides.push_back(from.strides[d]);
  }
  return view;
}

// The places (k, k + by), or (k - by, k).
Layout DiagonalOf(const Layout& from, const Dims& two, int64_t by) {
  const auto rows = static_cast<size_t>(two[0]), columns = static_cast<size_t>(two[1]);
  Layout view{{}, {}, from.offset};
  for (size_t d = 0; d < from.shape.size(); ++d) {
    if (d == rows || d == columns) continue;
    view.shape.push_back(from.shape[d]);
    view.strides.push_back(from.strides[d]);
  }
  int64_t length = 0;
  for (int64_t row = 0; row < from.shape[rows]; ++row) {
    const bool beside = by < -row || by >= from.shape[columns] - row;
    if (beside) continue;
    if (length == 0) view.offset += row * from.strides[rows] + (row + by) * from.strides[columns];
    ++length;
  }
  view.shape.push_back(length);
  view.strides.push_back(from.strides[rows] + from.strides[columns]);
  return view;
}

Layout WindowsOf(Layout view, const program::Statement& statement) {
  const auto dim = static_cast<size_t>(statement.Get<int64_t>(Key::kDim));
  const int64_t count = statement.Get<int64_t>(Key::kCount);
  const int64_t step = statement.Get<int64_t>(Key::kStep, 1);
  int64_t windows = 0;
  for (int64_t start = 0; start <= view.shape[dim] - count; start += step) {
    ++windows;
    if (step > view.shape[dim]) break;
  }
  view.shape.push_back(count);
  view.strides.push_back(view.strides[dim]);
  view.shape[dim] = windows;
  if (windows > 1) view.strides[dim] *= step;
  return view;
}

}  // namespace

Layout Layout::View(const program::Statement& statement) const {
  if (statement.op == Opcode::kTranspose) {
    return Transposed(*this, statement.Get<Dims>(Key::kDims));
  }
  if (statement.op == Opcode::kPermute) return Permuted(*this, statement.Get<Dims>(Key::kDims));
  if (statement.op == Opcode::kExpand) return Expanded(*this, statement.Get<Dims>(Key::kShape));
  if (statement.op == Opcode::kSlice) return Sliced(*this, statement);
  if (statement.op == Opcode::kSqueeze) return Squeezed(*this, statement.Get<Dims>(Key::kDims));
  if (statement.op == Opcode::kT) {
    return shape.size() < 2 ? *this : Permuted(*this, {1, 0});
  }
  if (statement.op == Opcode::kDiagonal) {
    const auto by = statement.Get<int64_t>(Key::kBy);
    return DiagonalOf(*this, statement.Get<Dims>(Key::kDims), by);
  }
  if (statement.op == Opcode::kUnfold) return WindowsOf(*this, statement);
  Layout view = *this;
  if (statement.op == Opcode::kAlias) return view;
  if (statement.op == Opcode::kAsStrided) {
    view.offset += statement.Get<int64_t>(Key::kStart);
    view.strides = statement.Get<Dims>(Key::kStride);
    view.shape.clear();
    for (const int64_t size : statement.Get<Dims>(Key::kShape)) view.shape.push_back(size);
    return view;
  }
  if (statement.op == Opcode::kSelect) {
    const auto dim = statement.Get<int64_t>(Key::kDim);
    view.offset += statement.Get<int64_t>(Key::kIndex) * strides[static_cast<size_t>(dim)];
    view.shape.erase(view.shape.begin() + dim);
    view.strides.erase(view.strides.begin() + dim);
  } else if (statement.op == Opcode::kUnsqueeze) {
    const auto dim = statement.Get<int64_t>(Key::kDim);
    view.shape.insert(view.shape.begin() + dim, 1);
    view.strides.insert(view.strides.begin() + dim, 1);
  } else {  // view, reshape
    Shape shown;
    for (const int64_t size : statement.Get<Dims>(Key::kShape)) shown.push_back(size);
    const Places row_major = StridesOf(shown);
    view = {shown, row_major, offset};
  }
  return view;
}

}  // namespace twingrad::reference::ball
