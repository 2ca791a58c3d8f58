// The benchmark's graphs on libtorch, through its C++ API.

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

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

class Libtorch : public Contestant {
 public:
  Libtorch() : one_(torch::ones({1}, torch::kDouble)) {
    at::set_num_threads(1);
    at::set_num_interop_threads(1);
  }

  std::string_view name() const override { return "libtorch"; }

  Timing Chain(int64_t n) override {
    std::shared_ptr<Node> last = MakeNode();
    for (int64_t i = 1; i < n; ++i) {
      std::shared_ptr<Node> node = MakeNode();
      node->add_next_edge(Edge(std::move(last), 0));
      last = std::move(node);
    }
    return Backward(last);
  }

  Timing Ladder(int64_t n) override {
    std::shared_ptr<Node> before = MakeNode();
    std::shared_ptr<Node> last = MakeNode();
    last->add_next_edge(Edge(before, 0));
    for (int64_t i = 2; i < n; ++i) {
      std::shared_ptr<Node> node = MakeNode();
      node->add_next_edge(Edge(last, 0));
      node->add_next_edge(Edge(std::move(before), 0));
      before = std::move(last);
      last = std::move(node);
    }
    return Backward(last);
  }

  Timing Fan(int64_t n) override {
    std::shared_ptr<Node> sink = MakeNode();
    std::vector<std::shared_ptr<Node>> blades;
    for (int64_t i = 0; i < n; ++i) {
      blades.push_back(MakeNode());
      blades.back()->add_next_edge(Edge(sink, 0));
    }
    std::shared_ptr<Node> hub = MakeNode();
    for (std::shared_ptr<Node>& blade : blades) hub->add_next_edge(Edge(std::move(blade), 0));
    return Backward(hub);
  }

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
  std::shared_ptr<Node> MakeNode() {
    std::shared_ptr<Node> node(new PassThrough, torch::autograd::deleteNode);
    node->add_input_metadata(one_);
    return node;
  }

  Timing Backward(const std::shared_ptr<Node>& root) {
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
