// Small nodes and checks that the tests of graph and engine share.

#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"
#include "autograd/graph/node.h"
#include "autograd/graph/variable.h"

namespace twingrad {

inline Tensor On(Device device, double value = 0) {
  return Tensor::Scalar(value, DType::kF64, device);
}

// Does what it is told to.
class FunctionNode final : public Node {
 public:
  using Function = std::function<VariableList(FunctionNode&, VariableList)>;
  explicit FunctionNode(Function function) : function_(std::move(function)) {}
  VariableList Apply(VariableList&& gradients) override {
    return function_(*this, std::move(gradients));
  }
  std::string_view name() const override { return "Function"; }

 private:
  Function function_;
};

// Passes its first gradient to each of its edges.
class PassNode final : public Node {
 public:
  VariableList Apply(VariableList&& gradients) override {
    return VariableList(num_outputs(), gradients[0]);
  }
  std::string_view name() const override { return "Pass"; }
};

inline NodePtr MakePass(const std::vector<Edge>& edges, const Tensor& like = Tensor::Scalar(0)) {
  NodePtr node = MakeNode<PassNode>();
  node->AddInput(like);
  node->SetNextEdges(edges);
  return node;
}

inline NodePtr MakeFunction(FunctionNode::Function function, const std::vector<Edge>& edges,
                            const Tensor& like = Tensor::Scalar(0)) {
  NodePtr node = MakeNode<FunctionNode>(std::move(function));
  node->AddInput(like);
  node->SetNextEdges(edges);
  return node;
}

// A node where gradients end: does `action` with them.
inline NodePtr MakeEnd(std::function<void(const VariableList&)> action,
                       const Tensor& like = Tensor::Scalar(0)) {
  return MakeFunction(
      [action = std::move(action)](FunctionNode&, VariableList gradients) {
        action(gradients);
        return VariableList();
      },
      {}, like);
}

inline Tensor MakeLeaf(double value, Device device = Device::Cpu()) {
  Tensor leaf = Tensor::Scalar(value, DType::kF64, device);
  SetRequiresGrad(leaf, true);
  return leaf;
}

}  // namespace twingrad
