#include "autograd/ops/reduction.h"

#include <algorithm>
#include <utility>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/broadcast.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/one_gradient_node.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/reduce.h"

namespace twingrad::ops {
namespace {

// How many elements of `a` make one of the result.
double CountOf(const Tensor& a, absl::Span<const int64_t> dims) {
  double count = 1;
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (IsReduced(dims, d)) count *= static_cast<double>(a.sizes()[d]);
  }
  return count;
}

class SumNode final : public OneGradientNode {
 public:
  SumNode(Edge edge, const Tensor& operand, absl::Span<const int64_t> dims)
      : OneGradientNode("SumBackward", std::move(edge)),
        kept_(KeptShape(operand, dims)),
        sizes_(operand.sizes().begin(), operand.sizes().end()) {}
  Tensor Derivative(const Tensor& gradient) const override {
    return ExpandTo(ReshapeTo(gradient, kept_), sizes_);
  }

 private:
  Shape kept_;
  Shape sizes_;
};

class MeanNode final : public OneGradientNode {
 public:
  MeanNode(Edge edge, const Tensor& operand, absl::Span<const int64_t> dims)
      : OneGradientNode("MeanBackward", std::move(edge)),
        count_(CountOf(operand, dims)),
        kept_(KeptShape(operand, dims)),
        sizes_(operand.sizes().begin(), operand.sizes().end()) {}
  Tensor Derivative(const Tensor& gradient) const override {
    // A mean over nothing has no part to hand out; infinity would make NaN of further derivatives.
    const Tensor share = count_ == 0 ? gradient : Div(gradient, Constant(count_, gradient));
    return ExpandTo(ReshapeTo(share, kept_), sizes_);
  }

 private:
  double count_;
  Shape kept_;
  Shape sizes_;
};

Tensor RawSum(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim) {
  return dims.empty() ? kernels::SumAll(a, keepdim) : kernels::Sum(a, dims, keepdim);
}

}  // namespace

bool IsReduced(absl::Span<const int64_t> dims, int64_t d) {
  return dims.empty() || std::find(dims.begin(), dims.end(), d) != dims.end();
}

Shape KeptShape(const Tensor& a, absl::Span<const int64_t> dims) {
  Shape kept(a.sizes().begin(), a.sizes().end());
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (IsReduced(dims, d)) kept[d] = 1;
  }
  return kept;
}

Tensor Sum(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim) {
  CheckDefined("sum", a);
  Tensor result = RawSum(a, dims, keepdim);
  if (ShouldRecord(a)) SetHistory(result, MakeNode<SumNode>(GradientEdge(a), a, dims));
  return result;
}

Tensor Mean(const Tensor& a, absl::Span<const int64_t> dims, bool keepdim) {
  CheckDefined("mean", a);
  const Tensor sum = RawSum(a, dims, keepdim);
  Tensor result = kernels::Div(sum, Constant(CountOf(a, dims), sum));
  if (ShouldRecord(a)) SetHistory(result, MakeNode<MeanNode>(GradientEdge(a), a, dims));
  return result;
}

}  // namespace twingrad::ops
