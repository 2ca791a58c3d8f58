// What a call takes along: the caller's modes to every thread that evaluates its nodes, to nested
// calls and fresh stacks; the current node; warnings back to the caller, in the order of one
// thread.

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/engine/engine.h"
#include "autograd/engine/front_end.h"
#include "autograd/engine/observer.h"
#include "autograd/graph/call_state.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/warning.h"
#include "autograd/ops/ops.h"

namespace twingrad {
namespace {

using ::testing::ElementsAre;

// The parameter is the number of device threads.
class ModesTest : public testing::TestWithParam<int> {
 protected:
  void Run(const std::vector<Edge>& roots) {
    std::vector<Tensor> seeds;
    for (const Edge& root : roots) seeds.push_back(On(root.function->device(), 1));
    engine_.Execute(roots, seeds, true, false, true);
  }

  // A node of each device that warns before and in its hook, made in the order of devices; the
  // last made runs first.
  std::vector<Edge> WarningLanes() {
    std::vector<Edge> lanes;
    for (uint8_t d = 0; d < 4; ++d) {
      NodePtr lane = MakeEnd([d](const VariableList&) { Warn("node " + std::to_string(d)); },
                             On(Device::Sim(d)));
      RegisterPreHook(*lane, [d](const VariableList& gradients) {
        Warn("hook " + std::to_string(d));
        return gradients;
      });
      lanes.emplace_back(std::move(lane), 0);
    }
    return lanes;
  }

  Engine engine_{{.device_threads = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(Threads, ModesTest, testing::Values(0, 1, 2, 4));

// Rules: E8, F10, G5.
TEST_P(ModesTest, WarningsReachTheCallerInTheOrderOfOneThread) {
  for (int round = 0; round < 25; ++round) {
    CollectedWarnings seen;
    WarningHandlerScope scope(seen);
    Run(WarningLanes());
    EXPECT_THAT(seen.Messages(), ElementsAre("hook 3", "node 3", "hook 2", "node 2", "hook 1",
                                             "node 1", "hook 0", "node 0"));
  }
}

// Rules: F10, G5.
TEST_P(ModesTest, WarningsOfAFailedCallAreReplayedBeforeItsError) {
  CollectedWarnings seen;
  WarningHandlerScope scope(seen);
  NodePtr failing = MakeEnd(
      [](const VariableList&) {
        Warn("odd");
        throw std::runtime_error("planned");
      },
      On(Device::Sim(1)));
  EXPECT_THROW(Run({Edge(failing, 0)}), std::runtime_error);
  EXPECT_THAT(seen.Messages(), ElementsAre("odd"));
}

// A handler that takes every warning for an error.
class StrictHandler final : public WarningHandler {
 public:
  void Handle(const Warning& warning) override { throw std::logic_error(warning.message); }
};

// Rules: G5.
TEST_P(ModesTest, AHandlerMayThrowAtTheEndOfTheCall) {
  StrictHandler strict;
  WarningHandlerScope scope(strict);
  Tensor x = MakeLeaf(3, Device::Sim(1));
  Tensor y = ops::Mul(x, x);
  RegisterHook(y, [](const Tensor& g) {
    Warn("odd");
    return g;
  });
  EXPECT_THROW(Backward({y}, {}, {.retain_graph = true, .engine = &engine_}), std::logic_error);
  // Every node has run.
  EXPECT_EQ(GradOf(x).item<double>(), 6);
  // The error of a call that failed stands.
  RegisterHook(y, [](const Tensor&) -> Tensor { throw std::runtime_error("planned"); });
  EXPECT_THROW(Backward({y}, {}, {.engine = &engine_}), std::runtime_error);
}

// Rules: G5, G6.
TEST_P(ModesTest, WarningsOfNestedCallsAndCallbacksComeInTheirPlace) {
  CollectedWarnings seen;
  WarningHandlerScope scope(seen);
  std::vector<Edge> roots = WarningLanes();
  NodePtr nesting = MakeEnd(
      [&](const VariableList&) {
        Engine::QueueCallback([] { Warn("callback"); });
        Warn("before");
        std::vector<Edge> inner = WarningLanes();
        inner.resize(2);
        Run(inner);
        Warn("after");
      },
      On(Device::Sim(5)));
  Run({roots[0], Edge(nesting, 0), roots[1]});
  EXPECT_THAT(seen.Messages(),
              ElementsAre("before", "hook 1", "node 1", "hook 0", "node 0", "after", "hook 1",
                          "node 1", "hook 0", "node 0", "callback"));
}

// Rules: C10.
TEST_P(ModesTest, TheCurrentNodeIsKnownInNodesAndHooks) {
  EXPECT_EQ(CurrentNode(), nullptr);
  const Node* in_node = nullptr;
  const Node* in_inner = nullptr;
  const Node* after_inner = nullptr;
  const Node* in_hook = nullptr;
  const Node* in_callback = nullptr;
  NodePtr inner = MakeEnd([&](const VariableList&) { in_inner = CurrentNode(); });
  NodePtr outer = MakeEnd(
      [&](const VariableList&) {
        in_node = CurrentNode();
        Run({Edge(inner, 0)});
        after_inner = CurrentNode();
        Engine::QueueCallback([&] { in_callback = CurrentNode(); });
      },
      On(Device::Sim(2)));
  RegisterPreHook(*outer, [&](const VariableList& gradients) {
    in_hook = CurrentNode();
    return gradients;
  });
  Run({Edge(outer, 0)});
  EXPECT_EQ(in_node, outer.get());
  EXPECT_EQ(in_hook, outer.get());
  EXPECT_EQ(in_inner, inner.get());
  EXPECT_EQ(after_inner, outer.get());
  EXPECT_EQ(in_callback, nullptr);
  EXPECT_EQ(CurrentNode(), nullptr);
}

// The modes of the caller, but for grad mode, are those of every evaluation and callback.
// Rules: E12, G3, G6, G7, N3.
TEST_P(ModesTest, ModesGoToWorkersNestedCallsFreshStacksAndCallbacks) {
  constexpr int kLevels = 130;  // two fresh stacks
  Modes modes;
  modes.anomaly = true;
  modes.check_nan = false;
  int level = 0;
  int seen = 0;
  const auto look = [&] {
    const Modes& here = CurrentThread().modes;
    if (here.anomaly && !here.check_nan && !here.grad_mode) ++seen;
  };
  std::function<void()> dive = [&] {
    look();
    if (++level == kLevels) return;
    NodePtr node = MakeEnd(
        [&](const VariableList&) {
          dive();
          Engine::QueueCallback(look);
        },
        On(Device::Sim(static_cast<uint8_t>(level % 3))));
    Run({Edge(node, 0)});
  };
  NodePtr first = MakeEnd([&](const VariableList&) { dive(); }, On(Device::Sim(1)));
  {
    ModesScope scope(modes);
    Run({Edge(first, 0)});
    EXPECT_TRUE(CurrentThread().modes.grad_mode);
  }
  EXPECT_EQ(seen, kLevels + kLevels - 1);
  EXPECT_FALSE(CurrentThread().modes.anomaly);
}

// Rules: G3.
TEST_P(ModesTest, CallbacksRunOnTheThreadThatCalls) {
  EXPECT_TRUE(GradMode::IsEnabled());
  for (const bool create_graph : {false, true}) {
    uint64_t* caller_key = &CurrentThread().next_order_key;
    int calls = 0;
    NodePtr node = MakeEnd(
        [&](const VariableList&) {
          Engine::QueueCallback([&] {
            ++calls;
            EXPECT_EQ(&CurrentThread().next_order_key, caller_key);
            EXPECT_EQ(GradMode::IsEnabled(), create_graph);
          });
        },
        On(Device::Sim(1)));
    engine_.Execute({Edge(node, 0)}, {On(Device::Sim(1), 1)}, false, create_graph, true);
    EXPECT_EQ(calls, 1);
  }
}

// Rules: G6.
TEST_P(ModesTest, ValuesOfTheUserGoAlong) {
  CallState<int> level;
  CallState<std::string> request;
  EXPECT_EQ(level.Find(), nullptr);
  std::vector<std::string> seen;
  const auto look = [&](const std::string& where) {
    seen.push_back(where + " " + *request.Find() + std::to_string(*level.Find()));
  };
  NodePtr inner = MakeEnd([&](const VariableList&) { look("nested"); });
  NodePtr outer = MakeEnd(
      [&](const VariableList&) {
        look("node");
        const CallStateScope deeper(level, 2);
        Run({Edge(inner, 0)});
        Engine::QueueCallback([&] { look("callback"); });
      },
      On(Device::Sim(2)));
  {
    const CallStateScope scope(request, std::string("r"));
    const CallStateScope first(level, 1);
    Run({Edge(outer, 0)});
  }
  EXPECT_THAT(seen, ElementsAre("node r1", "nested r2", "callback r1"));
  EXPECT_EQ(level.Find(), nullptr);
}

// Rules: D1.
TEST_P(ModesTest, TheStepsOfACallComeInOrder) {
  std::string steps;
  class Teller final : public WarningHandler {
   public:
    explicit Teller(std::string& steps) : steps_(steps) {}
    void Handle(const Warning& warning) override { steps_ += " " + warning.message; }

   private:
    std::string& steps_;
  } teller(steps);
  WarningHandlerScope scope(teller);
  class Watch final : public EngineObserver {
   public:
    explicit Watch(std::string& steps) : steps_(steps) {}
    void OnGraphReady(GraphView graph) override {
      steps_ += " counted" + std::to_string(graph.dependencies.size());
      steps_ += graph.needed.empty() ? "" : " marked";
    }
    void OnEvaluate(const Evaluation&, bool) override { steps_ += " run"; }

   private:
    std::string& steps_;
  } watch(steps);
  Engine engine({.device_threads = GetParam(), .observer = &watch});
  NodePtr node = MakeFunction(
      [&](FunctionNode&, VariableList gradients) {
        Warn("warning");
        Engine::QueueCallback([&] { steps += " callback"; });
        return gradients;
      },
      {GradientEdge(MakeLeaf(1))}, On(Device::Sim(1)));
  const Edge root(node, 0);
  const Edge output = node->next_edge(0);
  // A seed that does not fit ends the call before anything is done.
  const Tensor wrong = Tensor::Zeros({2}, DType::kBool);
  EXPECT_EQ(KindOf([&] { engine.Execute({root}, {wrong}, false, false, false, {output}); }),
            ErrorKind::kDType);
  EXPECT_EQ(steps, "");
  const VariableList results =
      engine.Execute({root}, {On(Device::Sim(1), 1)}, false, false, false, {output});
  steps += results[0].defined() ? " results" : "";
  EXPECT_EQ(steps, " counted2 marked run run callback warning results");
}

}  // namespace
}  // namespace twingrad
