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

// The kernel's, differentiable: sums up and sums down are each other's derivatives by x. With the
// gradient g, and its sum d the other way, that by r is g (result - x) - x (d - g) of sums down,
// and its opposite of sums up.
Tensor DampedSum(const Tensor& x, const Tensor& r, int64_t dim, bool up) {
  Tensor result = kernels::DampedSum(x, r, dim, up);
  if (ShouldRecord(x, r)) {
    Record<3>("DampedSumBackward", result, {&x, &r},
              [dim, up](size_t k, const Tensor& g, const Tensor* saved) {
                const Tensor back = DampedSum(g, saved[1], dim, !up);
                if (k == 0) return back;
                const Tensor of_own = Mul(g, Sub(saved[2], saved[0]));
                const Tensor of_others = Mul(saved[0], Sub(back, g));
                return up ? Sub(of_others, of_own) : Sub(of_own, of_others);
              })
        ->Save(x)
        ->Save(r)
        ->SaveResult(result);
  }
  return result;
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

// Of entry i: e^(a_i - r_i) Σ g_k e^(r_i - r_k) over the entries k from it on.
Tensor Logcumsumexp(const Tensor& a, int64_t dim) {
  CheckDimOf("logcumsumexp", a, dim);
  Tensor result = kernels::Logcumsumexp(a, dim);
  if (ShouldRecord(a)) {
    Record<2>("LogcumsumexpBackward", result, a,
              [dim](const Tensor& g, const Tensor* a_and_result) {
                const Tensor share = Exp(Sub(a_and_result[0], a_and_result[1]));
                return Mul(DampedSum(g, a_and_result[1], dim, /*up=*/false), share);
              })
        ->Save(a)
        ->SaveResult(result);
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
