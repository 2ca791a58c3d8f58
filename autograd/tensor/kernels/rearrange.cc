#include "autograd/tensor/kernels/rearrange.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/numbers.h"

namespace twingrad::kernels {
namespace {

// The lines along one dimension of a contiguous tensor: `count` of them, each of `size` elements
// that are `stride` apart.
struct Lines {
  Lines(const Tensor& a, int64_t dim) : size(a.sizes()[dim]) {
    for (int64_t d = dim + 1; d < a.dim(); ++d) stride *= a.sizes()[d];
    count = size == 0 ? 0 : a.numel() / size;
  }
  int64_t First(int64_t line) const { return line / stride * stride * size + line % stride; }

  int64_t size;
  int64_t stride = 1;
  int64_t count;
};

Tensor Rows(const Tensor& a) { return a.IsContiguous() ? a : Clone(a); }

[[noreturn]] void RefuseIndex(const char* op, int64_t index, int64_t size) {
  throw Error(ErrorKind::kIndex,
              absl::StrCat("[", op, "] index ", index, " of a dimension of size ", size,
                           "; 0 to size - 1 are allowed"));
}

void CheckIndices(const char* op, const Tensor& a, const Tensor& index) {
  if (index.dtype() != DType::kI64) RefuseDType(op, index.dtype(), "i64 indices");
  if (index.device() != a.device()) {
    RefuseDevices(op, "indices are on ", index, " and the operand on ", a);
  }
}

// a's strides as the index's shape goes through it, standing still along `dim`.
Shape StridesBeside(const Tensor& a, int64_t dim) {
  Shape strides(a.strides().begin(), a.strides().end());
  strides[dim] = 0;
  return strides;
}

template <typename T>
bool IsNan(T x) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
  return false;
}

// Ascending order, NaN last.
template <typename T>
bool IsBelow(T x, T y) {
  if (IsNan(x)) return false;
  return IsNan(y) || x < y;
}

template <typename T>
int64_t IndexOfExtreme(const T* line, int64_t size, int64_t stride, bool least) {
  int64_t best = 0;
  for (int64_t k = 1; k < size && !IsNan(line[best * stride]); ++k) {
    const T x = line[k * stride], y = line[best * stride];
    if (IsNan(x) || (least ? x < y : y < x)) best = k;
  }
  return best;
}

// put(place, term) takes each term, in order, in at its place in `out`.
template <typename T, typename Put>
void EachScattered(const char* op, Tensor& out, int64_t dim, const Tensor& index,
                   const Tensor& source, Put put) {
  const int64_t size = out.sizes()[dim], stride = out.strides()[dim];
  const int64_t* indices = index.data<int64_t>();
  T* target = out.mutable_data<T>();
  const T* terms = source.data<T>();
  const Ints sizes = index.sizes();
  ForEachRow<3>(sizes,
                {StridesBeside(out, dim), StridesFor(index, sizes), StridesFor(source, sizes)},
                [&](const Row<3>& row) {
                  for (int64_t i = 0; i < row.count; ++i) {
                    const int64_t k = indices[row.offset[1] + i * row.step[1]];
                    if (k < 0 || k >= size) RefuseIndex(op, k, size);
                    put(target[row.offset[0] + i * row.step[0] + k * stride],
                        terms[row.offset[2] + i * row.step[2]]);
                  }
                });
}

}  // namespace

Tensor Flip(const Tensor& a, Ints dims) {
  Tensor out = Tensor::Empty(a.sizes(), a.dtype(), a.device());
  if (a.numel() == 0) return out;
  Shape strides(a.strides().begin(), a.strides().end());
  int64_t last = 0;
  for (const int64_t d : dims) {
    last += strides[d] * (a.sizes()[d] - 1);
    strides[d] = -strides[d];
  }
  DispatchAll(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* in = a.data<T>() + last;
    T* p = out.mutable_data<T>();
    ForEachElement<1>(a.sizes(), {strides}, [&](int64_t at) { *p++ = in[at]; });
  });
  return out;
}

Tensor Gather(const Tensor& a, int64_t dim, const Tensor& index, const char* op) {
  CheckIndices(op, a, index);
  Tensor out = Tensor::Empty(index.sizes(), a.dtype(), a.device());
  const int64_t size = a.sizes()[dim], stride = a.strides()[dim];
  const int64_t* indices = index.data<int64_t>();
  DispatchAll(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* in = a.data<T>();
    T* p = out.mutable_data<T>();
    ForEachRow<2>(index.sizes(), {StridesBeside(a, dim), StridesFor(index, index.sizes())},
                  [&](const Row<2>& row) {
                    for (int64_t i = 0; i < row.count; ++i) {
                      const int64_t k = indices[row.offset[1] + i * row.step[1]];
                      if (k < 0 || k >= size) RefuseIndex(op, k, size);
                      *p++ = in[row.offset[0] + i * row.step[0] + k * stride];
                    }
                  });
  });
  return out;
}

Tensor ScatterAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  CheckIndices("scatter_add", a, index);
  CheckSameKind("scatter_add", a, source);
  Tensor out = Clone(a);
  DispatchNumeric("scatter_add", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    EachScattered<T>("scatter_add", out, dim, index, source,
                     [](T& sum, T term) { sum = AddNumber::Of(sum, term); });
  });
  return out;
}

Tensor Scatter(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  CheckIndices("scatter", a, index);
  CheckSameKind("scatter", a, source);
  Tensor out = Clone(a);
  DispatchAll(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    EachScattered<T>("scatter", out, dim, index, source, [](T& there, T term) { there = term; });
  });
  return out;
}

Sorted Sort(const Tensor& a, int64_t dim, bool descending) {
  const Tensor rows = Rows(a);
  Sorted sorted{Tensor::Empty(a.sizes(), a.dtype(), a.device()),
                Tensor::Empty(a.sizes(), DType::kI64, a.device())};
  const Lines lines(rows, dim);
  std::vector<int64_t> order(static_cast<size_t>(lines.size));
  int64_t* indices = sorted.indices.mutable_data<int64_t>();
  DispatchNumeric("sort", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* values = sorted.values.mutable_data<T>();
    for (int64_t l = 0; l < lines.count; ++l) {
      const int64_t first = lines.First(l);
      const T* line = rows.data<T>() + first;
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
        if (descending) std::swap(x, y);
        return IsBelow(line[x * lines.stride], line[y * lines.stride]);
      });
      for (int64_t k = 0; k < lines.size; ++k) {
        const int64_t from = order[static_cast<size_t>(k)];
        values[first + k * lines.stride] = line[from * lines.stride];
        indices[first + k * lines.stride] = from;
      }
    }
  });
  return sorted;
}

Tensor ExtremeIndex(const Tensor& a, int64_t dim, bool least) {
  const Tensor rows = Rows(a);
  Shape shape(a.sizes().begin(), a.sizes().end());
  shape[dim] = 1;
  Tensor out = Tensor::Empty(shape, DType::kI64, a.device());
  const Lines lines(rows, dim);
  DispatchNumeric(least ? "min" : "max", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    int64_t* const indices = out.mutable_data<int64_t>();
    for (int64_t l = 0; l < lines.count; ++l) {
      indices[l] = IndexOfExtreme(rows.data<T>() + lines.First(l), lines.size, lines.stride, least);
    }
  });
  return out;
}

// Each entry of a line is Number of the one before and the element.
template <typename Number>
static Tensor Running(const char* op, const Tensor& a, int64_t dim, bool reverse, int start) {
  const Tensor rows = Rows(a);
  Tensor out = Tensor::Empty(a.sizes(), a.dtype(), a.device());
  const Lines lines(rows, dim);
  DispatchNumeric(op, a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t l = 0; l < lines.count; ++l) {
      const T* in = rows.data<T>() + lines.First(l);
      T* results = out.mutable_data<T>() + lines.First(l);
      T so_far = static_cast<T>(start);
      for (int64_t i = 0; i < lines.size; ++i) {
        const int64_t at = (reverse ? lines.size - 1 - i : i) * lines.stride;
        results[at] = so_far = Number::Of(so_far, in[at]);
      }
    }
  });
  return out;
}

Tensor Cumsum(const Tensor& a, int64_t dim, bool reverse) {
  return Running<AddNumber>("cumsum", a, dim, reverse, 0);
}

Tensor Cumprod(const Tensor& a, int64_t dim) {
  return Running<MulNumber>("cumprod", a, dim, /*reverse=*/false, 1);
}

// Of element i: the product of those before it, times what follows of it, which is
// g_i + x_(i+1) (g_(i+1) + x_(i+2) (...)).
Tensor CumprodGradient(const Tensor& gradient, const Tensor& a, int64_t dim) {
  const Tensor rows = Rows(a), gradients = Rows(gradient);
  Tensor out = Tensor::Empty(a.sizes(), a.dtype(), a.device());
  const Lines lines(rows, dim);
  DispatchNumeric("cumprod", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t l = 0; l < lines.count; ++l) {
      const T* x = rows.data<T>() + lines.First(l);
      const T* g = gradients.data<T>() + lines.First(l);
      T* results = out.mutable_data<T>() + lines.First(l);
      T so_far = static_cast<T>(1);
      for (int64_t i = 0; i < lines.size; ++i) {
        results[i * lines.stride] = so_far;
        so_far = MulNumber::Of(so_far, x[i * lines.stride]);
      }
      T after = zero;
      for (int64_t i = lines.size; i-- > 0;) {
        const int64_t at = i * lines.stride;
        if (i + 1 < lines.size) after = MulNumber::Of(after, x[at + lines.stride]);
        after = AddNumber::Of(after, g[at]);
        results[at] = MulNumber::Of(results[at], after);
      }
    }
  });
  return out;
}

Tensor Logcumsumexp(const Tensor& a, int64_t dim) {
  const Tensor rows = Rows(a);
  Tensor out = Tensor::Empty(a.sizes(), a.dtype(), a.device());
  const Lines lines(rows, dim);
  DispatchFloating("logcumsumexp", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t l = 0; l < lines.count; ++l) {
      const T* in = rows.data<T>() + lines.First(l);
      T* results = out.mutable_data<T>() + lines.First(l);
      // The sum of e^(x - greatest), in which equal infinities are 1.
      T greatest = -std::numeric_limits<T>::infinity(), sum = zero;
      for (int64_t i = 0; i < lines.size; ++i) {
        const T x = in[i * lines.stride];
        if (x > greatest) {
          sum = sum * ExpNumber::Of(greatest - x) + T(1);
          greatest = x;
        } else {
          sum += x == greatest ? T(1) : ExpNumber::Of(x - greatest);
        }
        results[i * lines.stride] = greatest + LogNumber::Of(sum);
      }
    }
  });
  return out;
}

Tensor DampedSum(const Tensor& x, const Tensor& r, int64_t dim, bool up) {
  const Tensor terms = Rows(x), logs = Rows(r);
  Tensor out = Tensor::Empty(r.sizes(), r.dtype(), r.device());
  const Lines lines(logs, dim);
  DispatchFloating("logcumsumexp", r.dtype(), [&](auto zero) {
    using T = decltype(zero);
    // From an entry to the next, or back. Equal infinities are no distance apart.
    const auto damped = [](T sum, T log, T next) {
      if (log == -std::numeric_limits<T>::infinity()) return T(0);  // whatever the sum is
      return log == next ? sum : sum * ExpNumber::Of(log - next);
    };
    const T* const damping = logs.data<T>();
    const T* const added = terms.data<T>();
    T* const sums = out.mutable_data<T>();
    for (int64_t l = 0; l < lines.count; ++l) {
      const int64_t first = lines.First(l);
      T sum = zero, before = zero;
      for (int64_t i = 0; i < lines.size; ++i) {
        const int64_t at = first + (up ? i : lines.size - 1 - i) * lines.stride;
        const T log = damping[at];
        if (i > 0) sum = up ? damped(sum, before, log) : damped(sum, log, before);
        sum += added[at];
        before = log;
        sums[at] = sum;
      }
    }
  });
  return out;
}

Tensor ProductOfOthers(const Tensor& matrix) {
  const Tensor rows = Rows(matrix);
  Tensor out = Tensor::Empty(matrix.sizes(), matrix.dtype(), matrix.device());
  const int64_t count = matrix.sizes()[0], size = matrix.sizes()[1];
  DispatchNumeric("prod", matrix.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t r = 0; r < count; ++r) {
      const T* in = rows.data<T>() + r * size;
      T* others = out.mutable_data<T>() + r * size;
      T product = static_cast<T>(1);
      for (int64_t i = 0; i < size; ++i) {  // of those before
        others[i] = product;
        product = MulNumber::Of(product, in[i]);
      }
      product = static_cast<T>(1);
      for (int64_t i = size; i-- > 0;) {  // times those behind
        others[i] = MulNumber::Of(others[i], product);
        product = MulNumber::Of(product, in[i]);
      }
    }
  });
  return out;
}

}  // namespace twingrad::kernels
