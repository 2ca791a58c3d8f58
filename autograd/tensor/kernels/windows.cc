#include "autograd/tensor/kernels/windows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "autograd/tensor/kernels/remote_bodies.h"
#include "autograd/tensor/kernels/window_places.h"

namespace twingrad::kernels {
namespace {

template <typename T>
[[gnu::noinline, gnu::cold]] void UnfoldRemote(const Tensor& rows, const Windows& windows,
                                               int64_t plane, const Tensor& out) {
  if (const auto work = BoxWorkOf(windows, out.sizes()[0])) {
    const UnfoldBoxesBody<T> body{Address<T>(rows), Address<T>(out), *work};
    return RunRemote("unfold", body, body.Pieces(), {&out}, {&rows});
  }
  const int64_t count = EntriesOf(windows) * NumWindows(windows);
  const Tensor there = OnDeviceOf(rows, PlacesOf(windows));
  const UnfoldBody<T> body{Address<T>(rows), Address<int64_t>(there), Address<T>(out), count,
                           plane};
  RunRemote("unfold", body, out.numel(), {&out}, {&rows, &there});
}

template <typename T>
[[gnu::noinline, gnu::cold]] void FoldBackRemote(const Tensor& rows, const Windows& windows,
                                                 int64_t plane, const Tensor& out) {
  if (const auto work = BoxWorkOf(windows, out.numel() / plane)) {
    const FoldBoxesBody<T> body{Address<T>(rows), Address<T>(out), *work};
    return RunRemote("fold", body, body.Pieces(), {&out}, {&rows});
  }
  const std::vector<int64_t> places = PlacesOf(windows);
  std::vector<int64_t> starts, takers;
  Invert(places, plane, &starts, &takers);
  const Tensor first = OnDeviceOf(rows, starts), those = OnDeviceOf(rows, takers);
  const FoldBackBody<T> body{Address<T>(rows),
                             Address<int64_t>(first),
                             Address<int64_t>(those),
                             Address<T>(out),
                             static_cast<int64_t>(places.size()),
                             plane};
  RunRemote("fold", body, out.numel(), {&out}, {&rows, &first, &those});
}

}  // namespace

Tensor Unfold(const Tensor& a, const Windows& windows) {
  if (IsNarrow(a.dtype())) {
    return Widely([&](const Tensor& wide) { return Unfold(wide, windows); }, a);
  }
  const Tensor rows = Contiguous(a);
  const WindowPlane plane(a.sizes(), windows);
  const int64_t entries = EntriesOf(windows), count = NumWindows(windows);
  Tensor out = Tensor::Empty({plane.count, entries, count}, a.dtype(), a.device());
  DispatchFloating("unfold", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (IsRemote(a)) [[unlikely]]
      return UnfoldRemote<T>(rows, windows, plane.size, out);
    const std::vector<int64_t> places = PlacesOf(windows);
    const T* in = rows.data<T>();
    T* to = out.mutable_data<T>();
    for (int64_t p = 0; p < plane.count; ++p, in += plane.size) {
      for (const int64_t place : places) *to++ = place < 0 ? T(0) : in[place];
    }
  });
  return out;
}

Tensor Fold(const Tensor& columns, const Windows& windows, Ints sizes) {
  if (IsNarrow(columns.dtype())) {
    return Widely([&](const Tensor& wide) { return Fold(wide, windows, sizes); }, columns);
  }
  const Tensor rows = Contiguous(columns);
  const WindowPlane plane(sizes, windows);
  if (IsRemote(columns)) [[unlikely]] {
    Tensor out = Tensor::Empty(sizes, columns.dtype(), columns.device());
    DispatchFloating("fold", columns.dtype(), [&](auto zero) {
      FoldBackRemote<decltype(zero)>(rows, windows, plane.size, out);
    });
    return out;
  }
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

Tensor WindowSums(const Tensor& a, const Windows& windows) {
  if (IsRemote(a) || IsNarrow(a.dtype())) return Tensor();
  const int64_t count = NumWindows(windows);
  return DispatchFloating("avg_pool", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    // The entries of the only window lie side by side, and Sum takes them in another order.
    if (count == 1 && EntriesOf(windows) >= processor::kSumLanes<T>) return Tensor();
    const Tensor rows = Contiguous(a);
    const WindowPlane plane(a.sizes(), windows);
    const WindowRows all = WindowRowsOf(windows);
    const auto sums = processor::LoopsInUse().Of<T>().window_sums;
    Tensor out = Tensor::Empty({plane.count, count}, a.dtype(), a.device());
    const T* in = rows.data<T>();
    T* to = out.mutable_data<T>();
    for (int64_t left = plane.count * plane.size; left > 0; left -= plane.size) {
      for (const WindowRow& row : all.rows) {
        sums({in, left, &all.places[row.begin], static_cast<int64_t>(row.entries), row.step,
              row.count},
             to + row.first);
      }
      in += plane.size;
      to += count;
    }
    return out;
  });
}

Tensor WeightsOf(const Windows& windows, const Tensor& like) {
  const std::vector<double> weights = ProductsOfWeights(windows);
  const int64_t count = NumWindows(windows);
  Tensor out = Tensor::Empty({EntriesOf(windows), count}, like.dtype(), HostSide(like.device()));
  DispatchAll(like.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::transform(weights.begin(), weights.end(), out.mutable_data<T>(), CastNumber<T, double>);
  });
  return MovedTo(out, like.device());
}

Tensor NumbersOfEntries(const Windows& windows, const Tensor& like) {
  const std::vector<int64_t> places = PlacesOf(windows);
  const auto count = static_cast<size_t>(NumWindows(windows));
  std::vector<int64_t> entries(count, 0);
  for (size_t i = 0; i < places.size(); ++i) entries[i % count] += places[i] >= 0 ? 1 : 0;
  Tensor out = Tensor::Empty({static_cast<int64_t>(count)}, like.dtype(), HostSide(like.device()));
  DispatchAll(like.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::transform(entries.begin(), entries.end(), out.mutable_data<T>(), CastNumber<T, int64_t>);
  });
  return MovedTo(out, like.device());
}

}  // namespace twingrad::kernels
