#include "autograd/reference/strides.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace twingrad::reference {
namespace {

using program::Key;
using program::Opcode;
using program::Statement;

using Integers = std::vector<int64_t>;

// Of a view whose elements follow each other: dimensions are dealt out from the last one, a run
// that has one stride after the other.
Shape Reshaped(const Shape& from, const Shape& strides, const Shape& to) {
  Shape made(to.size(), 1);
  if (from.empty()) return made;
  auto next = static_cast<int64_t>(to.size()) - 1;
  int64_t base = strides.back(), have = 1, dealt = 1;
  for (size_t d = from.size(); d-- > 0;) {
    have *= from[d];
    const bool ends = d == 0 || (from[d - 1] != 1 && strides[d - 1] != have * base);
    if (!ends) continue;
    for (; next >= 0 && (dealt < have || to[next] == 1); --next) {
      made[next] = dealt * base;
      dealt *= to[next];
    }
    if (d == 0) break;
    base = strides[d - 1];
    have = dealt = 1;
  }
  return made;
}

Shape Expanded(const Shape& from, const Shape& strides, const Shape& to) {
  Shape made(to.size(), 0);
  const size_t added = to.size() - from.size();
  for (size_t d = to.size(); d-- > 0;) {
    const bool old = d >= added;
    const int64_t size = old ? from[d - added] : 1;
    const int64_t fresh = d + 1 < to.size() ? to[d + 1] * made[d + 1] : 1;
    made[d] = size != to[d] ? 0 : old ? strides[d - added] : fresh;
  }
  return made;
}

Layout Sliced(const Statement& view, Layout made) {
  const auto dim = static_cast<size_t>(view.Get<int64_t>(Key::kDim));
  const int64_t size = made.sizes[dim], step = view.Get<int64_t>(Key::kStep, 1);
  const int64_t start = std::min(view.Get<int64_t>(Key::kStart, 0), size);
  const int64_t length = std::min(view.Get<int64_t>(Key::kStop, size), size) - start;
  made.offset = start * made.strides[dim];
  made.sizes[dim] = length <= 0 ? 0 : (length - 1) / step + 1;
  // A step past the end wraps; no element uses it.
  made.strides[dim] =
      static_cast<int64_t>(static_cast<uint64_t>(made.strides[dim]) * static_cast<uint64_t>(step));
  return made;
}

Layout Permuted(const Integers& dims, const Layout& from) {
  Layout made = from;
  for (size_t d = 0; d < dims.size(); ++d) {
    made.sizes[d] = from.sizes[dims[d]];
    made.strides[d] = from.strides[dims[d]];
  }
  return made;
}

Layout Squeezed(const Integers& dims, const Layout& from) {
  Layout made;
  for (size_t d = 0; d < from.sizes.size(); ++d) {
    const bool named =
        dims.empty() || std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
    if (from.sizes[d] == 1 && named) continue;
    made.sizes.push_back(from.sizes[d]);
    made.strides.push_back(from.strides[d]);
  }
  return made;
}

Layout Diagonal(const Integers& dims, int64_t by, Layout made) {
  const int64_t row = made.strides[dims[0]], column = made.strides[dims[1]];
  const int64_t rows = made.sizes[dims[0]], columns = made.sizes[dims[1]];
  by = std::clamp(by, -rows, columns);
  const int64_t length =
      std::min(rows + std::min<int64_t>(by, 0), columns - std::max<int64_t>(by, 0));
  if (length > 0) made.offset += by < 0 ? -by * row : by * column;
  for (const int64_t d : {std::max(dims[0], dims[1]), std::min(dims[0], dims[1])}) {
    made.sizes.erase(made.sizes.begin() + d);
    made.strides.erase(made.strides.begin() + d);
  }
  made.sizes.push_back(length);
  made.strides.push_back(row + column);
  return made;
}

Layout Unfolded(const Statement& view, size_t dim, Layout made) {
  const int64_t count = view.Get<int64_t>(Key::kCount), step = view.Get<int64_t>(Key::kStep, 1);
  made.sizes.push_back(count);
  made.strides.push_back(made.strides[dim]);
  made.sizes[dim] = (made.sizes[dim] - count) / step + 1;
  // A step past the end wraps; no element uses it.
  made.strides[dim] =
      static_cast<int64_t>(static_cast<uint64_t>(made.strides[dim]) * static_cast<uint64_t>(step));
  return made;
}

Layout LayoutOf(const Statement& view, const Shape& from, const Shape& strides) {
  const auto dim = static_cast<size_t>(view.Get<int64_t>(Key::kDim));
  const auto dims = view.Get<Integers>(Key::kDims), sizes = view.Get<Integers>(Key::kShape);
  const Shape to(sizes.begin(), sizes.end());
  Layout made = {from, strides};
  if (view.op == Opcode::kTranspose) {
    std::swap(made.sizes[dims[0]], made.sizes[dims[1]]);
    std::swap(made.strides[dims[0]], made.strides[dims[1]]);
    return made;
  }
  if (view.op == Opcode::kPermute) return Permuted(dims, made);
  if (view.op == Opcode::kExpand) return {to, Expanded(from, strides, to)};
  if (view.op == Opcode::kSelect) {
    made.offset = view.Get<int64_t>(Key::kIndex) * strides[dim];
    made.sizes.erase(made.sizes.begin() + dim);
    made.strides.erase(made.strides.begin() + dim);
    return made;
  }
  if (view.op == Opcode::kSlice) return Sliced(view, made);
  if (view.op == Opcode::kSqueeze) return Squeezed(dims, made);
  if (view.op == Opcode::kUnsqueeze) {
    made.sizes.insert(made.sizes.begin() + dim, 1);
    made.strides.insert(made.strides.begin() + dim,
                        dim < from.size() ? from[dim] * strides[dim] : 1);
    return made;
  }
  if (view.op == Opcode::kT) {
    std::reverse(made.sizes.begin(), made.sizes.end());
    std::reverse(made.strides.begin(), made.strides.end());
    return made;
  }
  if (view.op == Opcode::kDiagonal) return Diagonal(dims, view.Get<int64_t>(Key::kBy), made);
  if (view.op == Opcode::kUnfold) return Unfolded(view, dim, made);
  if (view.op == Opcode::kAlias) return made;
  if (view.op == Opcode::kAsStrided) {
    const auto steps = view.Get<Integers>(Key::kStride);
    return {to, Shape(steps.begin(), steps.end()), view.Get<int64_t>(Key::kStart)};
  }
  // view and reshape
  return {to, Reshaped(from, strides, to)};
}

}  // namespace

Layout ViewLayout(const Statement& view, const Shape& from, const Shape& strides) {
  Layout made = LayoutOf(view, from, strides);
  if (Count(made.sizes) == 0) made.strides = RowMajorStrides(made.sizes);  // nothing overlaps
  return made;
}

Stretch StretchOf(const IndexMap& map) {
  if (map.size == 0) return {};
  if (map.identity()) return {0, map.size, true};
  const auto [least, most] = std::minmax_element(map.index, map.index + map.size);
  const int32_t begin = *least, end = *most + 1;
  std::vector<bool> seen(static_cast<size_t>(end - begin));
  bool once = end - begin == map.size;
  for (int32_t i = 0; once && i < map.size; ++i) {
    once = !seen[map.index[i] - begin];
    seen[map.index[i] - begin] = true;
  }
  return {begin, end, once};
}

bool OverlapPartly(const IndexMap& a, const Shape& strides_of_a, const IndexMap& b,
                   const Shape& strides_of_b) {
  if (a.size == 0 || b.size == 0) return false;
  const Stretch in_a = StretchOf(a), in_b = StretchOf(b);
  if (!in_a.filled || !in_b.filled || in_a.end <= in_b.begin || in_b.end <= in_a.begin) {
    return false;
  }
  const bool same = in_a.begin == in_b.begin && in_a.end == in_b.end;
  return !same || strides_of_a != strides_of_b;
}

bool ReadsWhatItWrites(const IndexMap& written, const IndexMap& read) {
  std::unordered_map<int32_t, int32_t> writer;
  for (int32_t i = 0; i < written.size; ++i) writer[written[i]] = i;
  for (int32_t i = 0; i < read.size; ++i) {
    const auto it = writer.find(read[i]);
    if (it != writer.end() && it->second != i) return true;
  }
  return false;
}

}  // namespace twingrad::reference
