// Gradients of writes through views. See copy_slices.h.

#include "autograd/graph/copy_slices.h"

#include <utility>

#include "autograd/base/error.h"
#include "autograd/graph/hooks.h"

namespace twingrad {

CopySlices::CopySlices(Edge base_edge, ViewMapPtr map, NodePtr function)
    : map_(std::move(map)), function_(std::move(function)) {
  // The function asks about its own edges whether a gradient is wanted; edge 0 must be ours then.
  function_->SetNextEdge(0, std::move(base_edge));
  SetNextEdges(function_->next_edges());
}

VariableList CopySlices::Apply(VariableList&& gradients) {
  VariableList results(num_outputs());
  const Tensor& gradient = gradients[0];
  if (!gradient.defined()) return results;
  VariableList parts;
  parts.push_back(Gather(gradient, map_));
  VariableList inner = function_->Apply(std::move(parts));
  if (TaskShouldComputeOutput(0)) {
    results[0] = Replace(gradient, inner.empty() ? Tensor() : inner[0], map_);
  }
  for (size_t i = 1; i < results.size(); ++i) {
    if (TaskShouldComputeOutput(i)) results[i] = std::move(inner[i]);
  }
  return results;
}

VariableList RegeneratedView::Apply(VariableList&& gradients) {
  VariableList results(1);
  if (gradients[0].defined() && TaskShouldComputeOutput(0)) {
    results[0] = Scatter(gradients[0], map_);
  }
  return results;
}

}  // namespace twingrad
