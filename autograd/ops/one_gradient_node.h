// OneGradientNode: base of nodes with one operand that need nothing saved.
//
//   class NegNode final : public OneGradientNode {
//     Tensor Derivative(const Tensor& gradient) const override { return Neg(gradient); }
//   };
//
// An undefined gradient stays undefined, and nothing is computed that the running task does not
// want.

#pragma once

#include <string_view>
#include <utility>

#include "autograd/graph/node.h"

namespace twingrad::ops {

class OneGradientNode : public Node {
 public:
  // `name` must outlive the node.
  OneGradientNode(std::string_view name, Edge edge) : name_(name) { AddNextEdge(std::move(edge)); }

  VariableList Apply(VariableList&& gradients) final {
    VariableList results(1);
    if (gradients[0].defined() && TaskShouldComputeOutput(0)) {
      results[0] = Derivative(gradients[0]);
    }
    return results;
  }
  std::string_view name() const final { return name_; }

 protected:
  virtual Tensor Derivative(const Tensor& gradient) const = 0;

 private:
  std::string_view name_;
};

}  // namespace twingrad::ops
