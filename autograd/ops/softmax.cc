#include "autograd/ops/softmax.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/elementary.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/reduction.h"
#include "autograd/tensor/kernels/kernels.h"
#include "autograd/tensor/kernels/narrow.h"

namespace twingrad::ops {
namespace {

// What keeps the dimension, to be read as having all of `a`'s sizes.
Tensor Shifted(const Tensor& a, int64_t dim) {
  return kernels::Sub(a, kernels::Amax(a, {dim}, true));
}

// Of entry i, over the entries k from it on: Σ x_k e^(a_i - r_k); `up`, over those as far as it:
// Σ x_k e^(a_k - r_i). r are the logarithms of the sums of e^a as far as each entry. Each is the
// other's transpose in x, and what a and r weigh needs no difference of sums, which would cancel.
Tensor WeightedSum(const Tensor& x, const Tensor& a, const Tensor& r, int64_t dim, bool up) {
  const Tensor share = kernels::Each<kernels::ExpNumber>(kernels::Sub(a, r));
  Tensor result = up ? kernels::DampedSum(kernels::Mul(x, share), r, dim, up)
                     : kernels::Mul(kernels::DampedSum(x, r, dim, up), share);
  if (ShouldRecord(x, a, r)) {
    Record<4>("WeightedSumBackward", result, {&x, &a, &r},
              [dim, up](size_t k, const Tensor& g, const Tensor* saved) {
                const bool of_result = k == (up ? 2 : 1);
                const Tensor back =
                    of_result ? saved[3] : WeightedSum(g, saved[1], saved[2], dim, !up);
                if (k == 0) return back;
                const Tensor slope = Mul(of_result ? g : saved[0], back);
                return k == 1 ? slope : Neg(slope);
              })
        ->Save(x)
        ->Save(a)
        ->Save(r)
        ->SaveResult(result);
  }
  return result;
}

}  // namespace

Tensor Softmax(const Tensor& a, int64_t dim) {
  CheckDimOf("softmax", a, dim);
  const Tensor each = kernels::Each<kernels::ExpNumber>(Shifted(kernels::Widened(a), dim));
  const Tensor shares = kernels::Div(each, kernels::Sum(each, {dim}, true));
  Tensor result = kernels::Narrowed(shares, a.dtype());
  if (ShouldRecord(a)) {
    Record<1>("SoftmaxBackward", result, a, [dim](const Tensor& g, const Tensor* r) {
      return Mul(Sub(g, Sum(Mul(g, r[0]), {dim}, true)), r[0]);
    })->SaveResult(result);
  }
  return result;
}

Tensor LogSoftmax(const Tensor& a, int64_t dim) {
  CheckDimOf("log_softmax", a, dim);
  const Tensor shifted = Shifted(kernels::Widened(a), dim);
  const Tensor total = kernels::Sum(kernels::Each<kernels::ExpNumber>(shifted), {dim}, true);
  const Tensor logs = kernels::Sub(shifted, kernels::Each<kernels::LogNumber>(total));
  Tensor result = kernels::Narrowed(logs, a.dtype());
  if (ShouldRecord(a)) {
    Record<1>("LogSoftmaxBackward", result, a, [dim](const Tensor& g, const Tensor* r) {
      const Tensor sum = Sum(g, {dim}, true);
      return Sub(g, Mul(Exp(r[0]), sum));
    })->SaveResult(result);
  }
  return result;
}

// Of entry i: e^(a_i - r_i) Σ g_k e^(r_i - r_k) over the entries k from it on.
Tensor Logcumsumexp(const Tensor& a, int64_t dim) {
  CheckDimOf("logcumsumexp", a, dim);
  Tensor result = kernels::Logcumsumexp(a, dim);
  if (ShouldRecord(a)) {
    Record<2>("LogcumsumexpBackward", result, a,
              [dim](const Tensor& g, const Tensor* a_and_result) {
                return WeightedSum(g, a_and_result[0], a_and_result[1], dim, /*up=*/false);
              })
        ->Save(a)
        ->SaveResult(result);
  }
  return result;
}

Tensor Logsumexp(const Tensor& a, Ints dims, bool keepdim) {
  CheckDefined("logsumexp", a);
  const Tensor x = kernels::Widened(a);
  const Tensor top = kernels::Amax(x, dims, true);
  // An infinite shift would give NaN.
  const Tensor zero = Constant(0, top);
  const Tensor shift = kernels::Where(kernels::IsZero(kernels::Sub(top, top)), top, zero);
  const Tensor sums =
      SumValues(kernels::Each<kernels::ExpNumber>(kernels::Sub(x, shift)), dims, true);
  const Tensor kept = kernels::Add(kernels::Each<kernels::LogNumber>(sums), shift);
  Shape sizes;
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (keepdim || !IsReduced(dims, d)) sizes.push_back(kept.sizes()[d]);
  }
  Tensor result = kernels::Narrowed(WithShape(kept, sizes), a.dtype());
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
