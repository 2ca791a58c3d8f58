// GraphRoot, Identity, and sums and copies of gradients. See basic_nodes.h.

#include "autograd/graph/basic_nodes.h"

#include "autograd/graph/grad_mode.h"
#include "autograd/graph/variable.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"

namespace twingrad {

GraphRoot::GraphRoot(absl::Span<const Edge> roots, VariableList seeds) : seeds_(std::move(seeds)) {
  SetNextEdges(roots);
}

VariableList GraphRoot::Apply(VariableList&& /*gradients*/) { return std::move(seeds_); }

VariableList GradientAddNode::Apply(VariableList&& gradients) {
  VariableList results(2);
  if (TaskShouldComputeOutput(0)) results[0] = gradients[0];
  if (TaskShouldComputeOutput(1)) results[1] = std::move(gradients[0]);
  return results;
}

Tensor GradientAdd(const Tensor& a, const Tensor& b) {
  const bool record = ShouldRecord(a, b);
  Tensor sum = kernels::Add(a, b);
  if (record) {
    auto node = MakeNode<GradientAddNode>();
    node->AddNextEdge(GradientEdge(a));
    node->AddNextEdge(GradientEdge(b));
    SetHistory(sum, std::move(node));
  }
  return sum;
}

Tensor GradientClone(const Tensor& a) {
  const bool record = ShouldRecord(a);
  Tensor copy = kernels::Clone(a);
  if (record) {
    auto node = MakeNode<Identity>();
    node->AddNextEdge(GradientEdge(a));
    SetHistory(copy, std::move(node));
  }
  return copy;
}

}  // namespace twingrad
