// What `instructions.py` counts the instructions of: each function below does one thing kNodes
// times, on a fixed graph. Does so in as many rounds as its argument says: what two take longer
// than one is the cost with warm memory. Prints the compiler and kNodes.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/autograd.h"
#include "autograd/engine/accumulate.h"
#include "autograd/engine/dependencies.h"
#include "autograd/engine/graph_task.h"
#include "autograd/engine/local_run.h"
#include "autograd/engine/ready_heap.h"

namespace {

using twingrad::Edge;
using twingrad::NodePtr;
using twingrad::Tensor;

constexpr uint32_t kNodes = 1000;

class PassThrough final : public twingrad::Node {
 public:
  twingrad::VariableList Apply(twingrad::VariableList&& gradients) override {
    return num_outputs() == 0 ? twingrad::VariableList() : std::move(gradients);
  }
  std::string_view name() const override { return "PassThrough"; }
};

Tensor One() { return Tensor::Ones({1}, twingrad::DType::kF64); }

// Nodes in a row, the last first.
NodePtr Chain() {
  NodePtr last;
  for (uint32_t i = 0; i < kNodes; ++i) {
    NodePtr node = twingrad::MakeNode<PassThrough>();
    node->AddInput(One());
    if (last != nullptr) node->AddNextEdge(Edge(std::move(last), 0));
    last = std::move(node);
  }
  return last;
}

}  // namespace

// By these names the counts are found; nothing of them may move into their callers.
#define COUNTED extern "C" __attribute__((noinline, noclone))

COUNTED void CountPush(twingrad::ReadyHeap& ready) {
  // Descending keys: each sifts.
  for (uint32_t i = 0; i < kNodes; ++i) ready.Push(kNodes - i, i);
}

COUNTED void CountPop(twingrad::ReadyHeap& ready) {
  while (!ready.IsEmpty()) ready.Pop();
}

COUNTED void CountClaim(twingrad::GraphTask& task) { twingrad::ComputeDependencies(task); }

COUNTED void CountDeliver(twingrad::LocalRun& run) { run.GoOn(); }

COUNTED void CountAccumulate(Tensor& sum, std::vector<Tensor>& gradients) {
  for (Tensor& gradient : gradients) twingrad::AddGradient(sum, std::move(gradient));
}

COUNTED void CountMul(Tensor& y, const Tensor& w) {
  for (uint32_t i = 0; i < kNodes; ++i) y = twingrad::ops::Mul(y, w);
}

namespace {

void Queue() {
  twingrad::ReadyHeap ready;
  CountPush(ready);
  CountPop(ready);
}

void Run() {
  const Edge root(Chain(), 0);
  const Tensor seed = One();
  twingrad::ExecuteArguments arguments;
  arguments.roots = {&root, 1};
  arguments.seeds = {&seed, 1};
  arguments.accumulate_grad = true;
  twingrad::GraphTask task(arguments, /*observer=*/nullptr);
  CountClaim(task);
  twingrad::LocalRun run(task);
  CountDeliver(run);
}

void Accumulate() {
  const twingrad::NoGradGuard no_grad;
  Tensor sum = One();
  std::vector<Tensor> gradients;
  for (uint32_t i = 0; i < kNodes; ++i) gradients.push_back(One());
  CountAccumulate(sum, gradients);
}

void Record() {
  const Tensor w = twingrad::Leaf(Tensor::Scalar(1));
  Tensor y = twingrad::Leaf(Tensor::Scalar(1));
  CountMul(y, w);
}

}  // namespace

int main(int /*argc*/, char** argv) {
  for (int rounds = std::atoi(argv[1]); rounds > 0; --rounds) {
    Queue();
    Run();
    Accumulate();
    Record();
  }
#if defined(__clang__)
  std::printf("clang %d %u\n", __clang_major__, kNodes);
#else
  std::printf("gcc %d %u\n", __GNUC__, kNodes);
#endif
}
