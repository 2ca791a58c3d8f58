// Whole runs, alike with and without workers: order, captures, hooks, errors, nesting, callbacks,
// stop.

#include "autograd/engine/engine.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/engine/front_end.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"
#include "autograd/ops/ops.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

// The parameter is the number of device threads.
class EngineTest : public testing::TestWithParam<int> {
 protected:
  VariableList Run(const std::vector<Edge>& roots, const std::vector<Tensor>& seeds,
                   const std::vector<Edge>& outputs = {}, bool accumulate = true) {
    return engine_.Execute(roots, seeds, true, false, accumulate, outputs);
  }

  Engine engine_{{.device_threads = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(Threads, EngineTest, testing::Values(0, 1, 2, 4));

// Rules: T1.
TEST_P(EngineTest, ContributionsOfThreeDevicesAreAddedInTheOrderOfOneThread) {
  // 1e8, 1 and -1e8 in f32 give 0 in this order and 1 in others.
  for (int round = 0; round < 50; ++round) {
    Tensor x = Tensor::Scalar(1, DType::kF32);
    SetRequiresGrad(x, true);
    std::vector<Tensor> lanes;
    const double factors[] = {-1e8, 1, 1e8};  // the last made runs first
    Tensor total = Tensor::Scalar(0, DType::kF32);
    for (int i = 0; i < 3; ++i) {
      const Device device = Device::Sim(static_cast<uint8_t>(i));
      Tensor lane = ops::Mul(ops::To(x, device), Tensor::Scalar(factors[i], DType::kF32, device));
      total = ops::Add(total, ops::To(lane, Device::Cpu()));
    }
    Backward({total}, {}, {.engine = &engine_});
    EXPECT_EQ(GradOf(x).item<float>(), 0.0f);
  }
}

// Rules: D13, E8, T4.
TEST_P(EngineTest, EveryNodeRunsOnceAfterAllItsProducers) {
  sync::Mutex mutex;
  std::string log;
  auto logged = [&](char name, Device device, const std::vector<Edge>& edges) {
    return MakeFunction(
        [&, name](FunctionNode& node, VariableList g) {
          sync::MutexLock lock(mutex);
          log += name;
          return VariableList(node.num_outputs(), g[0]);
        },
        edges, On(device));
  };
  NodePtr d = logged('d', Device::Cpu(), {});
  NodePtr c = logged('c', Device::Cpu(), {Edge(d, 0)});
  NodePtr b = logged('b', Device::Cpu(), {Edge(c, 0), Edge(d, 0)});
  NodePtr a = logged('a', Device::Cpu(), {Edge(d, 0), Edge(b, 0), Edge(c, 0)});
  Run({Edge(a, 0)}, {Tensor::Scalar(1)});
  EXPECT_EQ(log, "abcd");
}

// Rules: H10.
TEST_P(EngineTest, UndefinedGradientsStillRunTheirNodes) {
  int calls = 0;
  const auto end = [&](const VariableList& g) {
    ++calls;
    EXPECT_FALSE(g[0].defined());
  };
  NodePtr last = MakeEnd(end, On(Device::Sim(0)));
  NodePtr root =
      MakeFunction([](FunctionNode&, VariableList) { return VariableList(1); }, {Edge(last, 0)});
  Run({Edge(root, 0)}, {Tensor::Scalar(1)});
  EXPECT_EQ(calls, 1);
}

// Rules: D9, D11, H2.
TEST_P(EngineTest, CapturesSeeTensorHooksAndNodesBelowAreNotRun) {
  Tensor x = MakeLeaf(2);
  Tensor y = ops::Mul(x, x);
  Tensor z = ops::Mul(y, y);
  RegisterHook(y, [](const Tensor& g) { return Tensor::Scalar(g.item<double>() * 100); });
  VariableList one = Grad({z}, {y}, {}, {.retain_graph = true, .engine = &engine_});
  EXPECT_EQ(one[0].item<double>(), 800);
  VariableList two = Grad({z}, {y, x}, {}, {.retain_graph = true, .engine = &engine_});
  EXPECT_EQ(two[0].item<double>(), 800);
  EXPECT_EQ(two[1].item<double>(), 3200);
  EXPECT_FALSE(GradOf(x).defined());
}

// Edges change while a call runs: an error, whatever they lead to, and the engine stays usable.
// Rules: D13.
TEST_P(EngineTest, EdgesThatAreAddedDuringACallAreAnError) {
  for (const bool leads_outside : {true, false}) {
    NodePtr end = MakePass({}, On(Device::Sim(1)));
    NodePtr stranger = MakePass({}, On(Device::Sim(1)));
    NodePtr middle = MakePass({Edge(end, 0)}, On(Device::Sim(1)));
    NodePtr root = MakePass({Edge(middle, 0)}, On(Device::Sim(0)));
    RegisterPreHook(*root, [&](const VariableList& gradients) {
      root->AddNextEdge(Edge(leads_outside ? stranger : middle, 0));
      return gradients;
    });
    const Edge start(root, 0);
    EXPECT_EQ(KindOf([&] { Run({start}, {On(Device::Sim(0), 1)}); }), ErrorKind::kInvalidArgument);
    NodePtr replaced = MakePass({Edge(middle, 0)}, On(Device::Sim(0)));
    RegisterPreHook(*replaced, [&](const VariableList& gradients) {
      replaced->SetNextEdge(0, Edge(leads_outside ? stranger : end, 0));
      return gradients;
    });
    EXPECT_EQ(KindOf([&] { Run({Edge(replaced, 0)}, {On(Device::Sim(0), 1)}); }),
              leads_outside ? ErrorKind::kInvalidArgument : ErrorKind::kInternal);
    Tensor canary = MakeLeaf(3);
    Backward({ops::Mul(canary, canary)}, {}, {.engine = &engine_});
    EXPECT_EQ(GradOf(canary).item<double>(), 6);
  }
}

// Rules: E6, F4.
TEST_P(EngineTest, AnErrorReachesTheCallerAndTheEngineStaysUsable) {
  for (int round = 0; round < 30; ++round) {
    Tensor x = MakeLeaf(1);
    std::vector<Edge> lanes;
    for (uint8_t d = 0; d < 4; ++d) {
      NodePtr lane = MakeFunction(
          [d](FunctionNode&, VariableList g) {
            if (d == 2) throw std::runtime_error("planned");
            return g;
          },
          {GradientEdge(x)}, On(Device::Sim(d)));
      const auto one = [d](FunctionNode&, VariableList) {
        return VariableList{On(Device::Sim(d), 1)};
      };
      lanes.emplace_back(MakeFunction(one, {Edge(lane, 0)}), 0);
    }
    // The last lane returns a scalar of its device for a CPU leaf, which is moved.
    EXPECT_THROW(Run(lanes, std::vector<Tensor>(4, Tensor::Scalar(1))), std::runtime_error);
    EXPECT_FALSE(GradOf(x).defined());
    Tensor canary = MakeLeaf(3);
    Backward({ops::Mul(canary, canary)}, {}, {.engine = &engine_});
    EXPECT_EQ(GradOf(canary).item<double>(), 6);
  }
}

// Rules: E6.
TEST_P(EngineTest, NestedCallsOverTheNodesOfTheirParent) {
  Tensor x = MakeLeaf(2);
  Tensor y = ops::Mul(x, x);
  Tensor z = ops::Mul(y, y);
  Tensor moved = ops::To(z, Device::Sim(0));
  double inner = 0;
  RegisterHook(z, [&](const Tensor& g) {
    // While the outer call holds them, the same nodes run in an inner one.
    inner = Grad({y}, {x}, {}, {.retain_graph = true, .engine = &engine_})[0].item<double>();
    return g;
  });
  Backward({moved}, {}, {.engine = &engine_});
  EXPECT_EQ(inner, 4);
  EXPECT_EQ(GradOf(x).item<double>(), 32);
}

// Rules: E11, E12, G7.
TEST_P(EngineTest, DeepNestingGoesOnOnFreshStacks) {
  int depth = 0;
  std::function<void()> dive = [&] {
    if (++depth == 1000) return;
    NodePtr node = MakeEnd([&](const VariableList&) { dive(); }, On(Device::Sim(0)));
    Run({Edge(node, 0)}, {On(Device::Sim(0), 1)});
  };
  const uint64_t key = NextOrderKey();
  dive();
  EXPECT_EQ(depth, 1000);
  EXPECT_GE(NextOrderKey(), key);
}

// Rules: G1, G3, Q8.
TEST_P(EngineTest, CallbacksRunOnceAfterAllNodesOnTheCallersThread) {
  EXPECT_EQ(KindOf([] { Engine::QueueCallback([] {}); }), ErrorKind::kInvalidArgument);
  std::string log;
  NodePtr empty = MakeEnd([](const VariableList&) { Engine::QueueCallback(nullptr); });
  EXPECT_EQ(KindOf([&] { Run({Edge(empty, 0)}, {Tensor::Scalar(1)}); }),
            ErrorKind::kInvalidArgument);
  NodePtr last = MakeEnd([&](const VariableList&) { log += "n"; });
  NodePtr root = MakeFunction(
      [&](FunctionNode&, VariableList g) {
        Engine::QueueCallback([&] { log += "c"; });
        return VariableList{Tensor::Scalar(g[0].item<double>())};
      },
      {Edge(last, 0)}, On(Device::Sim(1)));
  Run({Edge(root, 0)}, {On(Device::Sim(1), 1)});
  EXPECT_EQ(log, "nc");
}

// Rules: H8.
TEST_P(EngineTest, APostHookThatIsRegisteredWhileItsNodeRunsWaitsForTheNextCall) {
  int before = 0, during = 0;
  NodePtr node = MakeFunction(
      [&](FunctionNode& self, const VariableList&) {
        RegisterPostHook(self, [&](const VariableList&, const VariableList&) { ++during; });
        return VariableList();
      },
      {});
  RegisterPostHook(*node, [&](const VariableList&, const VariableList&) { ++before; });
  Run({Edge(node, 0)}, {Tensor::Scalar(1)});
  EXPECT_EQ(before, 1);
  EXPECT_EQ(during, 0);
  Run({Edge(node, 0)}, {Tensor::Scalar(1)});
  EXPECT_EQ(before, 2);
  EXPECT_EQ(during, 1);
}

// Rules: G4.
TEST_P(EngineTest, CallbacksOfANestedCallRunAtItsEnd) {
  Tensor x = MakeLeaf(3);
  Tensor y = ops::Mul(x, x);
  std::string log;
  RegisterHook(y, [&](const Tensor& gradient) {
    Engine::QueueCallback([&] { log += "o"; });
    Tensor inner = MakeLeaf(2);
    Tensor z = [&] {
      GradModeGuard recording(true);
      return ops::Mul(inner, inner);
    }();
    RegisterHook(z, [&](const Tensor& g) {
      Engine::QueueCallback([&] { log += "i"; });
      return g;
    });
    Backward({z}, {}, {.engine = &engine_});
    log += "h";
    return gradient;
  });
  Backward({y}, {}, {.engine = &engine_});
  EXPECT_EQ(log, "iho");
}

// Rules: F7.
TEST_P(EngineTest, AnErrorOfANestedCallMayBeCaught) {
  Tensor x = MakeLeaf(3, Device::Sim(1));
  Tensor y = ops::Mul(x, x);
  int caught = 0;
  RegisterHook(y, [&](const Tensor& gradient) {
    NodePtr failing = MakeEnd([](const VariableList&) { throw std::runtime_error("inner"); });
    try {
      Run({Edge(failing, 0)}, {Tensor::Scalar(1)});
    } catch (const std::runtime_error&) {
      ++caught;
    }
    return gradient;
  });
  Backward({y}, {}, {.engine = &engine_});
  EXPECT_EQ(caught, 1);
  EXPECT_EQ(GradOf(x).item<double>(), 6);
}

// Rules: F8.
TEST_P(EngineTest, AFailedNodeKeepsCallbacksFromRunning) {
  NodePtr failing = MakeEnd([](const VariableList&) { throw std::runtime_error("node"); });
  int calls = 0;
  NodePtr root = MakeFunction(
      [&](FunctionNode&, VariableList g) {
        Engine::QueueCallback([&] { ++calls; });
        return g;
      },
      {Edge(failing, 0)}, On(Device::Sim(1)));
  EXPECT_THROW(Run({Edge(root, 0)}, {On(Device::Sim(1), 1)}), std::runtime_error);
  EXPECT_EQ(calls, 0);
}

// Rules: F8.
TEST_P(EngineTest, ACallbackThatThrowsEndsTheCallAndStopsTheRest) {
  Tensor x = MakeLeaf(3, Device::Sim(1));
  Tensor y = ops::Mul(x, x);
  std::string log;
  RegisterHook(y, [&](const Tensor& gradient) {
    Engine::QueueCallback([&] { log += "a"; });
    Engine::QueueCallback([] { throw std::runtime_error("callback"); });
    Engine::QueueCallback([&] { log += "b"; });
    return gradient;
  });
  EXPECT_THROW(Backward({y}, {}, {.engine = &engine_}), std::runtime_error);
  EXPECT_EQ(log, "a");
  EXPECT_EQ(GradOf(x).item<double>(), 6);
}

// Rules: E14.
TEST_P(EngineTest, AStoppedEngineRunsOnItsCallers) {
  engine_.Stop();
  engine_.Stop();
  Tensor x = MakeLeaf(3, Device::Sim(1));
  Backward({ops::Mul(x, x)}, {}, {.engine = &engine_});
  EXPECT_EQ(GradOf(x).item<double>(), 6);
  NodePtr node = MakeEnd([&](const VariableList&) {
    EXPECT_EQ(KindOf([&] { engine_.Stop(); }), ErrorKind::kInvalidArgument);
  });
  Run({Edge(node, 0)}, {Tensor::Scalar(1)});
}

// Rules: G6, H14, N4.
TEST_P(EngineTest, GradModeInsideIsCreateGraphAndIsRestored) {
  for (bool create_graph : {false, true}) {
    const auto end = [&](const VariableList&) { EXPECT_EQ(GradMode::IsEnabled(), create_graph); };
    NodePtr node = MakeEnd(end, On(Device::Sim(0)));
    engine_.Execute({Edge(node, 0)}, {On(Device::Sim(0), 1)}, false, create_graph, true);
    EXPECT_TRUE(GradMode::IsEnabled());
  }
}

// Rules: B10, H, H7.
TEST_P(EngineTest, PostHooksAndPreHooksRunAroundTheNode) {
  std::string log;
  Tensor x = MakeLeaf(2);
  Tensor y = ops::Mul(x, x);
  NodePtr node = GradientEdge(y).function;
  RegisterPreHook(*node, [&](const VariableList& g) {
    log += "p";
    return VariableList{Tensor::Scalar(g[0].item<double>() * 10)};
  });
  RegisterHook(y, [&](const Tensor& g) {
    log += "t";
    return g;
  });
  RetainGrad(y);
  RegisterPostHook(*node, [&](VariableList results, const VariableList& gradients) {
    log += "q";
    EXPECT_EQ(gradients[0].item<double>(), 10);
    return results;
  });
  Backward({y}, {}, {.engine = &engine_});
  EXPECT_EQ(log, "tpq");
  EXPECT_EQ(GradOf(y).item<double>(), 10);
  EXPECT_EQ(GradOf(x).item<double>(), 40);
}

// The second derivative's bits must not depend on threads either.
// Rules: N5, T5.
TEST_P(EngineTest, ASecondBackwardThroughAGraphOfManyDevicesHasTheBitsOfOneThread) {
  auto second = [](Engine& engine) {
    Tensor x = Tensor::Scalar(1.25, DType::kF32);
    SetRequiresGrad(x, true);
    Tensor total = Tensor::Scalar(0, DType::kF32);
    for (int i = 0; i < 6; ++i) {
      const Device device = Device::Sim(static_cast<uint8_t>(i % 3));
      Tensor lane = ops::To(x, device);
      Tensor factor = Tensor::Scalar(i % 2 == 0 ? 1e7 * (i + 1) : 1.37 * i, DType::kF32, device);
      lane = ops::Mul(ops::Mul(lane, lane), ops::Mul(lane, factor));
      total = ops::Add(total, ops::To(lane, Device::Cpu()));
    }
    VariableList first = Grad({total}, {x}, {}, {.create_graph = true, .engine = &engine});
    VariableList result = Grad({first[0]}, {x}, {}, {.create_graph = true, .engine = &engine});
    return result[0].item<float>();
  };
  Engine alone;
  const float expected = second(alone);
  for (int round = 0; round < 20; ++round) EXPECT_EQ(second(engine_), expected);
}

class Recorder final : public EngineObserver {
 public:
  void OnGraphReady(GraphView graph) override { views.push_back(std::move(graph)); }
  void OnEvaluate(const Evaluation& evaluation, bool applied) override {
    sync::MutexLock lock(mutex);
    const GraphView& view = views.back();
    EXPECT_EQ(evaluation.task, view.task);
    EXPECT_EQ(view.nodes[view.places[evaluation.number]], &evaluation.node);
    names.push_back(std::string(evaluation.node.name()) + (applied ? "" : "?"));
  }
  sync::Mutex mutex;
  std::vector<GraphView> views;
  std::vector<std::string> names;
};

// Rules: D1.
TEST(EngineObserverTest, SeesCountsAndOrder) {
  Recorder recorder;
  Engine engine({.device_threads = 0, .observer = &recorder});
  Tensor x = MakeLeaf(2);
  Tensor y = ops::Mul(x, x);
  Grad({ops::Neg(y)}, {x}, {}, {.engine = &engine});
  ASSERT_EQ(recorder.views.size(), 1u);
  const GraphView& view = recorder.views[0];
  ASSERT_EQ(view.nodes.size(), 3u);
  EXPECT_EQ(view.dependencies, (std::vector<int32_t>{-1, 1, 2}));
  EXPECT_EQ(view.needed, (std::vector<bool>{true, true, false}));
  ASSERT_EQ(recorder.names.size(), 3u);
  EXPECT_EQ(recorder.names[2], "AccumulateGrad?");
}

// Rules: A19.
TEST(EngineArgumentsTest, EdgesToInputsThatANodeDoesNotHaveAreErrors) {
  Engine engine;
  NodePtr node = MakePass({});
  const Tensor one = Tensor::Scalar(1);
  EXPECT_EQ(KindOf([&] { engine.Execute({Edge(node, 1)}, {one}, false, false, true); }),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(
      KindOf([&] { engine.Execute({Edge(node, 0)}, {one}, false, false, false, {Edge(node, 7)}); }),
      ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] {
              engine.Execute({Edge(node, 0)}, {one, one}, false, false, true);
            }),
            ErrorKind::kGradCount);
  engine.Execute({Edge()}, {one}, false, false, true);  // a root without graph: nothing to do
}

// Rules: E5, E14.
TEST(EngineOptionsTest, NumbersOfThreadsAreChecked) {
  EXPECT_EQ(KindOf([] { Engine engine({.device_threads = -1}); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([] { Engine engine({.device_threads = 1000}); }), ErrorKind::kInvalidArgument);
}

// Its destructor runs a task when the thread's locals are gone.
struct LateCaller {
  Engine* engine;
  Tensor x = MakeLeaf(3);
  ~LateCaller() {
    Tensor there_and_back = ops::To(ops::To(x, Device::Sim(0)), Device::Cpu());
    Backward({ops::Mul(x, there_and_back)}, {}, {.engine = engine});
    std::fprintf(stderr, "late gradient %g\n", GradOf(x).item<double>());
  }
};

TEST(EngineDeathTest, DestructorsOfStaticObjectsMayCall) {
  for (const int device_threads : {0, 2}) {
    const auto call_late = [device_threads] {
      static LateCaller caller{new Engine({.device_threads = device_threads})};
      Backward({ops::Mul(caller.x, caller.x)});
      std::exit(0);
    };
    EXPECT_EXIT(call_late(), testing::ExitedWithCode(0), "late gradient 12\n");
  }
}

}  // namespace
}  // namespace twingrad
