#include "autograd/ops/softmax.h"

#include <string_view>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/elementary.h"
#include "autograd/ops/geometry.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/recording.h"
#include "autograd/ops/reduction.h"
#include "autograd/ops/rule_node.h"
#include "autograd/tensor/kernels/kernels.h"

namespace twingrad::ops {
namespace {

struct SoftmaxRule {
  int64_t dim;

  std::string_view name() const { return "SoftmaxBackward"; }
  Tensor Derivative(size_t, const Tensor& g, const Tensor* result) const {
    const Tensor& r = result[0];
    return Mul(Sub(g, Sum(Mul(g, r), {dim}, true)), r);
  }
};

struct LogSoftmaxRule {
  int64_t dim;

  std::string_view name() const { return "LogSoftmaxBackward"; }
  Tensor Derivative(size_t, const Tensor& g, const Tensor* result) const {
    return Sub(g, Mul(Exp(result[0]), Sum(g, {dim}, true)));
  }
};

struct LogsumexpRule {
  Shape kept;

  std::string_view name() const { return "LogsumexpBackward"; }
  // `saved`: operand and result.
  Tensor Derivative(size_t, const Tensor& g, const Tensor* saved) const {
    return Mul(ReshapeTo(g, kept), Exp(Sub(saved[0], ReshapeTo(saved[1], kept))));
  }
};

// What keeps the dimension, to be read as having all of `a`'s sizes.
Tensor Shifted(const Tensor& a, int64_t dim) {
  return kernels::Sub(a, kernels::Amax(a, {dim}, true));
}

Tensor KeptSum(const Tensor& a, absl::Span<const int64_t> dims) {
  return dims.empty() ? kernels::SumAll(a, true) : kernels::Sum(a, dims, true);
}

}  // namespace

Tensor Softmax(const Tensor& a, int64_t dim) {
  CheckDefined("softmax", a);
  CheckDim("softmax", dim, a.dim());
  const Tensor each = kernels::Each<kernels::ExpNumber>(Shifted(a, dim));
  Tensor result = kernels::Div(each, kernels::Sum(each, {dim}, true));
  if (ShouldRecord(a)) Record(SoftmaxRule{dim}, result, {&a})->SaveResult(result);
  return result;
}

Tensor LogSoftmax(const Tensor& a, int64_t dim) {
  CheckDefined("log_softmax", a);
  CheckDim("log_softmax", dim, a.dim());
  const Tensor shifted = Shifted(a, dim);
  Tensor result =
      kernels::Sub(shifted, kernels::Each<kernels::LogNumber>(kernels::Sum(
                                kernels::Each<kernels::ExpNumber>(shifted), {dim}, true)));
  if (ShouldRecord(a)) Record(LogSoftmaxRule{dim}, result, {&a})->SaveResult(result);
  return result;
}

Tensor Logsumexp(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim) {
  CheckDefined("logsumexp", a);
  const Tensor top = kernels::Amax(a, dims, true);
  // An infinite shift would give NaN.
  const Tensor zero = Constant(0, top);
  const Tensor shift = kernels::Where(kernels::IsZero(kernels::Sub(top, top)), top, zero);
  const Tensor sums = KeptSum(kernels::Each<kernels::ExpNumber>(kernels::Sub(a, shift)), dims);
  const Tensor kept = kernels::Add(kernels::Each<kernels::LogNumber>(sums), shift);
  Shape sizes;
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (keepdim || !IsReduced(dims, d)) sizes.push_back(kept.sizes()[d]);
  }
  Tensor result = kept.AsStrided(sizes, ContiguousStrides(sizes), 0);
  if (ShouldRecord(a)) {
    const auto node = Record(LogsumexpRule{KeptShape(a, dims)}, result, {&a});
    node->Save(a);
    node->SaveResult(result);
  }
  return result;
}

}  // namespace twingrad::ops
