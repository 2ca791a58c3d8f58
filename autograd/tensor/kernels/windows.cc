#include "autograd/tensor/kernels/windows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/remote_bodies.h"
#include "autograd/tensor/kernels/window_bodies.h"

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

Tensor OnDeviceOf(const Tensor& a, const std::vector<int64_t>& numbers) {
  return Tensor::FromData<int64_t>({static_cast<int64_t>(numbers.size())}, numbers, a.device());
}

// By place of a plane of `size` elements, where those begin among `takers` that lie there.
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

Tensor RowMajor(const Tensor& a) { return a.IsContiguous() ? a : Clone(a); }

// Over so many planes; nothing where some windows are no boxes.
std::optional<BoxWork> BoxWorkOf(const Windows& windows, int64_t planes) {
  const std::optional<Boxes> boxes = BoxesIn(windows);
  if (!boxes) return std::nullopt;
  BoxWork work{*boxes, planes, 1, EntriesOf(windows), ProductOf(CountsOf(windows))};
  for (const Line& line : windows) work.plane *= line.size;
  return work;
}

template <typename T>
[[gnu::noinline, gnu::cold]] void UnfoldRemote(const Tensor& rows, const Windows& windows,
                                               int64_t plane, const Tensor& out) {
  if (const auto work = BoxWorkOf(windows, out.sizes()[0])) {
    const UnfoldBoxesBody<T> body{Address<T>(rows), Address<T>(out), *work};
    return RunRemote("unfold", body, body.Pieces(), {&out}, {&rows});
  }
  const int64_t count = EntriesOf(windows) * ProductOf(CountsOf(windows));
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

template <typename T>
[[gnu::noinline, gnu::cold]] void IndexOfGreatestRemote(const Tensor& rows, const Windows& windows,
                                                        int64_t plane, const Tensor& out) {
  if (const auto work = BoxWorkOf(windows, out.sizes()[0])) {
    const IndexOfGreatestBoxesBody<T> body{Address<T>(rows), Address<int64_t>(out), *work};
    RunRemote("max_pool", body, body.Pieces(), {&out}, {&rows});
  } else {
    const Tensor there = OnDeviceOf(rows, PlacesOf(windows));
    const IndexOfGreatestBody<T> body{
        Address<T>(rows),   Address<int64_t>(there),      Address<int64_t>(out),
        EntriesOf(windows), ProductOf(CountsOf(windows)), plane};
    RunRemote("max_pool", body, out.numel(), {&out}, {&rows, &there});
  }
  NoteIndicesBelow(out, plane);
}

}  // namespace

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

Tensor Unfold(const Tensor& a, const Windows& windows) {
  if (IsNarrow(a.dtype())) {
    return Widely([&](const Tensor& wide) { return Unfold(wide, windows); }, a);
  }
  const Tensor rows = RowMajor(a);
  const Plane plane(a.sizes(), windows);
  const int64_t entries = EntriesOf(windows), count = ProductOf(CountsOf(windows));
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
  const Tensor rows = RowMajor(columns);
  const Plane plane(sizes, windows);
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

Tensor IndexOfGreatest(const Tensor& a, const Windows& windows) {
  if (IsNarrow(a.dtype())) return IndexOfGreatest(Widened(a), windows);
  const Tensor rows = RowMajor(a);
  const Plane plane(a.sizes(), windows);
  const int64_t entries = EntriesOf(windows), count = ProductOf(CountsOf(windows));
  Tensor out = Tensor::Empty({plane.count, count}, DType::kI64, a.device());
  DispatchFloating("max_pool", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (IsRemote(a)) [[unlikely]]
      return IndexOfGreatestRemote<T>(rows, windows, plane.size, out);
    const std::vector<int64_t> places = PlacesOf(windows);
    int64_t* const index = out.mutable_data<int64_t>();
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

Tensor GivenToGreatest(const Tensor& index, const Tensor& terms, const Windows& windows) {
  if (IsNarrow(terms.dtype())) {
    return Widely([&](const Tensor& wide) { return GivenToGreatest(index, wide, windows); }, terms);
  }
  const auto work =
      BoxWorkOf(windows, terms.numel() / std::max<int64_t>(ProductOf(CountsOf(windows)), 1));
  if (!IsRemote(terms) || !work) return Tensor();
  const Tensor places = RowMajor(index), rows = RowMajor(terms);
  Tensor out = Tensor::Empty({work->planes, work->plane}, terms.dtype(), terms.device());
  DispatchFloating("max_pool", terms.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const GiveToGreatestBody<T> body{Address<int64_t>(places), Address<T>(rows), Address<T>(out),
                                     *work};
    RunRemote("max_pool", body, body.Pieces(), {&out}, {&places, &rows});
  });
  return out;
}

Tensor WeightsOf(const Windows& windows, const Tensor& like) {
  const auto weights = Crossed<double>(windows, 1, [](const Line& line, size_t at, double* weight) {
    if (!line.weights.empty()) *weight *= line.weights[at];
  });
  const int64_t count = ProductOf(CountsOf(windows));
  Tensor out = Tensor::Empty({EntriesOf(windows), count}, like.dtype(), HostSide(like.device()));
  DispatchAll(like.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::transform(weights.begin(), weights.end(), out.mutable_data<T>(), CastNumber<T, double>);
  });
  return MovedTo(out, like.device());
}

Tensor NumbersOfEntries(const Windows& windows, const Tensor& like) {
  const std::vector<int64_t> places = PlacesOf(windows);
  const auto count = static_cast<size_t>(ProductOf(CountsOf(windows)));
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
