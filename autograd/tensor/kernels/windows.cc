#include "autograd/tensor/kernels/windows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "autograd/tensor/kernels/rearrange.h"
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

// Windows of a plane along its last dimension.
struct WindowRow {
  int64_t first, count, step;
  size_t begin, entries;  // among the places of all rows, those of the first window
};

// All of a plane.
struct WindowRows {
  std::vector<WindowRow> rows;
  std::vector<int64_t> places;
};

WindowRows RowsOf(const Windows& windows) {
  const Line& last = windows.back();
  const std::vector<WindowStretch> stretches = StretchesOf(last);
  const Windows outer(windows.begin(), windows.end() - 1);
  const std::vector<int64_t> outer_places = PlacesOf(outer);
  const int64_t outer_windows = ProductOf(CountsOf(outer)), outer_entries = EntriesOf(outer);
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

template <typename T>
void GreatestHere(const Tensor& a, const Windows& windows, const Plane& plane, Tensor* values,
                  Tensor* index) {
  const WindowRows all = RowsOf(windows);
  const auto greatest = processor::LoopsInUse().Of<T>().greatest;
  const int64_t count = ProductOf(CountsOf(windows));
  const T* in = a.data<T>();
  T* to = values->mutable_data<T>();
  int64_t* at = index->mutable_data<int64_t>();
  for (int64_t left = plane.count * plane.size; left > 0; left -= plane.size) {
    for (const WindowRow& row : all.rows) {
      greatest({in, left, &all.places[row.begin], static_cast<int64_t>(row.entries), row.step,
                row.count},
               to + row.first, at + row.first);
    }
    in += plane.size;
    to += count;
    at += count;
  }
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

GreatestEntries Greatest(const Tensor& a, const Windows& windows) {
  if (IsNarrow(a.dtype())) {
    const GreatestEntries wide = Greatest(Widened(a), windows);
    return {Narrowed(wide.values, a.dtype()), wide.index};
  }
  const Tensor rows = RowMajor(a);
  const Plane plane(a.sizes(), windows);
  const Shape sizes = {plane.count, ProductOf(CountsOf(windows))};
  Tensor index = Tensor::Empty(sizes, DType::kI64, a.device()), values;
  DispatchFloating("max_pool", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (IsRemote(a)) [[unlikely]] {
      IndexOfGreatestRemote<T>(rows, windows, plane.size, index);
      const Shape planes = {plane.count, plane.size};
      values = Gather(rows.AsStrided(planes, ContiguousStrides(planes), rows.storage_offset()), 1,
                      index);
    } else {
      values = Tensor::Empty(sizes, a.dtype(), a.device());
      GreatestHere<T>(rows, windows, plane, &values, &index);
    }
  });
  return {values, index};
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
