#include "autograd/ops/softmax.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/elementary.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/reduction.h"
#include "autograd/tensor/kernels/kernels.h"

namespace twingrad::ops {
namespace {

// What keeps the dimension, to be read as having all of `a`'s sizes.
Tensor Shifted(const Tensor& a, int64_t dim) {
  return kernels::Sub(a, kernels::Amax(a, {dim}, true));
}

}  // namespace

Tensor Softmax(const Tensor& a, int64_t dim) {
  CheckDimOf("softmax", a, dim);
  const Tensor each = kernels::Each<kernels::ExpNumber>(Shifted(a, dim));
  Tensor result = kernels::Div(each, kernels::Sum(each, {dim}, true));
  if (ShouldRecord(a)) {
    Record<1>("SoftmaxBackward", result, a, [dim](const Tensor& g, const Tensor* r) {
      return Mul(Sub(g, Sum(Mul(g, r[0]), {dim}, true)), r[0]);
    })->SaveResult(result);
  }
  return result;
}

Tensor LogSoftmax(const Tensor& a, int64_t dim) {
  CheckDimOf("log_softmax", a, dim);
  const Tensor shifted = Shifted(a, dim);
  Tensor result =
      kernels::Sub(shifted, kernels::Each<kernels::LogNumber>(kernels::Sum(
                                kernels::Each<kernels::ExpNumber>(shifted), {dim}, true)));
  if (ShouldRecord(a)) {
    Record<1>("LogSoftmaxBackward", result, a, [dim](const Tensor& g, const Tensor* r) {
      const Tensor sum = Sum(g, {dim}, true);
      return Sub(g, Mul(Exp(r[0]), sum));
    })->SaveResult(result);
  }
  return result;
}

Tensor Logsumexp(const Tensor& a, Ints dims, bool keepdim) {
  CheckDefined("logsumexp", a);
  const Tensor top = kernels::Amax(a, dims, true);
  // An infinite shift would give NaN.
  const Tensor zero = Constant(0, top);
  const Tensor shift = kernels::Where(kernels::IsZero(kernels::Sub(top, top)), top, zero);
  const Tensor sums =
      SumValues(kernels::Each<kernels::ExpNumber>(kernels::Sub(a, shift)), dims, true);
  const Tensor kept = kernels::Add(kernels::Each<kernels::LogNumber>(sums), shift);
  Shape sizes;
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (keepdim || !IsReduced(dims, d)) sizes.push_back(kept.sizes()[d]);
  }
  Tensor result = WithShape(kept, sizes);
  if (ShouldRecord(a)) {
    Record<2>("LogsumexpBackward", result, a,
              [kept = KeptShape(a, dims)](const Tensor& g, const Tensor* a_and_result) {
                const Tensor shifted = Sub(a_and_result[0], ReshapeTo(a_and_result[1], kept));
                const Tensor share = Exp(shifted);
                return Mul(ReshapeTo(g, kept), share);
              })
        ->Save(a)
        ->SaveResult(result);
  }
  return result;
}

}  // namespace twingrad::ops
