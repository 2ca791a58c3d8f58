// RuleNode: the node of an operation whose derivative needs arguments, saved variables or more than
// two operands.
//
//   struct FlipRule {
//     Shape dims;
//     std::string_view name() const { return "FlipBackward"; }
//     Tensor Derivative(size_t, const Tensor& gradient, const Tensor*) const {
//       return Flip(gradient, dims);
//     }
//   };
//   Record(FlipRule{dims}, result, {&a});
//
// Derivative(k, gradient, saved) is the gradient of operand k; `saved` holds the variables in the
// order in which they were saved. Every run of the node unpacks all of them, which checks their
// versions.

#pragma once

#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "autograd/graph/node.h"
#include "autograd/graph/saved_variable.h"
#include "autograd/graph/variable.h"

namespace twingrad::ops {

template <typename Rule>
class RuleNode final : public Node {
 public:
  explicit RuleNode(Rule rule) : rule_(std::move(rule)) {}

  VariableList Apply(VariableList&& gradients) override {
    Tensor saved[kMaxSaved];
    for (size_t i = 0; i < count_; ++i) saved[i] = saved_[i].Unpack(this);
    VariableList results(num_outputs());
    if (!gradients[0].defined()) return results;
    for (size_t k = 0; k < num_outputs(); ++k) {
      if (TaskShouldComputeOutput(k)) results[k] = rule_.Derivative(k, gradients[0], saved);
    }
    return results;
  }
  void ReleaseVariables() override {
    for (SavedVariable& saved : saved_) saved.Reset();
  }
  std::string_view name() const override { return rule_.name(); }

  void Save(const Tensor& tensor) { saved_[count_++] = SavedVariable(tensor, false); }
  void SaveResult(const Tensor& result) { saved_[count_++] = SavedVariable(result, true); }

 private:
  static constexpr size_t kMaxSaved = 2;

  Rule rule_;
  size_t count_ = 0;
  SavedVariable saved_[kMaxSaved];
};

// Makes the node, with an edge for each of the operands, and gives the result its history.
template <typename Rule>
sync::IntrusivePtr<RuleNode<Rule>> Record(Rule rule, const Tensor& result,
                                          absl::Span<const Tensor* const> operands) {
  absl::InlinedVector<Edge, 3> edges;
  for (const Tensor* operand : operands) edges.push_back(GradientEdge(*operand));
  auto node = MakeNode<RuleNode<Rule>>(std::move(rule));
  for (Edge& edge : edges) node->AddNextEdge(std::move(edge));
  SetHistory(result, node);
  return node;
}

template <typename Rule>
sync::IntrusivePtr<RuleNode<Rule>> Record(Rule rule, const Tensor& result,
                                          std::initializer_list<const Tensor*> operands) {
  return Record(std::move(rule), result, absl::MakeConstSpan(operands.begin(), operands.size()));
}

}  // namespace twingrad::ops
