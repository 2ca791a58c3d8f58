// What a running call tells about itself, alike with and without workers.

#include "autograd/engine/current_task.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/engine/front_end.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/ops/ops.h"

namespace twingrad {
namespace {

// The parameter is the number of device threads.
class CurrentTaskTest : public testing::TestWithParam<int> {
 protected:
  // Runs `question` in a hook of y, in the midst of z = -(y y), y = x x.
  void Ask(const std::function<void()>& question, const BackwardOptions& options = {}) {
    RegisterHook(y, [question](const Tensor& gradient) {
      question();
      return gradient;
    });
    BackwardOptions with = options;
    with.engine = &engine_;
    Backward({z}, {}, with);
  }
  const Node* NodeOf(const Tensor& tensor) const { return GradientEdge(tensor).function.get(); }

  Engine engine_{{.device_threads = GetParam()}};
  Tensor x = MakeLeaf(3);
  Tensor y = ops::Mul(x, x);
  Tensor moved = ops::To(y, Device::Sim(1));
  Tensor z = ops::Neg(ops::Mul(moved, moved));
};

INSTANTIATE_TEST_SUITE_P(Threads, CurrentTaskTest, testing::Values(0, 2));

// Rules: D14.
TEST_P(CurrentTaskTest, EveryCallHasAnIdOfItsOwn) {
  EXPECT_EQ(CurrentTask::Id(), std::nullopt);
  std::set<uint64_t> ids;
  Ask([&] {
    ids.insert(CurrentTask::Id().value());
    const uint64_t outer = CurrentTask::Id().value();
    Tensor leaf = MakeLeaf(1);
    RegisterHook(leaf, [&](const Tensor& gradient) {
      ids.insert(CurrentTask::Id().value());
      return gradient;
    });
    Backward({leaf}, {}, {.engine = &engine_});
    EXPECT_EQ(CurrentTask::Id(), outer);
    Engine::QueueCallback([&, outer] { EXPECT_EQ(CurrentTask::Id(), outer); });
  });
  EXPECT_EQ(ids.size(), 2u);
  EXPECT_EQ(CurrentTask::Id(), std::nullopt);
}

// Rules: D15, Q9.
TEST_P(CurrentTaskTest, NodesAndOrderAreThoseOfOneThread) {
  std::vector<std::string> order;
  std::vector<NodePtr> nodes;
  bool keeps = false;
  Ask(
      [&] {
        for (const NodePtr& node : CurrentTask::ExecutionOrder()) order.emplace_back(node->name());
        nodes = CurrentTask::Nodes();
        keeps = CurrentTask::KeepsGraph();
      },
      {.retain_graph = true});
  EXPECT_TRUE(keeps);
  ASSERT_EQ(nodes.size(), 5u);
  EXPECT_EQ(nodes[0].get(), NodeOf(z));
  ASSERT_EQ(order.size(), 5u);
  EXPECT_EQ(order[0], nodes[0]->name());
  EXPECT_EQ(order[2], NodeOf(moved)->name());
  EXPECT_EQ(order[4], "AccumulateGrad");
}

// Rules: D15.
TEST_P(CurrentTaskTest, TellsWhatWillBeExecuted) {
  const Tensor other = MakeLeaf(1);
  int asked = 0;
  const auto ask = [&](bool of_y, bool of_x) {
    return [&, of_y, of_x] {
      ++asked;
      EXPECT_TRUE(CurrentTask::WillExecute(*NodeOf(z)));
      EXPECT_EQ(CurrentTask::WillExecute(*NodeOf(y)), of_y);
      EXPECT_EQ(CurrentTask::WillExecute(*NodeOf(x)), of_x);
      EXPECT_FALSE(CurrentTask::WillExecute(*NodeOf(other)));
      EXPECT_EQ(CurrentTask::ExecutionOrder().size(), 3u + of_y + of_x);
    };
  };
  Ask(ask(true, true), {.retain_graph = true});
  EXPECT_EQ(asked, 1);
  y = ops::Mul(x, x);
  moved = ops::To(y, Device::Sim(1));
  z = ops::Neg(ops::Mul(moved, moved));
  RegisterHook(y, [&](const Tensor& gradient) {
    ask(true, false)();  // the gradient of x is only captured
    return gradient;
  });
  Grad({z}, {x}, {}, {.retain_graph = true, .engine = &engine_});
  EXPECT_EQ(asked, 2);
}

// Rules: Q9.
TEST_P(CurrentTaskTest, ShowsWhatHasArrivedAtANode) {
  // Both lanes meet at `end`; the one made last runs first.
  NodePtr end = MakePass({}, Tensor::Scalar(0, DType::kF64, Device::Sim(0)));
  std::vector<double> seen;
  const auto lane = [&](double value) {
    return MakeFunction(
        [&, value](FunctionNode&, VariableList) {
          const Tensor sum = CurrentTask::InputBuffers(*end)[0];
          seen.push_back(sum.defined() ? sum.item<double>() : 0);
          return VariableList{Tensor::Scalar(value)};
        },
        {Edge(end, 0)});
  };
  NodePtr second = lane(20);
  NodePtr first = lane(1);
  const Tensor one = Tensor::Scalar(1);
  double captured = 0;
  RegisterPreHook(*end, [&](const VariableList& gradients) {
    captured = gradients[0].item<double>();
    EXPECT_FALSE(CurrentTask::InputBuffers(*end)[0].defined()) << "they were taken";
    return gradients;
  });
  engine_.Execute({Edge(first, 0), Edge(second, 0)}, {one, one}, false, false, true);
  EXPECT_EQ(seen, (std::vector<double>{0, 1}));
  EXPECT_EQ(captured, 21);
}

// Rules: D15, Q9.
TEST_P(CurrentTaskTest, QuestionsOutsideACallAreErrors) {
  EXPECT_EQ(KindOf([] { CurrentTask::KeepsGraph(); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([] { CurrentTask::Nodes(); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { CurrentTask::WillExecute(*NodeOf(x)); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([] { CurrentTask::ExecutionOrder(); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { CurrentTask::InputBuffers(*NodeOf(x)); }), ErrorKind::kInvalidArgument);
  const Tensor other = MakeLeaf(1);
  Ask([&] {
    EXPECT_EQ(KindOf([&] { CurrentTask::InputBuffers(*NodeOf(other)); }),
              ErrorKind::kInvalidArgument);
  });
}

}  // namespace
}  // namespace twingrad
