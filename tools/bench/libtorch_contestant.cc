// The benchmark's graphs on libtorch, through its C++ API.

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "tools/bench/contestant.h"

namespace twingrad::bench {
namespace {

using torch::autograd::Edge;
using torch::autograd::Node;
using torch::autograd::variable_list;

// Passes its only gradient to each of its edges.
struct PassThrough : Node {
  variable_list apply(variable_list&& grads) override {
    if (next_edges().size() == 1) return std::move(grads);
    return variable_list(next_edges().size(), grads[0]);
  }
};

class Libtorch : public GraphContestant<std::shared_ptr<Node>> {
 public:
  Libtorch() : one_(torch::ones({1}, torch::kDouble)) {
    at::set_num_threads(1);
    at::set_num_interop_threads(1);
  }

  std::string_view name() const override { return "libtorch"; }

  Timing Multiply(int64_t n) override {
    const auto options = torch::dtype(torch::kDouble).requires_grad(true);
    const torch::Tensor w = torch::ones({}, options);
    torch::Tensor y = torch::ones({}, options);
    Timing timing;
    timing.forward_ns = TimeNs([&] {
      for (int64_t i = 0; i < n; ++i) y = y * w;
    });
    timing.backward_ns = TimeNs([&] { y.backward(); });
    return timing;
  }

 private:
  std::shared_ptr<Node> MakeNode() override {
    std::shared_ptr<Node> node(new PassThrough, torch::autograd::deleteNode);
    node->add_input_metadata(one_);
    return node;
  }

  void AddEdge(const std::shared_ptr<Node>& from, std::shared_ptr<Node> to) override {
    from->add_next_edge(Edge(std::move(to), 0));
  }

  Timing Backward(const std::shared_ptr<Node>& root) override {
    auto& engine = torch::autograd::Engine::get_default_engine();
    Timing timing;
    timing.backward_ns = TimeNs([&] {
      engine.execute({Edge(root, 0)}, {one_}, /*keep_graph=*/false, /*create_graph=*/false,
                     /*accumulate_grad=*/true, {});
    });
    return timing;
  }

  const torch::Tensor one_;
};

}  // namespace

std::unique_ptr<Contestant> MakeLibtorch() { return std::make_unique<Libtorch>(); }

}  // namespace twingrad::bench
