#include "autograd/reference/window_map.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace twingrad::reference {
namespace {

using program::Key;
using List = std::vector<int64_t>;

List StepsOf(const program::Statement& statement, Key key, const List& otherwise) {
  List steps = statement.Get<List>(key);
  return steps.empty() ? otherwise : steps;
}

// Goes through all coordinates of a box, the last one fastest.
bool Next(const Shape& sizes, List* at) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (++(*at)[d] < sizes[d]) return true;
    (*at)[d] = 0;
  }
  return false;
}

// Products under construction.
struct ProductList {
  std::vector<int32_t> left, right, result;
  void Add(int64_t a, int64_t b, int64_t sum) {
    left.push_back(static_cast<int32_t>(a));
    right.push_back(static_cast<int32_t>(b));
    result.push_back(static_cast<int32_t>(sum));
  }
  MatmulMaps Take(Arena& arena, const Shape& shape) const {
    return {shape, ListedMap(arena, left), ListedMap(arena, right), ListedMap(arena, result)};
  }
};

int32_t PlanesOf(const Shape& shape, const Windows& windows) {
  const Shape lead(shape.begin(), shape.end() - static_cast<int64_t>(windows.counts.size()));
  return Count(lead);
}

// Of adaptive pools: window i from the whole part of i size / count to the next whole number at
// (i + 1) size / count.
struct Portion {
  int64_t start, end;
};
Portion PortionOf(int64_t window, int64_t size, int64_t count) {
  const int64_t end = (window + 1) * size;
  return {window * size / count, end / count + (end % count != 0 ? 1 : 0)};
}

}  // namespace

Windows PortionsOf(const Shape& shape, const List& counts) {
  const size_t dims = counts.size();
  const Shape plane(shape.end() - static_cast<int64_t>(dims), shape.end());
  const Shape strides = RowMajorStrides(plane);
  Windows windows;
  windows.counts.assign(counts.begin(), counts.end());
  windows.plane = Count(plane);
  List window(dims, 0);
  do {
    std::vector<int32_t> places = {0};
    for (size_t d = 0; d < dims; ++d) {
      const Portion portion = PortionOf(window[d], plane[d], counts[d]);
      std::vector<int32_t> longer;
      for (const int32_t place : places) {
        for (int64_t at = portion.start; at < portion.end; ++at) {
          longer.push_back(place + static_cast<int32_t>(at * strides[d]));
        }
      }
      places = std::move(longer);
    }
    windows.places.push_back(std::move(places));
  } while (Next(windows.counts, &window));
  return windows;
}

Windows WindowsOf(const program::Statement& statement, const Shape& shape, const List& kernel) {
  const size_t dims = kernel.size();
  const List ones(dims, 1);
  const bool pools = statement.Find(Key::kKernel) != nullptr;
  const List stride = StepsOf(statement, Key::kStride, pools ? kernel : ones);
  const List padding = StepsOf(statement, Key::kPadding, List(dims, 0));
  const List dilation = StepsOf(statement, Key::kDilation, ones);
  const Shape plane(shape.end() - static_cast<int64_t>(dims), shape.end());
  Windows windows;
  windows.plane = Count(plane);
  for (size_t d = 0; d < dims; ++d) {
    const int64_t last = plane[d] + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1;
    windows.counts.push_back(last / stride[d] + 1);
  }
  const Shape box(kernel.begin(), kernel.end()), strides = RowMajorStrides(plane);
  List window(dims, 0);
  do {
    std::vector<int32_t>& places = windows.places.emplace_back();
    List entry(dims, 0);
    do {
      int64_t place = 0;
      bool inside = true;
      for (size_t d = 0; d < dims; ++d) {
        const int64_t at = window[d] * stride[d] + entry[d] * dilation[d] - padding[d];
        inside &= at >= 0 && at < plane[d];
        place += at * strides[d];
      }
      places.push_back(inside ? static_cast<int32_t>(place) : -1);
    } while (Next(box, &entry));
  } while (Next(windows.counts, &window));
  return windows;
}

Shape WindowedShape(const Shape& shape, const Windows& windows) {
  Shape result(shape.begin(), shape.end() - static_cast<int64_t>(windows.counts.size()));
  result.insert(result.end(), windows.counts.begin(), windows.counts.end());
  return result;
}

std::vector<std::vector<int32_t>> RowsOf(const Shape& shape, const Windows& windows) {
  std::vector<std::vector<int32_t>> rows;
  for (int32_t plane = 0; plane < PlanesOf(shape, windows); ++plane) {
    for (const std::vector<int32_t>& places : windows.places) {
      std::vector<int32_t>& row = rows.emplace_back();
      for (const int32_t place : places) {
        if (place >= 0) row.push_back(plane * windows.plane + place);
      }
    }
  }
  return rows;
}

EntryMaps EntriesOf(Arena& arena, const Shape& shape, const Windows& windows) {
  std::vector<int32_t> from, to;
  int32_t window = 0;
  for (const std::vector<int32_t>& row : RowsOf(shape, windows)) {
    from.insert(from.end(), row.begin(), row.end());
    to.insert(to.end(), row.size(), window++);
  }
  return {ListedMap(arena, from), ListedMap(arena, to)};
}

ConvolutionMaps ConvolvedMaps(Arena& arena, const program::Statement& statement, const Shape& a,
                              const Shape& b) {
  const Windows windows = WindowsOf(statement, a, List(b.begin() + 2, b.end()));
  const size_t dims = windows.counts.size(), channel = a.size() - dims - 1;
  const int64_t samples = channel == 0 ? 1 : a[0], channels = a[channel];
  const auto groups = statement.Get<int64_t>(Key::kGroups, 1);
  const int64_t of_group = b[1], results_of_group = b[0] / groups;
  const auto count = static_cast<int64_t>(windows.places.size());
  const auto entries = static_cast<int64_t>(windows.places[0].size());
  ProductList inside, padded;
  for (int64_t n = 0; n < samples; ++n) {
    for (int64_t o = 0; o < b[0]; ++o) {
      for (int64_t w = 0; w < count; ++w) {
        const int64_t sum = (n * b[0] + o) * count + w;
        for (int64_t c = 0; c < of_group; ++c) {
          const int64_t plane = n * channels + o / results_of_group * of_group + c;
          for (int64_t k = 0; k < entries; ++k) {
            const int32_t place = windows.places[w][k];
            const int64_t weight = (o * of_group + c) * entries + k;
            (place < 0 ? padded : inside).Add(plane * windows.plane + place, weight, sum);
          }
        }
      }
    }
  }
  Shape shape = WindowedShape(a, windows);
  shape[channel] = b[0];
  return {inside.Take(arena, shape), padded.Take(arena, shape)};
}

ConvolutionMaps TransposedMaps(Arena& arena, const program::Statement& statement, const Shape& a,
                               const Shape& b) {
  const size_t dims = b.size() - 2, channel = a.size() - dims - 1;
  const List ones(dims, 1), zeros(dims, 0);
  const List stride = StepsOf(statement, Key::kStride, ones);
  const List padding = StepsOf(statement, Key::kPadding, zeros);
  const List dilation = StepsOf(statement, Key::kDilation, ones);
  const List more = StepsOf(statement, Key::kOutputPadding, zeros);
  Shape shape = a;
  shape[channel] = b[1] * statement.Get<int64_t>(Key::kGroups, 1);
  for (size_t d = 0; d < dims; ++d) {
    int64_t& size = shape[channel + 1 + d];
    size = (size - 1) * stride[d] - 2 * padding[d] + dilation[d] * (b[2 + d] - 1) + more[d] + 1;
  }
  const auto [inside, padded] = ConvolvedMaps(arena, statement, shape, b);
  return {{shape, inside.result, inside.right, inside.left},
          {shape, padded.result, padded.right, padded.left}};
}

Picks RunningExtremeMap(Arena& arena, const Array& a, size_t dim, bool least,
                        std::vector<Tie>* ties) {
  const int64_t stride = RowMajorStrides(*a.shape)[dim], size = (*a.shape)[dim];
  std::vector<std::vector<int32_t>> rows(static_cast<size_t>(a.size));
  for (int32_t i = 0; i < a.size; ++i) {
    // From the place back to the start, so that the first of several is the last.
    for (int64_t k = 0; k <= i / stride % size; ++k) {
      rows[i].push_back(i - static_cast<int32_t>(k * stride));
    }
  }
  return ExtremeOfRows(arena, a, rows, least, ties);
}

}  // namespace twingrad::reference
