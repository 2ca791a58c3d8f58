// The benchmark's graphs on this engine, through its C++ API.

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "autograd/engine/engine.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/node.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/arithmetic.h"
#include "tools/bench/contestant.h"

namespace twingrad::bench {
namespace {

using twingrad::Edge;
using twingrad::NodePtr;
using twingrad::Tensor;
using twingrad::VariableList;

// Passes its only gradient to each of its edges.
class PassThrough : public twingrad::Node {
 public:
  VariableList Apply(VariableList&& gradients) override {
    if (num_outputs() == 1) return std::move(gradients);
    return VariableList(num_outputs(), gradients[0]);
  }
  std::string_view name() const override { return "PassThrough"; }
};

class Twingrad : public GraphContestant<NodePtr> {
 public:
  std::string_view name() const override { return "twingrad"; }

  Timing Multiply(int64_t n) override {
    Tensor w = Tensor::Scalar(1);
    Tensor y = Tensor::Scalar(1);
    twingrad::SetRequiresGrad(w, true);
    twingrad::SetRequiresGrad(y, true);
    Timing timing;
    timing.forward_ns = TimeNs([&] {
      for (int64_t i = 0; i < n; ++i) y = twingrad::ops::Mul(y, w);
    });
    twingrad::BackwardOptions options;
    options.engine = &engine_;
    timing.backward_ns = TimeNs([&] { twingrad::Backward({y}, {}, options); });
    return timing;
  }

 private:
  NodePtr MakeNode() override {
    NodePtr node = twingrad::MakeNode<PassThrough>();
    node->AddInput(one_);
    return node;
  }

  void AddEdge(const NodePtr& from, NodePtr to) override {
    from->AddNextEdge(Edge{std::move(to), 0});
  }

  Timing Backward(const NodePtr& root) override {
    const Edge edge{root, 0};
    Timing timing;
    timing.backward_ns = TimeNs([&] {
      engine_.Execute({edge}, {one_}, /*keep_graph=*/false, /*create_graph=*/false,
                      /*accumulate_grad=*/true);
    });
    return timing;
  }

  twingrad::Engine engine_;
  const Tensor one_ = Tensor::Ones({1}, twingrad::DType::kF64);
};

}  // namespace

std::unique_ptr<Contestant> MakeTwingrad() { return std::make_unique<Twingrad>(); }

}  // namespace twingrad::bench
