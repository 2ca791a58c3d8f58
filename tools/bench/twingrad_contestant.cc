// The benchmark's cases on this engine, through its C++ API.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/autograd.h"
#include "tools/bench/contestant.h"
#include "tools/bench/dense.h"
#include "tools/bench/hand_built.h"
#include "tools/bench/networks.h"
#include "tools/bench/recorded.h"
#include "tools/bench/training.h"
#include "tools/bench/twingrad_training.h"

namespace {

class PassThrough : public twingrad::Node {
 public:
  twingrad::VariableList Apply(twingrad::VariableList&& gradients) override {
    if (num_outputs() == 1) return std::move(gradients);
    return twingrad::VariableList(num_outputs(), gradients[0]);
  }
  std::string_view name() const override { return "PassThrough"; }
};

struct Twingrad {
  using Tensor = twingrad::Tensor;
  using Sizes = twingrad::Ints;
  using NodePtr = twingrad::NodePtr;

  static constexpr double kEps = 1e-5;  // of norms

  static Tensor One() { return Tensor::Ones({1}, twingrad::DType::kF64); }

  static NodePtr MakeNode() {
    static const Tensor one = One();
    NodePtr node = twingrad::MakeNode<PassThrough>();
    node->AddInput(one);
    return node;
  }
  static void AddEdge(const NodePtr& from, NodePtr to) {
    from->AddNextEdge(twingrad::Edge{std::move(to), 0});
  }
  static void Run(const NodePtr& root) {
    const twingrad::Edge edge{root, 0};
    twingrad::Engine::Default().Execute({edge}, {One()}, /*keep_graph=*/false,
                                        /*create_graph=*/false, /*accumulate_grad=*/true);
  }

  static Tensor Leaf(Sizes sizes) {
    return twingrad::Leaf(Tensor::Ones(sizes, twingrad::DType::kF64));
  }
  static Tensor Random(Sizes sizes, bool requires_grad) {
    static twingrad::Generator generator(1);
    Tensor x = twingrad::Uniform(sizes, -1, 1, generator, twingrad::DType::kF32);
    if (requires_grad) twingrad::SetRequiresGrad(x, true);
    return x;
  }

  static Tensor Add(const Tensor& a, const Tensor& b) { return twingrad::ops::Add(a, b); }
  static Tensor Mul(const Tensor& a, const Tensor& b) { return twingrad::ops::Mul(a, b); }
  static void AddInPlace(Tensor& a, const Tensor& b) { twingrad::ops::AddInPlace(a, b); }
  static Tensor Exp(const Tensor& a) { return twingrad::ops::Exp(a); }
  static Tensor Tanh(const Tensor& a) { return twingrad::ops::Tanh(a); }
  static Tensor Relu(const Tensor& a) { return twingrad::ops::Relu(a); }
  static Tensor Sum(const Tensor& a) { return twingrad::Sum(a); }
  static Tensor Transpose(const Tensor& a) { return twingrad::ops::Transpose(a, 0, 1); }
  static Tensor Expand(const Tensor& a, Sizes sizes) { return twingrad::ops::Expand(a, sizes); }
  static Tensor Addmm(const Tensor& c, const Tensor& a, const Tensor& b) {
    return twingrad::ops::Addmm(c, a, b);
  }

  static Tensor Linear(const Tensor& a, const Tensor& weight, const Tensor& bias) {
    return twingrad::ops::Linear(a, weight, bias);
  }
  static Tensor Attention(const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
    return twingrad::ops::ScaledDotProductAttention(q, k, v, causal);
  }
  static Tensor Einsum(const char* equation, const Tensor& a, const Tensor& b) {
    return twingrad::ops::Einsum({&a, &b}, equation);
  }
  static Tensor LayerNorm(const Tensor& a, const Tensor& weight, const Tensor& bias) {
    return twingrad::ops::LayerNorm(a, weight, bias, /*count=*/1, kEps);
  }
  static Tensor GroupNorm(const Tensor& a, const Tensor& weight, const Tensor& bias,
                          int64_t groups) {
    return twingrad::ops::GroupNorm(a, weight, bias, groups, kEps);
  }
  static Tensor BatchNorm(const Tensor& a, const Tensor& weight, const Tensor& bias) {
    return twingrad::ops::BatchNorm(a, weight, bias, kEps);
  }
  static Tensor Conv2d(const Tensor& x, const Tensor& w) {
    return twingrad::Conv2d(x, w, {.padding = {1, 1}});
  }
  static Tensor MaxPool2d(const Tensor& x) { return twingrad::MaxPool2d(x, {2, 2}); }
  static Tensor AvgPool2d(const Tensor& x) { return twingrad::AvgPool2d(x, {2, 2}); }
  static Tensor UpsampleNearest(const Tensor& x) {
    return twingrad::UpsampleNearest2d(x, Twice(x));
  }
  static Tensor UpsampleBilinear(const Tensor& x) {
    return twingrad::UpsampleBilinear2d(x, Twice(x));
  }

  static void Backward(const Tensor& y, bool keep_graph = false) {
    twingrad::Backward({y}, {}, {.retain_graph = keep_graph});
  }
  static void BackwardFrom(const Tensor& y, const Tensor& gradient) {
    twingrad::Backward({y}, {gradient});
  }
  static void BackwardOnThreads(const Tensor& y, int threads) {
    static twingrad::Engine one, two({.cpu_threads = 2});
    twingrad::Backward({y}, {}, {.retain_graph = true, .engine = threads == 1 ? &one : &two});
  }
  static Tensor Grad(const Tensor& y, const Tensor& x, bool create_graph) {
    return twingrad::Grad({y}, {x}, {}, {.create_graph = create_graph})[0];
  }
  static void ClearGrad(const Tensor& x) { twingrad::SetGrad(x, {}); }
  static void HookThatDoesNothing(const Tensor& y) {
    twingrad::RegisterHook(y, [](const Tensor&) {});
  }

 private:
  static std::vector<int64_t> Twice(const Tensor& x) {
    return {2 * x.sizes()[2], 2 * x.sizes()[3]};
  }
};

}  // namespace

int main() {
  twingrad::bench::CaseTable cases;
  twingrad::bench::HandBuilt<Twingrad>::AddTo(cases);
  twingrad::bench::Recorded<Twingrad>::AddTo(cases);
  twingrad::bench::Dense<Twingrad>::AddTo(cases);
  twingrad::bench::Networks<Twingrad>::AddTo(cases);
  twingrad::bench::Training<twingrad::bench::TwingradTraining>::AddTo(cases);
  return twingrad::bench::Serve("twingrad", cases);
}
