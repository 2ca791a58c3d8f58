// Leaves, roots, and sums and copies of gradients. See basic_nodes.h.

#include "autograd/graph/basic_nodes.h"

#include "autograd/graph/grad_turn.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/variable.h"
#include "autograd/tensor/sparse.h"

namespace twingrad {

VariableList AccumulateGrad::Apply(VariableList&& gradients) {
  if (!gradients[0].defined()) return {};
  if (extras() == nullptr || extras()->accumulate_hooks.IsEmpty()) {
    const Tensor grad = slot_->Accumulate(std::move(gradients[0]));
    // Without grad mode it may have a node of an older sum.
    if (GradMode::IsEnabled()) AnnounceNodeOf(grad);
    return {};
  }
  GradTurn turn(*slot_, gradients[0]);
  if (turn.is_left()) return {};
  const auto accumulate = [this](Tensor gradient) {
    const Tensor grad = slot_->Accumulate(std::move(gradient));
    if (!grad.defined()) return;
    if (GradMode::IsEnabled()) AnnounceNodeOf(grad);
    // Each sees .grad as the one before left it: a call that one makes in grad mode replaces it.
    extras()->accumulate_hooks.ForEach([this](const auto& hook) { hook.function(slot_->Get()); });
  };
  accumulate(std::move(gradients[0]));
  turn.ForEachLeft(accumulate);
  return {};
}

GraphRoot::GraphRoot(Span<const Edge> roots, VariableList seeds) : seeds_(std::move(seeds)) {
  SetNextEdges(roots);
}

VariableList GraphRoot::Apply(VariableList&& /*gradients*/) { return std::move(seeds_); }

VariableList GradientAddNode::Apply(VariableList&& gradients) {
  VariableList results(2);
  if (TaskShouldComputeOutput(0)) results[0] = gradients[0];
  if (TaskShouldComputeOutput(1)) results[1] = std::move(gradients[0]);
  return results;
}

bool IsHeldAlone(const Tensor& tensor) {
  if (!tensor.IsUniquelyOwned() || !tensor.OwnsStorageAlone()) return false;
  if (tensor.impl()->meta() != nullptr) return false;
  if (!tensor.is_sparse()) return true;
  const SparseParts& parts = SparsePartsOf(tensor);
  return IsPrivate(parts.indices) && IsPrivate(parts.values);
}

Tensor GradientAdd(const Tensor& a, const Tensor& b, const GradLayout& layout) {
  const bool record = ShouldRecord(a, b);
  Tensor sum = layout.Add(a, b);
  if (record) RecordQuietly(MakeNode<GradientAddNode>(), sum, a, b);
  return sum;
}

Tensor GradientClone(const Tensor& a, const GradLayout& layout) {
  const bool record = ShouldRecord(a);
  Tensor copy = layout.Clone(a);
  if (record) RecordQuietly(MakeNode<Identity>(), copy, a);
  return copy;
}

}  // namespace twingrad
