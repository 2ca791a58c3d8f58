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

// What a window moves over.
struct Plane {
  Plane(Ints whole, const Window& window)
      : sizes(whole.end() - window.kernel.size(), whole.end()),
        size(ProductOf(sizes)),
        count(ProductOf(whole) / size) {}
  Shape sizes;
  int64_t size;
  int64_t count;
};

// By entry, and then by window: the place in the plane, -1 in the padding. One dimension after
// another; a dimension without an entry there leaves -1.
std::vector<int64_t> PlacesOf(const Window& window, const Shape& plane) {
  const Shape counts = window.Counts(plane);
  std::vector<int64_t> places(static_cast<size_t>(window.entries() * ProductOf(counts)), 0);
  // Entries and windows of the dimensions after this one.
  int64_t inner_entries = window.entries(), inner_windows = ProductOf(counts);
  const int64_t windows = inner_windows;
  for (size_t d = 0; d < plane.size(); ++d) {
    inner_entries /= window.kernel[d];
    inner_windows /= counts[d];
    for (size_t i = 0; i < places.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      const int64_t entry = at / windows / inner_entries % window.kernel[d];
      const int64_t start = at % windows / inner_windows % counts[d];
      const int64_t x = start * window.stride[d] + entry * window.dilation[d] - window.padding[d];
      const bool inside = places[i] >= 0 && x >= 0 && x < plane[d];
      places[i] = inside ? places[i] * plane[d] + x : -1;
    }
  }
  return places;
}

Tensor RowMajor(const Tensor& a) { return a.IsContiguous() ? a : Clone(a); }

}  // namespace

int64_t Window::entries() const { return ProductOf(kernel); }

Shape Window::Counts(Ints plane) const {
  Shape counts;
  for (size_t d = 0; d < kernel.size(); ++d) {
    const int64_t extent = dilation[d] * (kernel[d] - 1) + 1;
    counts.push_back((plane[d] + 2 * padding[d] - extent) / stride[d] + 1);
  }
  return counts;
}

Tensor Unfold(const Tensor& a, const Window& window) {
  const Tensor rows = RowMajor(a);
  const Plane plane(a.sizes(), window);
  const std::vector<int64_t> places = PlacesOf(window, plane.sizes);
  const int64_t windows = ProductOf(window.Counts(plane.sizes));
  Tensor out = Tensor::Empty({plane.count, window.entries(), windows}, a.dtype(), a.device());
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

Tensor Fold(const Tensor& columns, const Window& window, Ints sizes) {
  const Tensor rows = RowMajor(columns);
  const Plane plane(sizes, window);
  const std::vector<int64_t> places = PlacesOf(window, plane.sizes);
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

Tensor IndexOfGreatest(const Tensor& a, const Window& window) {
  const Tensor rows = RowMajor(a);
  const Plane plane(a.sizes(), window);
  const std::vector<int64_t> places = PlacesOf(window, plane.sizes);
  const int64_t windows = ProductOf(window.Counts(plane.sizes));
  Tensor out = Tensor::Empty({plane.count, windows}, DType::kI64, a.device());
  int64_t* const index = out.mutable_data<int64_t>();
  DispatchFloating("max_pool", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* in = rows.data<T>();
    for (int64_t p = 0; p < plane.count; ++p, in += plane.size) {
      int64_t* const best = index + p * windows;
      std::fill(best, best + windows, int64_t{-1});
      auto place = places.begin();
      for (int64_t entry = 0; entry < window.entries(); ++entry) {
        for (int64_t w = 0; w < windows; ++w, ++place) {
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

}  // namespace twingrad::kernels
