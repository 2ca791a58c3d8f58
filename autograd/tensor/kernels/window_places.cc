#include "autograd/tensor/kernels/window_places.h"

#include <cstddef>
#include <utility>

namespace twingrad::kernels {
namespace {

int64_t ProductOf(Ints sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

// By entry, and then by window, what `combine` makes of `first` and of one dimension after another,
// with the place in that dimension: a product of the Lines.
template <typename T, typename Combine>
std::vector<T> Crossed(const Windows& windows, T first, Combine combine) {
  std::vector<T> crossed = {first};  // of the dimensions so far
  int64_t entries = 1, count = 1;
  for (const Line& line : windows) {
    std::vector<T> more;
    more.reserve(crossed.size() * static_cast<size_t>(line.entries * line.windows));
    for (int64_t outer = 0; outer < entries * line.entries; ++outer) {
      const int64_t entry = outer % line.entries;
      const T* const before = &crossed[static_cast<size_t>(outer / line.entries * count)];
      for (int64_t w = 0; w < count; ++w) {
        for (int64_t window = 0; window < line.windows; ++window) {
          more.push_back(before[w]);
          combine(line, static_cast<size_t>(window * line.entries + entry), &more.back());
        }
      }
    }
    crossed = std::move(more);
    entries *= line.entries;
    count *= line.windows;
  }
  return crossed;
}

}  // namespace

WindowPlane::WindowPlane(Ints whole, const Windows& windows)
    : size(PlaneSizeOf(windows)), count(ProductOf(whole) / size) {}

int64_t NumWindows(const Windows& windows) { return ProductOf(CountsOf(windows)); }

std::vector<int64_t> PlacesOf(const Windows& windows) {
  return Crossed<int64_t>(windows, 0, [](const Line& line, size_t at, int64_t* place) {
    const int64_t x = line.places[at];
    *place = *place >= 0 && x >= 0 ? *place * line.size + x : -1;
  });
}

std::vector<double> ProductsOfWeights(const Windows& windows) {
  return Crossed<double>(windows, 1, [](const Line& line, size_t at, double* weight) {
    if (!line.weights.empty()) *weight *= line.weights[at];
  });
}

void Invert(const std::vector<int64_t>& places, int64_t size, std::vector<int64_t>* starts,
            std::vector<int64_t>* takers) {
  starts->assign(static_cast<size_t>(size) + 1, 0);
  for (const int64_t place : places) {
    if (place >= 0) ++(*starts)[static_cast<size_t>(place) + 1];
  }
  for (size_t k = 1; k < starts->size(); ++k) (*starts)[k] += (*starts)[k - 1];
  takers->resize(static_cast<size_t>(starts->back()));
  std::vector<int64_t> next = *starts;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) continue;
    (*takers)[static_cast<size_t>(next[static_cast<size_t>(places[i])]++)] =
        static_cast<int64_t>(i);
  }
}

WindowRows WindowRowsOf(const Windows& windows) {
  const Line& last = windows.back();
  const std::vector<WindowStretch> stretches = StretchesOf(last);
  const Windows outer(windows.begin(), windows.end() - 1);
  const std::vector<int64_t> outer_places = PlacesOf(outer);
  const int64_t outer_windows = NumWindows(outer), outer_entries = EntriesOf(outer);
  WindowRows all;
  for (int64_t w = 0; w < outer_windows; ++w) {
    int64_t first = w * last.windows;
    for (const WindowStretch& stretch : stretches) {
      WindowRow row{first, stretch.count, stretch.step, all.places.size(), 0};
      for (int64_t entry = 0; entry < outer_entries; ++entry) {
        const int64_t line = outer_places[static_cast<size_t>(entry * outer_windows + w)];
        if (line < 0) continue;
        for (const int64_t place : stretch.places) all.places.push_back(line * last.size + place);
      }
      row.entries = all.places.size() - row.begin;
      all.rows.push_back(row);
      first += stretch.count;
    }
  }
  return all;
}

std::optional<Boxes> BoxesIn(const Windows& windows) {
  if (windows.size() > Boxes::kAxes) return std::nullopt;
  Boxes boxes;
  for (size_t d = 0; d < windows.size(); ++d) {
    const Line& line = windows[d];
    if (!line.box) return std::nullopt;
    boxes.axes[Boxes::kAxes - windows.size() + d] = {line.size,         line.windows,
                                                     line.entries,      line.box->stride,
                                                     line.box->padding, line.box->dilation};
  }
  return boxes;
}

std::optional<BoxWork> BoxWorkOf(const Windows& windows, int64_t planes) {
  const std::optional<Boxes> boxes = BoxesIn(windows);
  if (!boxes) return std::nullopt;
  BoxWork work{*boxes, planes, 1, EntriesOf(windows), NumWindows(windows)};
  for (const Line& line : windows) work.plane *= line.size;
  return work;
}

Tensor OnDeviceOf(const Tensor& a, const std::vector<int64_t>& numbers) {
  return Tensor::FromData<int64_t>({static_cast<int64_t>(numbers.size())}, numbers, a.device());
}

}  // namespace twingrad::kernels
