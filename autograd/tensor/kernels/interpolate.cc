#include "autograd/tensor/kernels/interpolate.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "autograd/tensor/kernels/weighed_rows.h"
#include "autograd/tensor/kernels/window_places.h"
#include "autograd/tensor/remote.h"

namespace twingrad::kernels {
namespace {

// An entry of a window, or a window that has an entry at a place.
template <typename T>
struct WeighedPlace {
  uint32_t place;
  T weight;
};

// From +0, without a loop.
template <typename T, size_t kCount>
T SumOf(const T* in, const WeighedPlace<T>* entries) {
  T total(0);
  [&]<size_t... k>(std::index_sequence<k...>) {
    ((total += in[entries[k].place] * entries[k].weight), ...);
  }
  (std::make_index_sequence<kCount>());
  return total;
}

// Whether it is for Interpolate and its adjoint.
bool IsInterpolated(const Tensor& a, const Windows& windows, const WindowPlane& plane) {
  const int64_t most = std::max(plane.size, NumWindows(windows));
  return !IsRemote(a) && !IsNarrow(a.dtype()) && most <= std::numeric_limits<uint32_t>::max();
}

// By entry, and then by window. All lie inside.
template <typename T>
std::vector<WeighedPlace<T>> WeighedPlacesOf(const Windows& windows) {
  const std::vector<double> weights = ProductsOfWeights(windows);
  const std::vector<int64_t> places = PlacesOf(windows);
  std::vector<WeighedPlace<T>> table(places.size());
  for (size_t i = 0; i < table.size(); ++i)
    table[i] = {static_cast<uint32_t>(places[i]), CastNumber<T>(weights[i])};
  return table;
}

// The same by window, and then by entry.
template <typename T>
std::vector<WeighedPlace<T>> ByWindow(const std::vector<WeighedPlace<T>>& by_entry,
                                      int64_t entries) {
  std::vector<WeighedPlace<T>> table(by_entry.size());
  const size_t count = table.size() / static_cast<size_t>(entries);
  auto from = by_entry.begin();
  for (size_t entry = 0; entry < static_cast<size_t>(entries); ++entry) {
    for (size_t w = 0; w < count; ++w) table[w * static_cast<size_t>(entries) + entry] = *from++;
  }
  return table;
}

// By place of a plane of `size` elements: the windows, of which there are `count`, that have an
// entry there, in the order of entries and then of windows. Those of a place begin at its start.
template <typename T>
std::vector<WeighedPlace<T>> ByPlace(const std::vector<WeighedPlace<T>>& by_entry, int64_t count,
                                     int64_t size, std::vector<int64_t>* starts) {
  std::vector<int64_t> places, takers;
  for (const WeighedPlace<T>& entry : by_entry) places.push_back(entry.place);
  Invert(places, size, starts, &takers);
  std::vector<WeighedPlace<T>> table;
  table.reserve(takers.size());
  for (const int64_t i : takers) {
    table.push_back({static_cast<uint32_t>(i % count), by_entry[static_cast<size_t>(i)].weight});
  }
  return table;
}

// From these lengths on sums are made a row at a time. Those of places have more terms, some of
// which not all places have.
constexpr int64_t kLongRow = 32, kLongRowOfPlaces = 64;

// From planes of `from` elements to planes of `to`.
template <typename T>
void SumPlanes(const Tensor& rows, int64_t planes, int64_t from, int64_t to, WeighedRows<T>& sums,
               Tensor* out) {
  const T* in = rows.data<T>();
  T* made = out->mutable_data<T>();
  for (int64_t left = planes * from; left > 0; left -= from) {
    sums.Sum(in, left, made);
    in += from;
    made += to;
  }
}

// So many planes are taken at once where each is small and there are as many as fill a vector.
constexpr int64_t kPlanesBeside = 64;
template <typename T>
bool AreBeside(int64_t planes, int64_t from, int64_t to) {
  constexpr int64_t kMost = (int64_t{256} << 10) / (kPlanesBeside * sizeof(T));
  return planes >= kPlanesBeside / 4 && from + to <= kMost;
}

// From planes of `from` elements to planes of `to`, of small planes side by side. What result r
// takes begins at starts[r] in the table.
template <typename T>
void SumBeside(const Tensor& rows, int64_t planes, int64_t from, int64_t to,
               const std::vector<WeighedPlace<T>>& table, const std::vector<int64_t>& starts,
               Tensor* out) {
  const processor::LoopsOf<T>& loops = processor::LoopsInUse().Of<T>();
  std::vector<T> beside(static_cast<size_t>(from * kPlanesBeside));
  std::vector<T> made(static_cast<size_t>(to * kPlanesBeside));
  std::vector<const T*> row_of, weight_of;
  for (const WeighedPlace<T>& entry : table) {
    row_of.push_back(beside.data() + entry.place * kPlanesBeside);
    weight_of.push_back(&entry.weight);
  }
  for (int64_t p = 0; p < planes; p += kPlanesBeside) {
    const int64_t few = std::min(kPlanesBeside, planes - p);
    loops.transpose(rows.data<T>() + p * from, from, from, few, beside.data(), kPlanesBeside);
    for (int64_t r = 0; r < to; ++r) {
      const int64_t first = starts[static_cast<size_t>(r)];
      loops.weighed_sums(row_of.data() + first, weight_of.data() + first, /*weight_step=*/0,
                         starts[static_cast<size_t>(r) + 1] - first,
                         made.data() + r * kPlanesBeside, few);
    }
    loops.transpose(made.data(), kPlanesBeside, few, to, out->mutable_data<T>() + p * to, to);
  }
}

}  // namespace

Tensor Interpolate(const Tensor& a, const Windows& windows) {
  const WindowPlane plane(a.sizes(), windows);
  if (!IsInterpolated(a, windows, plane)) return Tensor();
  const Tensor rows = Contiguous(a);
  const int64_t entries = EntriesOf(windows), count = NumWindows(windows);
  Tensor out = Tensor::Empty({plane.count, count}, a.dtype(), a.device());
  DispatchFloating("upsample", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (windows.back().windows >= kLongRow) {
      WeighedRows<T> sums(windows, /*back=*/false);
      return SumPlanes(rows, plane.count, plane.size, count, sums, &out);
    }
    const std::vector<WeighedPlace<T>> table = ByWindow(WeighedPlacesOf<T>(windows), entries);
    if (AreBeside<T>(plane.count, plane.size, count)) {
      std::vector<int64_t> starts;
      for (int64_t w = 0; w <= count; ++w) starts.push_back(w * entries);
      return SumBeside(rows, plane.count, plane.size, count, table, starts, &out);
    }
    const auto sum_all = [&](auto sum) {
      const T* in = rows.data<T>();
      T* to = out.mutable_data<T>();
      for (int64_t p = 0; p < plane.count; ++p, in += plane.size) {
        const WeighedPlace<T>* window = table.data();
        for (int64_t w = 0; w < count; ++w, window += entries) *to++ = sum(in, window);
      }
    };
    // As many as linear ones have in one and in two dimensions, and others.
    if (entries == 2) return sum_all(SumOf<T, 2>);
    if (entries == 4) return sum_all(SumOf<T, 4>);
    sum_all([entries](const T* in, const WeighedPlace<T>* window) {
      T total(0);
      for (int64_t k = 0; k < entries; ++k) total += in[window[k].place] * window[k].weight;
      return total;
    });
  });
  return out;
}

Tensor InterpolateBack(const Tensor& terms, const Windows& windows, Ints sizes) {
  const WindowPlane plane(sizes, windows);
  if (!IsInterpolated(terms, windows, plane)) return Tensor();
  const Tensor rows = Contiguous(terms);
  const int64_t count = NumWindows(windows);
  Tensor out = Tensor::Empty(sizes, terms.dtype(), terms.device());
  DispatchFloating("upsample", terms.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (windows.back().size >= kLongRowOfPlaces) {
      WeighedRows<T> sums(windows, /*back=*/true);
      return SumPlanes(rows, plane.count, count, plane.size, sums, &out);
    }
    std::vector<int64_t> starts;
    const std::vector<WeighedPlace<T>> takers =
        ByPlace(WeighedPlacesOf<T>(windows), count, plane.size, &starts);
    if (AreBeside<T>(plane.count, count, plane.size)) {
      return SumBeside(rows, plane.count, count, plane.size, takers, starts, &out);
    }
    const T* in = rows.data<T>();
    T* to = out.mutable_data<T>();
    for (int64_t p = 0; p < plane.count; ++p, in += count) {
      auto taker = takers.begin();
      for (int64_t place = 0; place < plane.size; ++place) {
        const auto end = takers.begin() + starts[static_cast<size_t>(place) + 1];
        T total(0);
        for (; taker != end; ++taker) total += in[taker->place] * taker->weight;
        *to++ = total;
      }
    }
  });
  return out;
}

}  // namespace twingrad::kernels
