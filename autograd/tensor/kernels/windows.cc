#include "autograd/tensor/kernels/windows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"

namespace twingrad::kernels {
namespace {

int64_t ProductOf(Ints sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

// What windows move over.
struct Plane {
  Plane(Ints whole, const Windows& windows) {
    for (const Line& line : windows) size *= line.size;
    count = ProductOf(whole) / size;
  }
  int64_t size = 1;
  int64_t count = 0;
};

// By entry, and then by window, what `combine` makes of `first` and of one dimension after another,
// with the place in that dimension: a product of the Lines.
template <typename T, typename Combine>
std::vector<T> Crossed(const Windows& windows, T first, Combine combine) {
  const int64_t count = ProductOf(CountsOf(windows));
  std::vector<T> crossed(static_cast<size_t>(EntriesOf(windows) * count), first);
  // Entries and windows of the dimensions after this one.
  int64_t inner_entries = EntriesOf(windows), inner_windows = count;
  for (const Line& line : windows) {
    inner_entries /= line.entries;
    inner_windows /= line.windows;
    for (size_t i = 0; i < crossed.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      const int64_t entry = at / count / inner_entries % line.entries;
      const int64_t window = at % count / inner_windows % line.windows;
      combine(line, static_cast<size_t>(window * line.entries + entry), &crossed[i]);
    }
  }
  return crossed;
}

// The place in the plane; -1 where a dimension has none.
std::vector<int64_t> PlacesOf(const Windows& windows) {
  return Crossed<int64_t>(windows, 0, [](const Line& line, size_t at, int64_t* place) {
    const int64_t x = line.places[at];
    *place = *place >= 0 && x >= 0 ? *place * line.size + x : -1;
  });
}

Tensor RowMajor(const Tensor& a) { return a.IsContiguous() ? a : Clone(a); }

}  // namespace

Tensor Unfold(const Tensor& a, const Windows& windows) {
  const Tensor rows = RowMajor(a);
  const Plane plane(a.sizes(), windows);
  const std::vector<int64_t> places = PlacesOf(windows);
  const int64_t entries = EntriesOf(windows), count = ProductOf(CountsOf(windows));
  Tensor out = Tensor::Empty({plane.count, entries, count}, a.dtype(), a.device());
  DispatchFloating("unfold", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* in = rows.data<T>();
    T* to = out.mutable_data<T>();
    for (int64_t p = 0; p < plane.count; ++p, in += plane.size) {
      for (const int64_t place : places) *to++ = place < 0 ? T(0) : in[place];
    }
  });
  return out;
}

Tensor Fold(const Tensor& columns, const Windows& windows, Ints sizes) {
  const Tensor rows = RowMajor(columns);
  const Plane plane(sizes, windows);
  const std::vector<int64_t> places = PlacesOf(windows);
  Tensor out = Tensor::Zeros(sizes, columns.dtype(), columns.device());
  DispatchFloating("fold", columns.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* in = rows.data<T>();
    T* to = out.mutable_data<T>();
    for (int64_t p = 0; p < plane.count; ++p, to += plane.size) {
      for (const int64_t place : places) {
        if (place >= 0) to[place] += *in;
        ++in;
      }
    }
  });
  return out;
}

Tensor IndexOfGreatest(const Tensor& a, const Windows& windows) {
  const Tensor rows = RowMajor(a);
  const Plane plane(a.sizes(), windows);
  const std::vector<int64_t> places = PlacesOf(windows);
  const int64_t entries = EntriesOf(windows), count = ProductOf(CountsOf(windows));
  Tensor out = Tensor::Empty({plane.count, count}, DType::kI64, a.device());
  int64_t* const index = out.mutable_data<int64_t>();
  DispatchFloating("max_pool", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* in = rows.data<T>();
    for (int64_t p = 0; p < plane.count; ++p, in += plane.size) {
      int64_t* const best = index + p * count;
      std::fill(best, best + count, int64_t{-1});
      auto place = places.begin();
      for (int64_t entry = 0; entry < entries; ++entry) {
        for (int64_t w = 0; w < count; ++w, ++place) {
          if (*place < 0) continue;
          const bool first = best[w] < 0;
          // Neither less nor equal: greater, or no number.
          if (first || (!std::isnan(in[best[w]]) && !(in[*place] <= in[best[w]]))) best[w] = *place;
        }
      }
    }
  });
  return out;
}

Tensor WeightsOf(const Windows& windows, const Tensor& like) {
  const auto weights = Crossed<double>(windows, 1, [](const Line& line, size_t at, double* weight) {
    if (!line.weights.empty()) *weight *= line.weights[at];
  });
  const int64_t count = ProductOf(CountsOf(windows));
  Tensor out = Tensor::Empty({EntriesOf(windows), count}, like.dtype(), like.device());
  DispatchFloating("weights", like.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::transform(weights.begin(), weights.end(), out.mutable_data<T>(),
                   [](double weight) { return static_cast<T>(weight); });
  });
  return out;
}

Tensor NumbersOfEntries(const Windows& windows, const Tensor& like) {
  const std::vector<int64_t> places = PlacesOf(windows);
  const auto count = static_cast<size_t>(ProductOf(CountsOf(windows)));
  std::vector<int64_t> entries(count, 0);
  for (size_t i = 0; i < places.size(); ++i) entries[i % count] += places[i] >= 0 ? 1 : 0;
  Tensor out = Tensor::Empty({static_cast<int64_t>(count)}, like.dtype(), like.device());
  DispatchFloating("entries", like.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::transform(entries.begin(), entries.end(), out.mutable_data<T>(),
                   [](int64_t number) { return static_cast<T>(number); });
  });
  return out;
}

}  // namespace twingrad::kernels
