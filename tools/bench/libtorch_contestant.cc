// The benchmark's cases on libtorch, 1.13 or 2.x, through its C++ API.

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/bench/contestant.h"
#include "tools/bench/dense.h"
#include "tools/bench/hand_built.h"
#include "tools/bench/networks.h"
#include "tools/bench/recorded.h"
#include "tools/bench/training.h"

namespace {

using torch::autograd::Edge;
using torch::autograd::Node;
using torch::autograd::variable_list;

struct PassThrough : Node {
  variable_list apply(variable_list&& grads) override {
    if (next_edges().size() == 1) return std::move(grads);
    return variable_list(next_edges().size(), grads[0]);
  }
};

struct Libtorch {
  using Tensor = torch::Tensor;
  using Sizes = at::IntArrayRef;
  using NodePtr = decltype(Edge::function);  // shared or intrusive, as the version has it

  static constexpr double kEps = 1e-5;  // of norms

  static const Tensor& One() {
    static const Tensor one = torch::ones({1}, torch::kDouble);
    return one;
  }

  static NodePtr MakeNode() {
#if TORCH_VERSION_MAJOR >= 2
    NodePtr node = c10::make_intrusive<PassThrough>();
#else
    NodePtr node(new PassThrough, torch::autograd::deleteNode);
#endif
    node->add_input_metadata(One());
    return node;
  }
  static void AddEdge(const NodePtr& from, NodePtr to) {
    from->add_next_edge(Edge(std::move(to), 0));
  }
  static void Run(const NodePtr& root) {
    torch::autograd::Engine::get_default_engine().execute({Edge(root, 0)}, {One()},
                                                          /*keep_graph=*/false,
                                                          /*create_graph=*/false,
                                                          /*accumulate_grad=*/true, {});
  }

  static Tensor Leaf(Sizes sizes) {
    return torch::ones(sizes, torch::dtype(torch::kDouble).requires_grad(true));
  }
  static Tensor Random(Sizes sizes, bool requires_grad) {
    return torch::empty(sizes).uniform_(-1, 1).set_requires_grad(requires_grad);
  }

  static Tensor Add(const Tensor& a, const Tensor& b) { return a + b; }
  static Tensor Mul(const Tensor& a, const Tensor& b) { return a * b; }
  static void AddInPlace(Tensor& a, const Tensor& b) { a.add_(b); }
  static Tensor Exp(const Tensor& a) { return a.exp(); }
  static Tensor Tanh(const Tensor& a) { return a.tanh(); }
  static Tensor Relu(const Tensor& a) { return a.relu(); }
  static Tensor Sum(const Tensor& a) { return a.sum(); }
  static Tensor Transpose(const Tensor& a) { return a.transpose(0, 1); }
  static Tensor Expand(const Tensor& a, Sizes sizes) { return a.expand(sizes); }
  static Tensor Addmm(const Tensor& c, const Tensor& a, const Tensor& b) {
    return torch::addmm(c, a, b);
  }

  static Tensor Linear(const Tensor& a, const Tensor& weight, const Tensor& bias) {
    return at::linear(a, weight, bias);
  }
  // As users call it: the version chooses the kernel.
  static Tensor Attention(const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
#if TORCH_VERSION_MAJOR >= 2
    return at::scaled_dot_product_attention(q, k, v, {}, /*dropout_p=*/0, causal);
#else
    return std::get<0>(at::_scaled_dot_product_attention(q, k, v, {}, /*dropout_p=*/0,
                                                         /*need_attn_weights=*/false, causal));
#endif
  }
  static Tensor Einsum(const char* equation, const Tensor& a, const Tensor& b) {
    return at::einsum(equation, {a, b});
  }
  static Tensor LayerNorm(const Tensor& a, const Tensor& weight, const Tensor& bias) {
    return at::layer_norm(a, weight.sizes(), weight, bias, kEps);
  }
  static Tensor GroupNorm(const Tensor& a, const Tensor& weight, const Tensor& bias,
                          int64_t groups) {
    return at::group_norm(a, groups, weight, bias, kEps);
  }
  static Tensor BatchNorm(const Tensor& a, const Tensor& weight, const Tensor& bias) {
    return at::batch_norm(a, weight, bias, {}, {}, /*training=*/true, /*momentum=*/0, kEps,
                          /*cudnn_enabled=*/false);
  }

  static void Backward(const Tensor& y, bool keep_graph = false) {
    y.backward({}, /*retain_graph=*/keep_graph);
  }
  static void BackwardFrom(const Tensor& y, const Tensor& gradient) { y.backward(gradient); }
  // The engine of PyTorch has one thread for the CPU.
  static void BackwardOnThreads(const Tensor& y, int) { Backward(y, /*keep_graph=*/true); }
  static Tensor Grad(const Tensor& y, const Tensor& x, bool create_graph) {
    return torch::autograd::grad({y}, {x}, {}, /*retain_graph=*/create_graph, create_graph)[0];
  }
  static void ClearGrad(const Tensor& x) { x.mutable_grad() = Tensor(); }
  static void HookThatDoesNothing(const Tensor& y) {
    y.register_hook([](const Tensor&) {});
  }

  static Tensor Sub(const Tensor& a, const Tensor& b) { return a - b; }
  static Tensor Mean(const Tensor& a) { return a.mean(); }
  static Tensor Conv2d(const Tensor& x, const Tensor& w) {
    return torch::conv2d(x, w, {}, /*stride=*/1, /*padding=*/1);
  }
  static Tensor MaxPool2d(const Tensor& x) { return torch::max_pool2d(x, 2); }
  static Tensor AvgPool2d(const Tensor& x) { return at::avg_pool2d(x, 2); }
  static Tensor UpsampleNearest(const Tensor& x) {
    return at::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)});
  }
  static Tensor UpsampleBilinear(const Tensor& x) {
    return at::upsample_bilinear2d(x, {2 * x.size(2), 2 * x.size(3)}, /*align_corners=*/false);
  }
  static Tensor BatchNorm2d(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return BatchNorm(x, weight, bias);
  }
  static Tensor Dropout(const Tensor& x) { return torch::dropout(x, 0.2, /*train=*/true); }
  static Tensor Classes(int64_t n, int64_t count) { return torch::arange(n).remainder(count); }
  static Tensor CrossEntropy(const Tensor& x, const Tensor& classes) {
    return at::cross_entropy_loss(x, classes);
  }
  static Tensor Flatten(const Tensor& x) { return x.flatten(1); }
  class Sgd {
   public:
    Sgd(std::vector<Tensor> parameters, double rate) : sgd_(std::move(parameters), rate) {}
    void Step() { sgd_.step(); }
    void ZeroGrad() { sgd_.zero_grad(); }

   private:
    torch::optim::SGD sgd_;
  };
  static void Wait() {}
};

}  // namespace

int main() {
  torch::manual_seed(1);
  at::set_num_threads(1);
  at::set_num_interop_threads(1);
  twingrad::bench::CaseTable cases;
  twingrad::bench::HandBuilt<Libtorch>::AddTo(cases);
  twingrad::bench::Recorded<Libtorch>::AddTo(cases);
  twingrad::bench::Dense<Libtorch>::AddTo(cases);
  twingrad::bench::Networks<Libtorch>::AddTo(cases);
  twingrad::bench::Training<Libtorch>::AddTo(cases);
  return twingrad::bench::Serve(std::string("libtorch ") + TORCH_VERSION, cases);
}
