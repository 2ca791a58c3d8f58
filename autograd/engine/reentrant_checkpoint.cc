// The checkpoint that is one node with a backward of its own. See checkpoint.h.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/engine/checkpoint.h"
#include "autograd/engine/engine.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/graph/variable.h"

namespace twingrad {
namespace {

class ReentrantNode final : public Node {
 public:
  ReentrantNode(CheckpointFunction function, const VariableList& inputs)
      : function_(std::move(function)) {
    for (const Tensor& input : inputs) {
      AddNextEdge(GradientEdge(input));
      saved_.emplace_back(input, /*is_output=*/false);
    }
  }

  VariableList Apply(VariableList&& gradients) override;
  void ReleaseVariables() override {
    for (SavedVariable& saved : saved_) saved.Reset();
  }
  std::vector<SavedVariable*> SavedVariables() override {
    std::vector<SavedVariable*> all;
    for (SavedVariable& saved : saved_) all.push_back(&saved);
    return all;
  }
  std::string_view name() const override { return "ReentrantCheckpoint"; }

 private:
  const CheckpointFunction function_;
  std::vector<SavedVariable> saved_;
};

VariableList ReentrantNode::Apply(VariableList&& gradients) {
  if (GradMode::IsEnabled() || !Engine::IsCheckpointValid()) {
    throw Error(ErrorKind::kInvalidArgument,
                "[checkpoint] a reentrant checkpoint is reached by Grad, by Backward with inputs "
                "or with create_graph; it works in a plain Backward; use Checkpoint");
  }
  VariableList inputs;
  for (size_t i = 0; i < saved_.size(); ++i) {
    Tensor input = saved_[i].Unpack(this);
    if (input.defined()) input = input.Detach();
    if (next_edge(i).is_valid()) SetRequiresGrad(input, true);
    inputs.push_back(std::move(input));
  }
  std::vector<Tensor> roots, seeds;
  {
    GradModeGuard recording(true);
    const VariableList outputs = function_(inputs);
    size_t next = 0;  // of the gradients, one a floating output
    for (const Tensor& output : outputs) {
      if (!output.defined() || !IsFloating(output.dtype())) continue;
      if (next < gradients.size() && gradients[next].defined() && RequiresGrad(output)) {
        roots.push_back(output);
        seeds.push_back(gradients[next]);
      }
      ++next;
    }
    if (next != gradients.size()) {
      throw Error(ErrorKind::kHook,
                  "[checkpoint] the function returned another number of floating tensors when it "
                  "was run again; it must compute the same each time; keep what it depends on "
                  "unchanged");
    }
  }
  if (!roots.empty()) Backward(roots, seeds);
  VariableList results;
  for (size_t i = 0; i < inputs.size(); ++i) {
    results.push_back(next_edge(i).is_valid() ? GradOf(inputs[i]) : Tensor());
  }
  return results;
}

}  // namespace

VariableList ReentrantCheckpoint(CheckpointFunction function, const VariableList& inputs) {
  bool records = false;
  for (const Tensor& input : inputs) records |= ShouldRecord(input);
  if (!records) return function(inputs);
  VariableList outputs;
  {
    GradModeGuard no_grad(false);
    outputs = function(inputs);
  }
  const NodePtr node = MakeNode<ReentrantNode>(std::move(function), inputs);
  uint32_t number = 0;
  for (Tensor& output : outputs) {
    if (!output.defined() || !IsFloating(output.dtype())) continue;
    output = output.Detach();  // the function may have returned an input, or one tensor twice
    SetHistory(output, node, number++);
  }
  AnnounceNode(*node);
  return outputs;
}

}  // namespace twingrad
