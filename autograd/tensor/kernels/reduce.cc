#include "autograd/tensor/kernels/reduce.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/narrow.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/processor/loops.h"
#include "autograd/tensor/kernels/remote_bodies.h"

namespace twingrad::kernels {
namespace {

// A walk through what is reduced: sizes, and the strides of the operand and of the result.
struct Path {
  Shape sizes, in, out;
};

// Folds elements along `path` into `out`, which holds the fold of nothing.
template <typename Number, typename T>
void Fold(const Path& path, const T* in, T* out) {
  ForEachRow<2>(path.sizes, {path.out, path.in}, [&](const Row<2>& row) {
    T* p = out + row.offset[0];
    const T* q = in + row.offset[1];
    if (row.step[0] == 0) {
      T total = *p;
      for (int64_t i = 0; i < row.count; ++i) total = Number::Of(total, q[i * row.step[1]]);
      *p = total;
    } else {
      for (int64_t i = 0; i < row.count; ++i) {
        p[i * row.step[0]] = Number::Of(p[i * row.step[0]], q[i * row.step[1]]);
      }
    }
  });
}

// The same path in the order of the operand's memory, with as few dimensions as can be.
Path InOrderOfMemory(const Path& path) {
  InlinedVector<size_t, 4> order;
  for (size_t d = 0; d < path.sizes.size(); ++d) {
    if (path.sizes[d] != 1) order.push_back(d);
  }
  // What is repeated is outermost, so that rows lie side by side.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const int64_t x = std::abs(path.in[a]), y = std::abs(path.in[b]);
    return x == 0 || y == 0 ? y != 0 : x > y;
  });
  Path result;
  for (const size_t d : order) {
    const int64_t size = path.sizes[d], in = path.in[d], out = path.out[d];
    if (!result.sizes.empty() && result.in.back() == in * size && result.out.back() == out * size) {
      result.sizes.back() *= size;
      result.in.back() = in;
      result.out.back() = out;
    } else {
      result.sizes.push_back(size);
      result.in.push_back(in);
      result.out.push_back(out);
    }
  }
  return result;
}

// The sum of elements that do not lie side by side: of kSpread at a time, in order.
template <typename T>
T SumOfSpread(const processor::LoopsOf<T>& loops, const T* a, int64_t step, int64_t count) {
  constexpr int64_t kSpread = 1024;
  T together[kSpread];
  T total = 0;
  for (int64_t i = 0; i < count; i += kSpread) {
    const int64_t size = std::min(kSpread, count - i);
    // One element repeated is there already.
    for (int64_t k = 0; k < size && (step != 0 || i == 0); ++k) together[k] = a[(i + k) * step];
    total += loops.sum(together, size);
  }
  return total;
}

// A sum along a path in the order of memory. A row that is repeated is summed once, and its sum
// added as often.
template <typename T>
void SumAlong(const Path& path, const T* in, T* out) {
  const processor::LoopsOf<T>& loops = processor::LoopsInUse().Of<T>();
  const T* summed = nullptr;
  T sum = 0;
  ForEachRow<2>(path.sizes, {path.out, path.in}, [&](const Row<2>& row) {
    T* p = out + row.offset[0];
    const T* q = in + row.offset[1];
    const int64_t p_step = row.step[0], q_step = row.step[1];
    if (p_step == 0) {
      if (q != summed) {
        sum = q_step == 1 ? loops.sum(q, row.count) : SumOfSpread(loops, q, q_step, row.count);
        summed = q;
      }
      *p += sum;
    } else if (p_step == 1 && (q_step == 0 || q_step == 1)) {
      loops.binary(processor::Binary::kAdd, p, 1, q, q_step, p, row.count);
    } else {
      for (int64_t i = 0; i < row.count; ++i) p[i * p_step] += q[i * q_step];
    }
  });
}

// How many parts a remote device folds the elements of each result in; then it folds what they
// gave. Depends on shapes alone. Enough pieces to fill a device, of as many elements each as pay.
int64_t PartsOf(int64_t results, int64_t elements) {
  constexpr int64_t kFew = 64, kPieces = 1 << 18;
  if (elements <= kFew) return 1;
  const int64_t wanted = std::max<int64_t>(1, kPieces / std::max<int64_t>(results, 1));
  return std::min(wanted, (elements + kFew - 1) / kFew);
}

// A fold into a fresh tensor of `out`, which has kept's elements where its size is not 1.
template <typename Number, typename T>
[[gnu::noinline, gnu::cold]] void FoldRemote(const char* op, const Tensor& a, Ints kept, T first,
                                             const Tensor& out) {
  Shape kept_sizes, kept_strides, reduced_sizes, reduced_strides;
  for (int64_t d = 0; d < a.dim(); ++d) {
    const bool is_kept = kept[d] == a.sizes()[d];
    (is_kept ? kept_sizes : reduced_sizes).push_back(a.sizes()[d]);
    (is_kept ? kept_strides : reduced_strides).push_back(a.strides()[d]);
  }
  FoldBody<Number, T> body{Address<T>(a),
                           Address<T>(out),
                           first,
                           WalkOver<1>(op, a.device(), kept_sizes, {kept_strides}),
                           WalkOver<1>(op, a.device(), reduced_sizes, {reduced_strides}),
                           /*parts=*/1,
                           /*is_by_part=*/false};
  body.parts = PartsOf(out.numel(), body.reduced.count);
  if (body.parts == 1) return RunRemote(op, body, out.numel(), {&out}, {&a});
  body.is_by_part = body.kept.rank > 0 && body.kept.strides[0][body.kept.rank - 1] == 1;
  const int64_t results = out.numel(), parts = body.parts;
  const Tensor sums = Tensor::Empty({results * parts}, a.dtype(), a.device());
  body.out = Address<T>(sums);
  RunRemote(op, body, sums.numel(), {&sums}, {&a});
  const Shape strides = body.is_by_part ? Shape({1, results}) : Shape({parts, 1});
  FoldRemote<Number>(op, sums.AsStrided({results, parts}, strides, 0), Shape({results, 1}), first,
                     out);
}

struct Reduced {
  Shape kept;   // a's sizes, 1 where reduced
  Shape shape;  // of the result
};

// A fold by Number, from first(T()) on, into a fresh tensor.
template <typename Number, typename First>
Tensor FoldInto(const char* op, const Tensor& a, const Reduced& to, First first) {
  if (IsNarrow(a.dtype())) [[unlikely]] {
    return Widely([&](const Tensor& wide) { return FoldInto<Number>(op, wide, to, first); }, a);
  }
  const Shape& kept = to.kept;
  Tensor out = Tensor::Empty(to.shape, a.dtype(), a.device());
  Shape strides(kept.size(), 0);
  int64_t stride = 1;
  for (size_t d = kept.size(); d > 0; --d) {
    if (kept[d - 1] != 1) strides[d - 1] = stride;
    stride *= kept[d - 1];
  }
  DispatchNumeric(op, a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (IsRemote(a)) [[unlikely]]
      return FoldRemote<Number, T>(op, a, kept, first(zero), out);
    T* elements = out.mutable_data<T>();
    std::fill_n(elements, out.numel(), first(zero));
    const Path path{Shape(a.sizes().begin(), a.sizes().end()),
                    Shape(a.strides().begin(), a.strides().end()), strides};
    if constexpr (std::is_same_v<Number, AddNumber> && std::is_floating_point_v<T>) {
      if (a.numel() >= processor::kSumLanes<T>) {
        return SumAlong(InOrderOfMemory(path), a.data<T>(), elements);
      }
    }
    Fold<Number>(path, a.data<T>(), elements);
  });
  return out;
}

Tensor SumInto(const Tensor& a, const Reduced& to) {
  return FoldInto<AddNumber>("sum", a, to, [](auto zero) { return zero; });
}

Reduced Reduce(const char* op, const Tensor& a, Ints dims, bool keepdim) {
  InlinedVector<bool, 4> reduced(a.sizes().size(), false);
  for (int64_t d : dims) {
    if (d < 0 || d >= a.dim() || reduced[d]) {
      throw Error(ErrorKind::kInvalidArgument,
                  absl::StrCat("[", op, "] dimension ", d, " of a tensor of rank ", a.dim(),
                               "; dimensions lie within 0 and rank - 1, each once"));
    }
    reduced[d] = true;
  }
  Reduced result;
  for (int64_t d = 0; d < a.dim(); ++d) {
    result.kept.push_back(reduced[d] ? 1 : a.sizes()[d]);
    if (keepdim || !reduced[d]) result.shape.push_back(result.kept.back());
  }
  return result;
}

// Over all dimensions where `dims` is empty.
Reduced ReduceSomeOrAll(const char* op, const Tensor& a, Ints dims, bool keepdim) {
  if (!dims.empty()) return Reduce(op, a, dims, keepdim);
  const Shape kept(a.sizes().size(), 1);
  return {kept, keepdim ? kept : Shape()};
}

}  // namespace

Tensor Sum(const Tensor& a, Ints dims, bool keepdim) {
  return SumInto(a, Reduce("sum", a, dims, keepdim));
}

Tensor SumAll(const Tensor& a, bool keepdim) {
  return SumInto(a, ReduceSomeOrAll("sum", a, {}, keepdim));
}

Tensor Prod(const Tensor& a, Ints dims, bool keepdim) {
  return FoldInto<MulNumber>("prod", a, ReduceSomeOrAll("prod", a, dims, keepdim),
                             [](auto zero) { return static_cast<decltype(zero)>(1); });
}

// Above, or below, what a tensor of `dtype` may hold, in the type that it is computed as.
template <typename T>
static T Beyond(DType dtype, bool above) {
  using Limits = std::numeric_limits<T>;
  using Narrow = std::numeric_limits<int32_t>;
  if constexpr (Limits::has_infinity) {
    return above ? Limits::infinity() : -Limits::infinity();
  } else {
    if (dtype == DType::kI32) return above ? Narrow::max() : Narrow::min();
    return above ? Limits::max() : Limits::lowest();
  }
}

Tensor Amax(const Tensor& a, Ints dims, bool keepdim) {
  return FoldInto<MaximumNumber>(
      "amax", a, ReduceSomeOrAll("amax", a, dims, keepdim),
      [&](auto zero) { return Beyond<decltype(zero)>(a.dtype(), /*above=*/false); });
}

Tensor Amin(const Tensor& a, Ints dims, bool keepdim) {
  return FoldInto<MinimumNumber>(
      "amin", a, ReduceSomeOrAll("amin", a, dims, keepdim),
      [&](auto zero) { return Beyond<decltype(zero)>(a.dtype(), /*above=*/true); });
}

Tensor SumTo(const Tensor& a, Ints shape) {
  if (a.sizes() == shape) return a;
  if (a.is_sparse()) RefuseSparse("sum_to");
  if (!BroadcastsTo(shape, a.sizes())) {
    throw Error(ErrorKind::kShape, absl::StrCat("[sum_to] shape ", ShapeToString(shape),
                                                " does not broadcast to ", ShapeToString(a.sizes()),
                                                "; only repeated dimensions can be summed away"));
  }
  Shape kept(a.sizes().size(), 1);
  const size_t lead = kept.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d) kept[lead + d] = shape[d];
  return SumInto(a, {kept, Shape(shape.begin(), shape.end())});
}

}  // namespace twingrad::kernels
