#include "autograd/tensor/kernels/reduce.h"

#include "absl/strings/str_cat.h"
#include "autograd/tensor/error.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/numbers.h"

namespace autograd::kernels {
namespace {

// Adds a's elements into `out`, which holds zeros and is read as a's shape through `out_strides`.
template <typename T>
void AddUp(const Tensor& a, T* out, const Shape& out_strides) {
  const T* in = a.data<T>();
  const Sizes sizes = a.sizes();
  ForEachRow<2>(sizes, {out_strides, StridesFor(a, sizes)}, [&](const Row<2>& row) {
    T* p = out + row.offset[0];
    const T* q = in + row.offset[1];
    if (row.step[0] == 0) {
      T total = *p;
      for (int64_t i = 0; i < row.count; ++i) total = AddNumber::Of(total, q[i * row.step[1]]);
      *p = total;
    } else {
      for (int64_t i = 0; i < row.count; ++i) {
        p[i * row.step[0]] = AddNumber::Of(p[i * row.step[0]], q[i * row.step[1]]);
      }
    }
  });
}

// Sums into a fresh tensor of `shape`, which has as many elements as `kept`: a's sizes, 1 where
// reduced.
Tensor SumInto(const Tensor& a, const Shape& kept, Sizes shape) {
  Tensor out = Tensor::Zeros(shape, a.dtype(), a.device());
  Shape strides(kept.size(), 0);
  int64_t stride = 1;
  for (size_t d = kept.size(); d > 0; --d) {
    if (kept[d - 1] != 1) strides[d - 1] = stride;
    stride *= kept[d - 1];
  }
  DispatchNumeric("sum", a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    AddUp<T>(a, out.data<T>(), strides);
  });
  return out;
}

}  // namespace

Tensor Sum(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim) {
  absl::InlinedVector<bool, 4> reduced(a.sizes().size(), false);
  for (int64_t d : dims) {
    if (d < 0 || d >= a.dim() || reduced[d]) {
      throw Error(ErrorKind::kInvalidArgument,
                  absl::StrCat("[sum] dimension ", d, " of a tensor of rank ", a.dim(),
                               "; dimensions lie within 0 and rank - 1, each once"));
    }
    reduced[d] = true;
  }
  Shape kept, shape;
  for (int64_t d = 0; d < a.dim(); ++d) {
    kept.push_back(reduced[d] ? 1 : a.sizes()[d]);
    if (keepdim || !reduced[d]) shape.push_back(kept.back());
  }
  return SumInto(a, kept, shape);
}

Tensor SumAll(const Tensor& a, bool keepdim) {
  const Shape kept(a.sizes().size(), 1);
  return SumInto(a, kept, keepdim ? kept : Shape());
}

Tensor SumTo(const Tensor& a, absl::Span<const int64_t> shape) {
  if (a.sizes() == shape) return a;
  if (!BroadcastsTo(shape, a.sizes())) {
    throw Error(ErrorKind::kShape, absl::StrCat("[sum_to] shape ", ShapeToString(shape),
                                                " does not broadcast to ", ShapeToString(a.sizes()),
                                                "; only repeated dimensions can be summed away"));
  }
  Shape kept(a.sizes().size(), 1);
  const size_t lead = kept.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d) kept[lead + d] = shape[d];
  return SumInto(a, kept, shape);
}

}  // namespace autograd::kernels
