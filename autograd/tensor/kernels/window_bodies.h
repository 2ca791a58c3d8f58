// The bodies (../body.h) of the kernels on windows. `places` says by entry, and then by window,
// where in its plane an entry lies; -1 where there is none.
//
// Pure functions, any thread.

#pragma once

#include <cmath>
#include <cstdint>

#include "autograd/base/device_code.h"

namespace twingrad::kernels {

// out[i] is entry i % count of plane i / count.
template <class T>
struct UnfoldBody {
  static constexpr const char* kName = "unfold";
  const T* in;
  const int64_t* places;
  T* out;
  int64_t count;  // of places
  int64_t plane;  // elements

  AG_DEVICE void operator()(int64_t i) const {
    const int64_t place = places[i % count];
    out[i] = place < 0 ? T(0) : in[i / count * plane + place];
  }
};

// out[i] is the sum of the entries that lie there, in their order: takers[starts[k]] to
// takers[starts[k + 1]], not included, are those of element k of a plane.
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
    const int64_t k = i % plane;
    T total(0);
    for (int64_t at = starts[k]; at < starts[k + 1]; ++at) {
      total += in[i / plane * count + takers[at]];
    }
    out[i] = total;
  }
};

// out[i]: where window i % windows of its plane has its first greatest entry or first NaN.
template <class T>
struct IndexOfGreatestBody {
  static constexpr const char* kName = "index_of_greatest";
  const T* in;
  const int64_t* places;
  int64_t* out;
  int64_t entries, windows;
  int64_t plane;

  // Neither less nor equal: greater, or no number.
  AG_DEVICE static bool Beats(T x, T best) { return !std::isnan(best) && !(x <= best); }
  AG_DEVICE void operator()(int64_t i) const {
    const T* const first = in + i / windows * plane;
    int64_t best = -1;
    for (int64_t entry = 0; entry < entries; ++entry) {
      const int64_t place = places[entry * windows + i % windows];
      if (place >= 0 && (best < 0 || Beats(first[place], first[best]))) best = place;
    }
    out[i] = best;
  }
};

}  // namespace twingrad::kernels
