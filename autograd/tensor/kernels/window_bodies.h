// The bodies (../body.h) of the kernels on windows: planes of `in` or of `out` one after the other,
// and entries of windows, [planes, entries, windows].
//
// Those of boxes compute where an entry lies, those of any windows have tables. Divisions cost more
// than all else on a GPU, so a piece divides for kTogether planes at once.
//
// Pure functions, any thread.

#pragma once

#include <cmath>
#include <cstdint>

#include "autograd/base/device_code.h"
#include "autograd/tensor/kernels/offset_walk.h"

namespace twingrad::kernels {

// Boxes along each of three dimensions of a plane; where it has fewer, the first ones are of
// size 1. Loops over them have a constant length, so that a GPU keeps what they count in registers.
struct Boxes {
  static constexpr int kAxes = 3;
  struct Axis {
    int64_t size = 1, windows = 1, entries = 1;
    int64_t stride = 1, padding = 0, dilation = 1;
  };
  struct Place {
    int64_t at[kAxes];
  };
  Axis axes[kAxes];

  // By axis, of a number that counts the `sizes` of all axes in row-major order.
  AG_DEVICE Place Split(int64_t number, int64_t Axis::*sizes) const {
    Place place{};
    for (int d = kAxes; d-- > 0;) {
      const int64_t size = axes[d].*sizes;
      const int64_t rest = d == 0 ? 0 : size == 1 ? number : Quotient(number, size);
      place.at[d] = number - rest * size;
      number = rest;
    }
    return place;
  }
  // The entry after it, or before; false: there is none, and it is the first, or the last.
  AG_DEVICE bool Next(Place& entry) const {
    for (int d = kAxes; d-- > 0;) {
      if (++entry.at[d] < axes[d].entries) return true;
      entry.at[d] = 0;
    }
    return false;
  }
  AG_DEVICE bool Previous(Place& entry) const {
    for (int d = kAxes; d-- > 0;) {
      if (--entry.at[d] >= 0) return true;
      entry.at[d] = axes[d].entries - 1;
    }
    return false;
  }
  // Where in the plane the entry of the window lies; -1: nowhere.
  AG_DEVICE int64_t Find(const Place& entry, const Place& window) const {
    int64_t found = 0;
    for (int d = 0; d < kAxes; ++d) {
      const Axis& axis = axes[d];
      const int64_t x = window.at[d] * axis.stride + entry.at[d] * axis.dilation - axis.padding;
      if (x < 0 || x >= axis.size) return -1;
      found = found * axis.size + x;
    }
    return found;
  }
  // The window, as a number, whose entry lies at the place; -1: none has it there.
  AG_DEVICE int64_t WindowOf(const Place& entry, const Place& place) const {
    int64_t window = 0;
    for (int d = 0; d < kAxes; ++d) {
      const Axis& axis = axes[d];
      const int64_t begin = place.at[d] + axis.padding - entry.at[d] * axis.dilation;
      if (begin < 0) return -1;
      const int64_t at = axis.stride == 1 ? begin : Quotient(begin, axis.stride);
      if (at * axis.stride != begin || at >= axis.windows) return -1;
      window = window * axis.windows + at;
    }
    return window;
  }
};

// What the bodies of boxes have to do with, of `planes` planes.
struct BoxWork {
  static constexpr int kTogether = 4;

  Boxes boxes;
  int64_t planes;
  int64_t plane;             // elements of one
  int64_t entries, windows;  // of all axes

  // Pieces, where a plane has so much to do.
  int64_t Pieces(int64_t each) const { return (planes + kTogether - 1) / kTogether * each; }
  // Does `work(k, p)` for each plane p of a piece, the k-th there.
  template <class Work>
  AG_DEVICE void Each(int64_t group, const Work& work) const {
    for (int k = 0; k < kTogether; ++k) {
      const int64_t p = group * kTogether + k;
      if (p < planes) work(k, p);
    }
  }
};

// Piece i: an entry of a window, of several planes.
template <class T>
struct UnfoldBoxesBody {
  static constexpr const char* kName = "unfold";
  const T* in;
  T* out;
  BoxWork work;

  int64_t Pieces() const { return work.Pieces(work.entries * work.windows); }
  AG_DEVICE void operator()(int64_t i) const {
    const int64_t row = Quotient(i, work.windows), group = Quotient(row, work.entries);
    const int64_t at = row - group * work.entries, window = i - row * work.windows;
    const int64_t place = work.boxes.Find(work.boxes.Split(at, &Boxes::Axis::entries),
                                          work.boxes.Split(window, &Boxes::Axis::windows));
    work.Each(group, [&](int, int64_t p) {
      out[(p * work.entries + at) * work.windows + window] =
          place < 0 ? T(0) : in[p * work.plane + place];
    });
  }
};

// out[i] is entry i % count of plane i / count; `places` says by entry, and then by window, where
// it lies, -1 where there is none.
template <class T>
struct UnfoldBody {
  static constexpr const char* kName = "unfold";
  const T* in;
  const int64_t* places;
  T* out;
  int64_t count;  // of places
  int64_t plane;

  AG_DEVICE void operator()(int64_t i) const {
    const int64_t p = Quotient(i, count);
    const int64_t place = places[i - p * count];
    out[i] = place < 0 ? T(0) : in[p * plane + place];
  }
};

// Piece i: a place in several planes, which gets the sum of the entries that lie there, in their
// order.
template <class T>
struct FoldBoxesBody {
  static constexpr const char* kName = "fold_boxes";
  const T* in;
  T* out;
  BoxWork work;

  int64_t Pieces() const { return work.Pieces(work.plane); }
  AG_DEVICE void operator()(int64_t i) const {
    const int64_t group = Quotient(i, work.plane), k = i - group * work.plane;
    const Boxes::Place place = work.boxes.Split(k, &Boxes::Axis::size);
    Boxes::Place entry{};
    T totals[BoxWork::kTogether] = {};
    int64_t at = 0;
    do {
      const int64_t window = work.boxes.WindowOf(entry, place);
      if (window >= 0) {
        work.Each(group, [&](int n, int64_t p) {
          totals[n] += in[(p * work.entries + at) * work.windows + window];
        });
      }
      ++at;
    } while (work.boxes.Next(entry));
    work.Each(group, [&](int n, int64_t p) { out[p * work.plane + k] = totals[n]; });
  }
};

// The same of any windows: takers[starts[k]] to takers[starts[k + 1]], not included, are the
// entries at element k of a plane.
template <class T>
struct FoldBackBody {
  static constexpr const char* kName = "fold_back";
  const T* in;
  const int64_t* starts;
  const int64_t* takers;
  T* out;
  int64_t count;
  int64_t plane;

  AG_DEVICE void operator()(int64_t i) const {
    const int64_t p = Quotient(i, plane), k = i - p * plane;
    T total(0);
    for (int64_t at = starts[k]; at < starts[k + 1]; ++at) total += in[p * count + takers[at]];
    out[i] = total;
  }
};

// Neither less nor equal: greater, or no number.
template <class T>
AG_DEVICE bool Beats(T x, T best) {
  return !std::isnan(best) && !(x <= best);
}

// Piece i: a window of several planes: where it has its first greatest entry or first NaN.
template <class T>
struct IndexOfGreatestBoxesBody {
  static constexpr const char* kName = "index_of_greatest";
  const T* in;
  int64_t* out;
  BoxWork work;

  int64_t Pieces() const { return work.Pieces(work.windows); }
  AG_DEVICE void operator()(int64_t i) const {
    const int64_t group = Quotient(i, work.windows), w = i - group * work.windows;
    const Boxes::Place window = work.boxes.Split(w, &Boxes::Axis::windows);
    Boxes::Place entry{};
    int64_t best[BoxWork::kTogether];
    T greatest[BoxWork::kTogether] = {};
    for (int64_t& each : best) each = -1;
    do {
      const int64_t place = work.boxes.Find(entry, window);
      if (place >= 0) {
        work.Each(group, [&](int n, int64_t p) {
          const T x = in[p * work.plane + place];
          if (best[n] >= 0 && !Beats(x, greatest[n])) return;
          best[n] = place;
          greatest[n] = x;
        });
      }
    } while (work.boxes.Next(entry));
    work.Each(group, [&](int n, int64_t p) { out[p * work.windows + w] = best[n]; });
  }
};

// The same of any windows, window i % windows of plane i / windows.
template <class T>
struct IndexOfGreatestBody {
  static constexpr const char* kName = "index_of_greatest";
  const T* in;
  const int64_t* places;
  int64_t* out;
  int64_t entries, windows;
  int64_t plane;

  AG_DEVICE void operator()(int64_t i) const {
    const int64_t p = Quotient(i, windows);
    const T* const first = in + p * plane;
    int64_t best = -1;
    for (int64_t entry = 0; entry < entries; ++entry) {
      const int64_t place = places[entry * windows + i - p * windows];
      if (place >= 0 && (best < 0 || Beats(first[place], first[best]))) best = place;
    }
    out[i] = best;
  }
};

// Piece i: a place in several planes, which gets the sum of the terms of the windows whose greatest
// entry lies there, in their order: the later an entry of a window, the earlier that window.
template <class T>
struct GiveToGreatestBody {
  static constexpr const char* kName = "give_to_greatest";
  const int64_t* index;  // [planes, windows]: places in the plane
  const T* in;           // [planes, windows]
  T* out;
  BoxWork work;

  int64_t Pieces() const { return work.Pieces(work.plane); }
  AG_DEVICE void operator()(int64_t i) const {
    const int64_t group = Quotient(i, work.plane), k = i - group * work.plane;
    const Boxes::Place place = work.boxes.Split(k, &Boxes::Axis::size);
    Boxes::Place entry{};
    work.boxes.Previous(entry);  // the last one
    T totals[BoxWork::kTogether] = {};
    do {
      const int64_t window = work.boxes.WindowOf(entry, place);
      if (window >= 0) {
        work.Each(group, [&](int n, int64_t p) {
          const int64_t at = p * work.windows + window;
          if (index[at] == k) totals[n] += in[at];
        });
      }
    } while (work.boxes.Previous(entry));
    work.Each(group, [&](int n, int64_t p) { out[p * work.plane + k] = totals[n]; });
  }
};

}  // namespace twingrad::kernels
