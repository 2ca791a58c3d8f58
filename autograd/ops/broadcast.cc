#include "autograd/ops/broadcast.h"

#include <utility>

#include "autograd/graph/node.h"
#include "autograd/ops/one_gradient_node.h"
#include "autograd/ops/recording.h"
#include "autograd/tensor/kernels/loops.h"
#include "autograd/tensor/kernels/reduce.h"

namespace twingrad::ops {
namespace {

class SumToNode final : public OneGradientNode {
 public:
  SumToNode(Edge edge, absl::Span<const int64_t> shape)
      : OneGradientNode("SumToBackward", std::move(edge)), shape_(shape.begin(), shape.end()) {}
  Tensor Derivative(const Tensor& gradient) const override { return ExpandTo(gradient, shape_); }

 private:
  Shape shape_;
};

class ExpandToNode final : public OneGradientNode {
 public:
  ExpandToNode(Edge edge, absl::Span<const int64_t> shape)
      : OneGradientNode("ExpandToBackward", std::move(edge)), shape_(shape.begin(), shape.end()) {}
  Tensor Derivative(const Tensor& gradient) const override { return SumTo(gradient, shape_); }

 private:
  Shape shape_;
};

}  // namespace

Tensor SumTo(const Tensor& a, absl::Span<const int64_t> shape) {
  if (a.sizes() == shape) return a;
  Tensor result = kernels::SumTo(a, shape);
  if (ShouldRecord(a)) SetHistory(result, MakeNode<SumToNode>(GradientEdge(a), a.sizes()));
  return result;
}

Tensor ExpandTo(const Tensor& a, absl::Span<const int64_t> shape) {
  if (a.sizes() == shape) return a;
  Tensor result = a.AsStrided(shape, kernels::StridesFor(a, shape), a.storage_offset());
  if (ShouldRecord(a)) SetHistory(result, MakeNode<ExpandToNode>(GradientEdge(a), a.sizes()));
  return result;
}

void BroadcastUndo::Remember(const Tensor& operand) {
  shape_ = std::make_unique<const Shape>(operand.sizes().begin(), operand.sizes().end());
}

}  // namespace twingrad::ops
