// The bodies (../body.h) of kernels that go along lines: piece i treats line i of row-major
// tensors, an element after the other, on the host and on remote devices alike.
//
// Pure functions, any thread.

#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "autograd/base/device_code.h"
#include "autograd/tensor/kernels/numbers.h"

namespace twingrad::kernels {

// The lines along one dimension: `count` of them, each of `size` elements that are `stride` apart.
struct Lines {
  int64_t size;
  int64_t stride;
  int64_t count;

  AG_DEVICE int64_t First(int64_t line) const {
    return line / stride * stride * size + line % stride;
  }
};

template <typename T>
AG_DEVICE bool IsNan(T x) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
  return false;
}

// Ascending order, NaN last.
template <typename T>
AG_DEVICE bool IsBelow(T x, T y) {
  if (IsNan(x)) return false;
  return IsNan(y) || x < y;
}

// Where the greatest (least) element is, the first of several, or the first NaN.
template <typename T>
struct ExtremeIndexBody {
  static constexpr const char* kName = "extreme_index";
  const T* in;
  int64_t* out;
  Lines lines;
  bool least;

  AG_DEVICE void operator()(int64_t l) const {
    const T* const line = in + lines.First(l);
    int64_t best = 0;
    for (int64_t k = 1; k < lines.size && !IsNan(line[best * lines.stride]); ++k) {
      const T x = line[k * lines.stride], y = line[best * lines.stride];
      if (IsNan(x) || (least ? x < y : y < x)) best = k;
    }
    out[l] = best;
  }
};

// Where the greatest (least) of the elements up to each is, the last of several, or the last NaN.
template <typename T>
struct RunningExtremeBody {
  static constexpr const char* kName = "running_extreme";
  const T* in;
  int64_t* out;
  Lines lines;
  bool least;

  AG_DEVICE void operator()(int64_t l) const {
    const int64_t first = lines.First(l);
    int64_t best = 0;
    for (int64_t k = 0; k < lines.size; ++k) {
      const T x = in[first + k * lines.stride], y = in[first + best * lines.stride];
      if (IsNan(x) || (!IsNan(y) && (least ? x <= y : y <= x))) best = k;
      out[first + k * lines.stride] = best;
    }
  }
};

// Merges, from pairs on: elements that are equal keep their order. `spare` is as long as `indices`.
template <typename T>
struct SortBody {
  static constexpr const char* kName = "sort";
  const T* in;
  T* values;
  int64_t* indices;
  int64_t* spare;
  Lines lines;
  bool descending;

  AG_DEVICE bool IsBefore(T x, T y) const { return descending ? IsBelow(y, x) : IsBelow(x, y); }
  AG_DEVICE void operator()(int64_t l) const {
    const int64_t first = lines.First(l), stride = lines.stride, size = lines.size;
    const T* const line = in + first;
    int64_t* from = indices + first;
    int64_t* to = spare + first;
    for (int64_t k = 0; k < size; ++k) from[k * stride] = k;
    for (int64_t width = 1; width < size; width *= 2) {
      for (int64_t begin = 0; begin < size; begin += 2 * width) {
        const int64_t middle = begin + width < size ? begin + width : size;
        const int64_t end = middle + width < size ? middle + width : size;
        int64_t left = begin, right = middle;
        for (int64_t k = begin; k < end; ++k) {
          const bool takes_right =
              left == middle || (right < end && IsBefore(line[from[right * stride] * stride],
                                                         line[from[left * stride] * stride]));
          to[k * stride] = from[(takes_right ? right++ : left++) * stride];
        }
      }
      int64_t* const other = from;
      from = to;
      to = other;
    }
    for (int64_t k = 0; k < size; ++k) {
      const int64_t place = from[k * stride];
      values[first + k * stride] = line[place * stride];
      indices[first + k * stride] = place;
    }
  }
};

// Each entry is Number of the one before and the element.
template <typename Number, typename T>
struct RunningBody {
  static constexpr const char* kName = "running";
  const T* in;
  T* out;
  Lines lines;
  bool reverse;
  T start;

  AG_DEVICE void operator()(int64_t l) const {
    const Lines along = lines;  // in registers, whatever `out` is
    const int64_t first = along.First(l);
    T so_far = start;
    for (int64_t i = 0; i < along.size; ++i) {
      const int64_t at = first + (reverse ? along.size - 1 - i : i) * along.stride;
      out[at] = so_far = Number::Of(so_far, in[at]);
    }
  }
};

// Of element i: the product of those before it, times what follows of it, which is
// g_i + x_(i+1) (g_(i+1) + x_(i+2) (...)).
template <typename T>
struct CumprodGradientBody {
  static constexpr const char* kName = "cumprod_gradient";
  const T* in;
  const T* gradient;
  T* out;
  Lines lines;

  AG_DEVICE void operator()(int64_t l) const {
    const T* const x = in + lines.First(l);
    const T* const g = gradient + lines.First(l);
    T* const results = out + lines.First(l);
    T so_far = static_cast<T>(1);
    for (int64_t i = 0; i < lines.size; ++i) {
      results[i * lines.stride] = so_far;
      so_far = MulNumber::Of(so_far, x[i * lines.stride]);
    }
    T after = 0;
    for (int64_t i = lines.size; i-- > 0;) {
      const int64_t at = i * lines.stride;
      if (i + 1 < lines.size) after = MulNumber::Of(after, x[at + lines.stride]);
      after = AddNumber::Of(after, g[at]);
      results[at] = MulNumber::Of(results[at], after);
    }
  }
};

// The logarithm of the sum so far of e^x, kept as a sum of e^(x - greatest), in which equal
// infinities are 1.
template <typename T>
struct LogcumsumexpBody {
  static constexpr const char* kName = "logcumsumexp";
  const T* in;
  T* out;
  Lines lines;

  AG_DEVICE void operator()(int64_t l) const {
    const int64_t first = lines.First(l);
    T greatest = -std::numeric_limits<T>::infinity(), sum = 0;
    for (int64_t i = 0; i < lines.size; ++i) {
      const T x = in[first + i * lines.stride];
      if (x > greatest) {
        sum = sum * ExpNumber::Of(greatest - x) + T(1);
        greatest = x;
      } else {
        sum += x == greatest ? T(1) : ExpNumber::Of(x - greatest);
      }
      out[first + i * lines.stride] = greatest + LogNumber::Of(sum);
    }
  }
};

// See DampedSum in rearrange.h.
template <typename T>
struct DampedSumBody {
  static constexpr const char* kName = "damped_sum";
  const T* added;
  const T* damping;
  T* out;
  Lines lines;
  bool up;

  // From an entry to the next, or back. Equal infinities are no distance apart.
  AG_DEVICE static T Damped(T sum, T log, T next) {
    if (log == -std::numeric_limits<T>::infinity()) return T(0);  // whatever the sum is
    return log == next ? sum : sum * ExpNumber::Of(log - next);
  }
  AG_DEVICE void operator()(int64_t l) const {
    const int64_t first = lines.First(l);
    T sum = 0, before = 0;
    for (int64_t i = 0; i < lines.size; ++i) {
      const int64_t at = first + (up ? i : lines.size - 1 - i) * lines.stride;
      const T log = damping[at];
      if (i > 0) sum = up ? Damped(sum, before, log) : Damped(sum, log, before);
      sum += added[at];
      before = log;
      out[at] = sum;
    }
  }
};

// Of each element of a line the product of all others.
template <typename T>
struct ProductOfOthersBody {
  static constexpr const char* kName = "product_of_others";
  const T* in;
  T* out;
  int64_t size;

  AG_DEVICE void operator()(int64_t l) const {
    const T* const line = in + l * size;
    T* const others = out + l * size;
    T product = static_cast<T>(1);
    for (int64_t i = 0; i < size; ++i) {  // of those before
      others[i] = product;
      product = MulNumber::Of(product, line[i]);
    }
    product = static_cast<T>(1);
    for (int64_t i = size; i-- > 0;) {  // times those behind
      others[i] = MulNumber::Of(others[i], product);
      product = MulNumber::Of(product, line[i]);
    }
  }
};

}  // namespace twingrad::kernels
