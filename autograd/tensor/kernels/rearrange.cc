#include "autograd/tensor/kernels/rearrange.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/line_bodies.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/remote_bodies.h"

namespace twingrad::kernels {
namespace {

// The lines along one dimension of a contiguous tensor.
Lines LinesAlong(const Tensor& a, int64_t dim) {
  Lines lines{a.sizes()[dim], 1, 0};
  for (int64_t d = dim + 1; d < a.dim(); ++d) lines.stride *= a.sizes()[d];
  lines.count = lines.size == 0 ? 0 : a.numel() / lines.size;
  return lines;
}

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

// An element of a remote tensor that is no index of a dimension of this size, if there is one.
std::optional<int64_t> WrongIndex(const Tensor& index, int64_t size) {
  const Tensor here = CopyTo(index, Device::Cpu());
  const int64_t* const begin = here.data<int64_t>();
  const int64_t* const end = begin + here.numel();
  const auto wrong = std::find_if(begin, end, [&](int64_t i) { return i < 0 || i >= size; });
  return wrong == end ? std::nullopt : std::optional(*wrong);
}

// Refuses indices that are none of the dimension's, of a remote tensor: waits for them, unless they
// have been looked at before. A view that repeats its memory is known by that.
void CheckRemoteIndices(const char* op, const Tensor& index, int64_t size) {
  if (AreIndicesBelow(index, size)) return;
  const auto stored = static_cast<int64_t>(index.impl()->storage()->bytes() / sizeof(int64_t));
  const Tensor all = stored <= index.numel() ? index.AsStrided({stored}, {1}, 0) : index;
  if (!WrongIndex(all, size)) return NoteIndicesBelow(all, size);
  if (const auto wrong = WrongIndex(index, size)) RefuseIndex(op, *wrong, size);
}

// Of the dimensions but `dim`.
Shape Beside(Ints all, int64_t dim) {
  Shape others(all.begin(), all.end());
  others.erase(others.begin() + dim);
  return others;
}

template <typename Put, typename T>
[[gnu::noinline, gnu::cold]] void ScatterRemote(const char* op, const Tensor& out, int64_t dim,
                                                const Tensor& index, const Tensor& source) {
  CheckRemoteIndices(op, index, out.sizes()[dim]);
  const ScatterBody<Put, T> body{
      Address<int64_t>(index),
      Address<T>(source),
      Address<T>(out),
      index.sizes()[dim],
      index.strides()[dim],
      source.strides()[dim],
      out.strides()[dim],
      WalkOver<3>(op, out.device(), Beside(index.sizes(), dim),
                  {Beside(index.strides(), dim), Beside(source.strides(), dim),
                   Beside(out.strides(), dim)})};
  RunRemote(op, body, index.numel() == 0 ? 0 : body.walk.count, {&out}, {&index, &source});
}

// Put::Of(there, term) takes each term, in order, in at its place in `out`.
template <typename Put, typename T>
void EachScattered(const char* op, Tensor& out, int64_t dim, const Tensor& index,
                   const Tensor& source) {
  if (IsRemote(out)) [[unlikely]]
    return ScatterRemote<Put, T>(op, out, dim, index, source);
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
                    T& place = target[row.offset[0] + i * row.step[0] + k * stride];
                    place = Put::Of(place, terms[row.offset[2] + i * row.step[2]]);
                  }
                });
}

template <typename T>
[[gnu::noinline, gnu::cold]] void GatherRemote(const char* op, const Tensor& a, int64_t dim,
                                               const Tensor& index, const Tensor& out) {
  CheckRemoteIndices(op, index, a.sizes()[dim]);
  const GatherBody<T> body{Address<T>(a), Address<int64_t>(index), Address<T>(out),
                           a.strides()[dim],
                           WalkOver<2>(op, a.device(), index.sizes(),
                                       {StridesFor(index, index.sizes()), StridesBeside(a, dim)})};
  RunRemote(op, body, out.numel(), {&out}, {&a, &index});
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
    if (IsRemote(a)) [[unlikely]] {
      const MapBody<ConvertTo<T>, T, T> body{
          {},
          Address<T>(out),
          {Address<T>(a) + last, nullptr},
          WalkOver<2>("flip", a.device(), a.sizes(), {StridesFor(out, a.sizes()), strides})};
      return RunRemote("flip", body, out.numel(), {&out}, {&a});
    }
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
  DispatchAll(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (IsRemote(a)) [[unlikely]]
      return GatherRemote<T>(op, a, dim, index, out);
    const int64_t* const indices = index.data<int64_t>();
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

namespace {

void AddScattered(Tensor& out, int64_t dim, const Tensor& index, const Tensor& source) {
  DispatchNumeric("scatter_add", out.dtype(), [&](auto zero) {
    using T = decltype(zero);
    EachScattered<AddNumber, T>("scatter_add", out, dim, index, source);
  });
}

}  // namespace

Tensor ScatterAdd(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  CheckIndices("scatter_add", a, index);
  CheckSameKind("scatter_add", a, source);
  if (IsNarrow(a.dtype())) {
    return Widely([&](const Tensor& x, const Tensor& y) { return ScatterAdd(x, dim, index, y); }, a,
                  source);
  }
  Tensor out = Clone(a);
  AddScattered(out, dim, index, source);
  return out;
}

Tensor ScatterSums(Ints sizes, int64_t dim, const Tensor& index, const Tensor& source) {
  if (IsNarrow(source.dtype())) {
    return Widely([&](const Tensor& wide) { return ScatterSums(sizes, dim, index, wide); }, source);
  }
  Tensor out = Tensor::Zeros(sizes, source.dtype(), source.device());
  CheckIndices("scatter_add", out, index);
  AddScattered(out, dim, index, source);
  return out;
}

namespace {

// What is there and each term, in order, become what Put makes of both.
template <typename Put>
Tensor ScatteredFloats(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  constexpr const char* kOp = "scatter_reduce";
  CheckIndices(kOp, a, index);
  CheckSameKind(kOp, a, source);
  if (IsNarrow(a.dtype())) {
    return Widely(
        [&](const Tensor& x, const Tensor& y) { return ScatteredFloats<Put>(x, dim, index, y); }, a,
        source);
  }
  Tensor out = Clone(a);
  DispatchFloating(kOp, a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    EachScattered<Put, T>(kOp, out, dim, index, source);
  });
  return out;
}

}  // namespace

Tensor ScatterMul(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  return ScatteredFloats<MulNumber>(a, dim, index, source);
}

Tensor ScatterExtreme(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source,
                      bool least) {
  return least ? ScatteredFloats<MinimumNumber>(a, dim, index, source)
               : ScatteredFloats<MaximumNumber>(a, dim, index, source);
}

Tensor Scatter(const Tensor& a, int64_t dim, const Tensor& index, const Tensor& source) {
  CheckIndices("scatter", a, index);
  CheckSameKind("scatter", a, source);
  Tensor out = Clone(a);
  DispatchAll(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    EachScattered<LatterNumber, T>("scatter", out, dim, index, source);
  });
  return out;
}

namespace {

template <typename T>
void SortOnHost(const Tensor& rows, const Lines& lines, bool descending, const Sorted& sorted) {
  std::vector<int64_t> order(static_cast<size_t>(lines.size));
  int64_t* const indices = sorted.indices.mutable_data<int64_t>();
  T* const values = sorted.values.mutable_data<T>();
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
}

// A body that reads a row-major tensor and writes one of the same lines.
template <template <class> class Body, typename T, typename... Rest>
void AlongLines(const char* op, const Tensor& in, const Tensor& out, int64_t dim, Rest... rest) {
  const Lines lines = LinesAlong(in, dim);
  using Out = std::remove_reference_t<decltype(*Body<T>::out)>;
  RunBody(op, Body<T>{ToRead<T>(in), ToWrite<Out>(out), lines, rest...}, lines.count, {&out},
          {&in});
}

}  // namespace

Sorted Sort(const Tensor& a, int64_t dim, bool descending) {
  if (IsNarrow(a.dtype())) {
    const Sorted wide = Sort(Widened(a), dim, descending);
    return {Narrowed(wide.values, a.dtype()), wide.indices};
  }
  const Tensor rows = Rows(a);
  Sorted sorted{Tensor::Empty(a.sizes(), a.dtype(), a.device()),
                Tensor::Empty(a.sizes(), DType::kI64, a.device())};
  const Lines lines = LinesAlong(rows, dim);
  DispatchNumeric("sort", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (!IsRemote(a)) return SortOnHost<T>(rows, lines, descending, sorted);
    const Tensor spare = Tensor::Empty(a.sizes(), DType::kI64, a.device());
    const SortBody<T> body{Address<T>(rows),
                           Address<T>(sorted.values),
                           Address<int64_t>(sorted.indices),
                           Address<int64_t>(spare),
                           lines,
                           descending};
    RunRemote("sort", body, lines.count, {&sorted.values, &sorted.indices, &spare}, {&rows});
    NoteIndicesBelow(sorted.indices, lines.size);
  });
  return sorted;
}

Tensor ExtremeIndex(const Tensor& a, int64_t dim, bool least) {
  if (IsNarrow(a.dtype())) return ExtremeIndex(Widened(a), dim, least);
  const char* const op = least ? "min" : "max";
  Shape shape(a.sizes().begin(), a.sizes().end());
  shape[dim] = 1;
  Tensor out = Tensor::Empty(shape, DType::kI64, a.device());
  DispatchNumeric(op, a.dtype(), [&](auto zero) {
    AlongLines<ExtremeIndexBody, decltype(zero)>(op, Rows(a), out, dim, least);
  });
  NoteIndicesBelow(out, a.sizes()[dim]);
  return out;
}

Tensor RunningExtremeIndex(const Tensor& a, int64_t dim, bool least) {
  if (IsNarrow(a.dtype())) return RunningExtremeIndex(Widened(a), dim, least);
  const char* const op = least ? "cummin" : "cummax";
  Tensor out = Tensor::Empty(a.sizes(), DType::kI64, a.device());
  DispatchNumeric(op, a.dtype(), [&](auto zero) {
    AlongLines<RunningExtremeBody, decltype(zero)>(op, Rows(a), out, dim, least);
  });
  NoteIndicesBelow(out, a.sizes()[dim]);
  return out;
}

// Each entry of a line is Number of the one before and the element.
template <typename Number>
static Tensor Running(const char* op, const Tensor& a, int64_t dim, bool reverse, int start) {
  if (IsNarrow(a.dtype())) {
    return Widely(
        [=](const Tensor& wide) { return Running<Number>(op, wide, dim, reverse, start); }, a);
  }
  const Tensor rows = Rows(a);
  Tensor out = Tensor::Empty(a.sizes(), a.dtype(), a.device());
  const Lines lines = LinesAlong(rows, dim);
  DispatchNumeric(op, a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const RunningBody<Number, T> body{ToRead<T>(rows), ToWrite<T>(out), lines, reverse,
                                      static_cast<T>(start)};
    RunBody(op, body, lines.count, {&out}, {&rows});
  });
  return out;
}

Tensor Cumsum(const Tensor& a, int64_t dim, bool reverse) {
  return Running<AddNumber>("cumsum", a, dim, reverse, 0);
}

Tensor Cumprod(const Tensor& a, int64_t dim) {
  return Running<MulNumber>("cumprod", a, dim, /*reverse=*/false, 1);
}

Tensor CumprodGradient(const Tensor& gradient, const Tensor& a, int64_t dim) {
  if (IsNarrow(a.dtype())) {
    return Widely([=](const Tensor& g, const Tensor& x) { return CumprodGradient(g, x, dim); },
                  gradient, a);
  }
  const Tensor rows = Rows(a), gradients = Rows(gradient);
  Tensor out = Tensor::Empty(a.sizes(), a.dtype(), a.device());
  const Lines lines = LinesAlong(rows, dim);
  DispatchNumeric("cumprod", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const CumprodGradientBody<T> body{ToRead<T>(rows), ToRead<T>(gradients), ToWrite<T>(out),
                                      lines};
    RunBody("cumprod", body, lines.count, {&out}, {&rows, &gradients});
  });
  return out;
}

Tensor Logcumsumexp(const Tensor& a, int64_t dim) {
  if (IsNarrow(a.dtype())) {
    return Widely([=](const Tensor& wide) { return Logcumsumexp(wide, dim); }, a);
  }
  Tensor out = Tensor::Empty(a.sizes(), a.dtype(), a.device());
  DispatchFloating("logcumsumexp", a.dtype(), [&](auto zero) {
    AlongLines<LogcumsumexpBody, decltype(zero)>("logcumsumexp", Rows(a), out, dim);
  });
  return out;
}

Tensor DampedSum(const Tensor& x, const Tensor& r, int64_t dim, bool up) {
  if (IsNarrow(r.dtype())) {
    return Widely([=](const Tensor& y, const Tensor& s) { return DampedSum(y, s, dim, up); }, x, r);
  }
  const Tensor terms = Rows(x), logs = Rows(r);
  Tensor out = Tensor::Empty(r.sizes(), r.dtype(), r.device());
  const Lines lines = LinesAlong(logs, dim);
  DispatchFloating("logcumsumexp", r.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const DampedSumBody<T> body{ToRead<T>(terms), ToRead<T>(logs), ToWrite<T>(out), lines, up};
    RunBody("logcumsumexp", body, lines.count, {&out}, {&terms, &logs});
  });
  return out;
}

Tensor ProductOfOthers(const Tensor& matrix) {
  if (IsNarrow(matrix.dtype())) return Widely(ProductOfOthers, matrix);
  const Tensor rows = Rows(matrix);
  Tensor out = Tensor::Empty(matrix.sizes(), matrix.dtype(), matrix.device());
  const int64_t count = matrix.sizes()[0], size = matrix.sizes()[1];
  DispatchNumeric("prod", matrix.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const ProductOfOthersBody<T> body{ToRead<T>(rows), ToWrite<T>(out), size};
    RunBody("prod", body, count, {&out}, {&rows});
  });
  return out;
}

}  // namespace twingrad::kernels
