// Node-creation hooks over operations and whole runs: every node of every graph is seen once.

#include "autograd/graph/node_creation.h"

#include <cstdint>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/engine/engine.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/ops/ops.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

// Keeps what the hooks see: each node, and what it was like then.
class Seen {
 public:
  void Note(Node& node) AG_EXCLUDES(mutex_) {
    sync::MutexLock lock(mutex_);
    const auto [place, is_new] = nodes_.try_emplace(
        NodePtr(&node).get(), Shot{NodePtr(&node), node.num_outputs(), node.num_inputs()});
    EXPECT_TRUE(is_new) << node.name() << " is seen twice";
  }
  // Every node that those seen lead to is seen, and none has changed since.
  void CheckAll() AG_EXCLUDES(mutex_) {
    sync::MutexLock lock(mutex_);
    for (const auto& [node, shot] : nodes_) {
      EXPECT_EQ(node->num_outputs(), shot.num_outputs) << node->name();
      EXPECT_EQ(node->num_inputs(), shot.num_inputs) << node->name();
      EXPECT_GT(node->num_inputs(), 0u) << node->name();
      for (const Edge& edge : node->next_edges()) {
        if (!edge.is_valid()) continue;
        EXPECT_TRUE(nodes_.contains(edge.function.get()))
            << edge.function->name() << " below " << node->name() << " is not seen";
      }
    }
  }
  bool Has(const Tensor& tensor) AG_EXCLUDES(mutex_) {
    const GradientEdge edge(tensor);
    sync::MutexLock lock(mutex_);
    return nodes_.contains(edge.function.get());
  }
  size_t size() AG_EXCLUDES(mutex_) {
    sync::MutexLock lock(mutex_);
    return nodes_.size();
  }

 private:
  struct Shot {
    NodePtr node;
    uint32_t num_outputs;
    uint32_t num_inputs;
  };
  sync::Mutex mutex_;
  std::map<const Node*, Shot> nodes_ AG_GUARDED_BY(mutex_);
};

Tensor Matrix(bool requires_grad = true) {
  const Tensor m = Tensor::FromData<double>({2, 2}, {1, 2, 3, 4});
  SetRequiresGrad(m, requires_grad);
  return m;
}

Tensor Indices() { return Tensor::FromData<int64_t>({2, 2}, {0, 1, 1, 0}); }

// Operations that save nothing, operands and results; views; writes to tensors and to views.
std::vector<Tensor> SomeOfAllKinds(const Tensor& a, const Tensor& b) {
  std::vector<Tensor> made = {
      ops::Neg(a),
      ops::Exp(a),
      ops::Log(a),
      ops::Mul(a, b),
      ops::Pow(a, b),
      ops::Matmul(a, b),
      ops::Addmm(a, a, b),
      ops::Where(Tensor::Ones({2, 2}, DType::kBool), a, b),
      ops::Clamp(a, 0, 2),
      ops::Softmax(a, 0),
      ops::LogSoftmax(a, 0),
      ops::Logsumexp(a, {0}, false),
      ops::Gather(a, 0, Indices()),
      ops::ScatterAdd(a, 0, Indices(), b),
      ops::ScatterAdd(a, 0, Indices(), Matrix(false)),
      ops::Sort(a, 0, false),
      ops::MseLoss(a, b, ops::Reduction::kMean),
      ops::Sum(a, {}, false),
      ops::Prod(a, {}, false),
      ops::View(a, {4}),
      ops::Transpose(a, 0, 1),
      ops::To(a, Device::Sim(0)),
      ops::Clone(a),
  };
  Tensor written = ops::Clone(a);
  ops::ExpInPlace(written);
  ops::MulInPlace(written, b);
  const Tensor other_view = ops::Select(written, 0, 0);
  Tensor row = ops::Select(written, 0, 1);
  ops::ExpInPlace(row);
  ops::MulInPlace(row, ops::Select(b, 0, 0));
  ops::CopyInPlace(row, ops::Select(a, 0, 0));
  made.push_back(ops::Neg(other_view));
  ops::ZeroInPlace(row);
  made.push_back(written);
  return made;
}

// Rules: Q3.
TEST(NodeCreationOpsTest, EveryNodeOfOperationsIsSeenOnce) {
  Seen seen;
  NodeCreationHookGuard guard([&](Node& node) { seen.Note(node); });
  for (const Tensor& tensor : SomeOfAllKinds(Matrix(), Matrix())) {
    EXPECT_TRUE(seen.Has(tensor)) << GradientEdge(tensor).function->name();
  }
  seen.CheckAll();
}

// The parameter is the number of device threads.
class NodeCreationRunTest : public testing::TestWithParam<int> {
 protected:
  Engine engine_{{.device_threads = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(Threads, NodeCreationRunTest, testing::Values(0, 2));

// Rules: Q3.
TEST_P(NodeCreationRunTest, NodesMadeByACallAreSeenOnItsThreadsToo) {
  Seen seen;
  NodeCreationHookGuard guard([&](Node& node) { seen.Note(node); });
  const Tensor x = MakeLeaf(3);
  const Tensor moved = ops::To(x, Device::Sim(0));
  const Tensor y = ops::Add(ops::Mul(moved, ops::Exp(moved)), ops::Mul(moved, moved));
  RetainGrad(y);
  const size_t before = seen.size();
  Backward({y}, {}, {.create_graph = true, .engine = &engine_});
  EXPECT_TRUE(seen.Has(GradOf(x))) << ".grad is a result of the call";
  EXPECT_TRUE(seen.Has(GradOf(y)) || !RequiresGrad(GradOf(y)));
  const Tensor g = Grad({y}, {x}, {}, {.create_graph = true, .engine = &engine_})[0];
  EXPECT_TRUE(seen.Has(g));
  EXPECT_GT(seen.size(), before);
  const size_t after = seen.size();
  Backward({y}, {}, {.engine = &engine_});
  EXPECT_EQ(seen.size(), after) << "without create_graph nothing is made";
  seen.CheckAll();
  SetGrad(x, Tensor());  // breaks no cycle: the graph of .grad ends with it
}

// Rules: Q3.
TEST_P(NodeCreationRunTest, HooksBelongToTheThreadThatSetsThem) {
  Seen seen;
  NodeCreationHookGuard guard([&](Node& node) { seen.Note(node); });
  sync::Thread other("other", [&] {
    const Tensor x = MakeLeaf(3);
    Backward({ops::Mul(x, x)}, {}, {.create_graph = true, .engine = &engine_});
    SetGrad(x, Tensor());
  });
  other.Join();
  EXPECT_EQ(seen.size(), 0u);
}

}  // namespace
}  // namespace twingrad
