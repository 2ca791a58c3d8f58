#include "autograd/tensor/kernels/greatest.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "autograd/tensor/kernels/rearrange.h"
#include "autograd/tensor/kernels/remote_bodies.h"
#include "autograd/tensor/kernels/window_places.h"

namespace twingrad::kernels {
namespace {

template <typename T>
[[gnu::noinline, gnu::cold]] void IndexOfGreatestRemote(const Tensor& rows, const Windows& windows,
                                                        int64_t plane, const Tensor& out) {
  if (const auto work = BoxWorkOf(windows, out.sizes()[0])) {
    const IndexOfGreatestBoxesBody<T> body{Address<T>(rows), Address<int64_t>(out), *work};
    RunRemote("max_pool", body, body.Pieces(), {&out}, {&rows});
  } else {
    const Tensor there = OnDeviceOf(rows, PlacesOf(windows));
    const IndexOfGreatestBody<T> body{Address<T>(rows),      Address<int64_t>(there),
                                      Address<int64_t>(out), EntriesOf(windows),
                                      NumWindows(windows),   plane};
    RunRemote("max_pool", body, out.numel(), {&out}, {&rows, &there});
  }
  NoteIndicesBelow(out, plane);
}

template <typename T>
void GreatestHere(const Tensor& a, const Windows& windows, const WindowPlane& plane, Tensor* values,
                  Tensor* index) {
  const WindowRows all = WindowRowsOf(windows);
  const auto greatest = processor::LoopsInUse().Of<T>().greatest;
  const int64_t count = NumWindows(windows);
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

GreatestEntries Greatest(const Tensor& a, const Windows& windows) {
  if (IsNarrow(a.dtype())) {
    const GreatestEntries wide = Greatest(Widened(a), windows);
    return {Narrowed(wide.values, a.dtype()), wide.index};
  }
  const Tensor rows = Contiguous(a);
  const WindowPlane plane(a.sizes(), windows);
  const Shape sizes = {plane.count, NumWindows(windows)};
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
  const auto work = BoxWorkOf(windows, terms.numel() / std::max<int64_t>(NumWindows(windows), 1));
  if (!IsRemote(terms) || !work) return Tensor();
  const Tensor places = Contiguous(index), rows = Contiguous(terms);
  Tensor out = Tensor::Empty({work->planes, work->plane}, terms.dtype(), terms.device());
  DispatchFloating("max_pool", terms.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const GiveToGreatestBody<T> body{Address<int64_t>(places), Address<T>(rows), Address<T>(out),
                                     *work};
    RunRemote("max_pool", body, body.Pieces(), {&out}, {&places, &rows});
  });
  return out;
}

}  // namespace twingrad::kernels
