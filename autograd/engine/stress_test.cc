// Many callers, devices and errors at once. Meant for ThreadSanitizer; right results are checked
// too.
//
//   bazel test --config=tsan //autograd/engine:stress_test
//   bazel run //autograd/engine:stress_test_large         # the same graph by two threads, at size
//
// Values are small integers, so that sums are exact in any order. Options: --rounds=N --nodes=N.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/engine/front_end.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/ops/ops.h"

namespace twingrad {
namespace {

int rounds = 40;
int nodes = 2000;

constexpr int kCallers = 4;
constexpr int kDevices = 4;

Device DeviceOf(int i) { return Device::Sim(static_cast<uint8_t>(i % kDevices)); }

Tensor Constant(double value, Device device) { return Tensor::Scalar(value, DType::kF64, device); }

// Runs `body(caller)` on kCallers threads and waits for them.
template <class Body>
void OnCallers(const Body& body) {
  std::vector<std::thread> threads;
  for (int caller = 0; caller < kCallers; ++caller) threads.emplace_back(body, caller);
  for (std::thread& thread : threads) thread.join();
}

// A subgraph that all callers use: sum over devices of x^2, each on its device. d/dx = 2 x devices.
struct SharedGraph {
  Tensor x = MakeLeaf(3);
  std::vector<Tensor> lanes;
  SharedGraph() {
    for (int d = 0; d < kDevices; ++d) {
      Tensor lane = ops::To(x, DeviceOf(d));
      lanes.push_back(ops::Mul(lane, lane));
    }
  }
};

// Rules: E13.
TEST(StressTest, CallersOverSharedSubgraphs) {
  Engine engine({.device_threads = kDevices});
  SharedGraph shared;
  std::vector<double> own_sums(kCallers);
  OnCallers([&](int caller) {
    Tensor own = MakeLeaf(caller + 1);
    for (int round = 0; round < rounds; ++round) {
      // Twice each lane, scaled by a leaf of the caller: d/d own = 9 * devices.
      Tensor total = Tensor::Scalar(0);
      for (int d = 0; d < kDevices; ++d) {
        Tensor scaled = ops::Mul(shared.lanes[d], ops::To(own, DeviceOf(d)));
        total = ops::Add(total, ops::To(scaled, Device::Cpu()));
      }
      Backward({total}, {}, {.retain_graph = true, .engine = &engine});
    }
    own_sums[caller] = GradOf(own).item<double>();
  });
  double factor = 0;
  for (int caller = 0; caller < kCallers; ++caller) {
    EXPECT_EQ(own_sums[caller], 9.0 * kDevices * rounds);
    factor += caller + 1;
  }
  EXPECT_EQ(GradOf(shared.x).item<double>(), 6.0 * kDevices * factor * rounds);
}

// Rules: E9.
TEST(StressTest, NestedCallsOverTheNodesOfTheirParents) {
  Engine engine({.device_threads = kDevices});
  SharedGraph shared;
  std::atomic<int> nested{0};
  OnCallers([&](int) {
    for (int round = 0; round < rounds; ++round) {
      std::vector<Tensor> roots;
      for (int d = 0; d < kDevices; ++d) {
        Tensor top = ops::Mul(shared.lanes[d], Constant(1, DeviceOf(d)));
        // While the outer call holds the nodes of the lane, an inner one runs them.
        RegisterHook(top, [&, d](const Tensor& g) {
          VariableList inner =
              Grad({shared.lanes[d]}, {shared.x}, {},
                   {.retain_graph = true, .create_graph = d % 2 == 0, .engine = &engine});
          EXPECT_EQ(inner[0].item<double>(), 6);
          nested.fetch_add(1);
          return g;
        });
        roots.push_back(top);
      }
      Backward(roots, {}, {.retain_graph = true, .engine = &engine});
    }
  });
  EXPECT_EQ(nested.load(), kCallers * rounds * kDevices);
  EXPECT_EQ(GradOf(shared.x).item<double>(), 6.0 * kDevices * kCallers * rounds);
}

TEST(StressTest, CreateGraphOverSharedSubgraphs) {
  Engine engine({.device_threads = kDevices});
  SharedGraph shared;
  OnCallers([&](int) {
    for (int round = 0; round < rounds; ++round) {
      Tensor total = Tensor::Scalar(0);
      for (const Tensor& lane : shared.lanes) {
        total = ops::Add(total, ops::To(ops::Mul(lane, lane), Device::Cpu()));  // x^4 a lane
      }
      VariableList first = Grad({total}, {shared.x}, {}, {.create_graph = true, .engine = &engine});
      EXPECT_EQ(first[0].item<double>(), 4.0 * 27 * kDevices);
      VariableList second =
          Grad({first[0]}, {shared.x}, {}, {.retain_graph = true, .engine = &engine});
      EXPECT_EQ(second[0].item<double>(), 12.0 * 9 * kDevices);
    }
  });
}

// Rules: F6.
TEST(StressTest, ErrorsOfSomeLeaveOthersAloneAndFreezeTheirOwn) {
  Engine engine({.device_threads = kDevices});
  SharedGraph shared;
  OnCallers([&](int caller) {
    for (int round = 0; round < rounds; ++round) {
      std::vector<Tensor> leaves;
      std::vector<Tensor> roots;
      for (int d = 0; d < kDevices; ++d) {
        leaves.push_back(MakeLeaf(2, DeviceOf(d)));
        Tensor y = ops::Mul(leaves.back(), leaves.back());
        if (caller % 2 == 0 && d == round % kDevices) {
          RegisterHook(y, [](const Tensor&) -> Tensor { throw std::runtime_error("planned"); });
        }
        roots.push_back(ops::Mul(y, Constant(1, DeviceOf(d))));
        roots.push_back(shared.lanes[d]);
      }
      bool failed = false;
      try {
        Backward(roots, {}, {.retain_graph = true, .engine = &engine});
      } catch (const std::runtime_error&) {
        failed = true;
      }
      EXPECT_EQ(failed, caller % 2 == 0);
      std::vector<bool> had_grad;
      for (const Tensor& leaf : leaves) had_grad.push_back(GradOf(leaf).defined());
      std::this_thread::yield();
      for (size_t i = 0; i < leaves.size(); ++i) {
        const Tensor grad = GradOf(leaves[i]);
        EXPECT_EQ(grad.defined(), had_grad[i]);  // frozen
        if (grad.defined()) {
          EXPECT_EQ(grad.item<double>(), 4);
        }
        if (!failed) {
          EXPECT_TRUE(grad.defined());
        }
      }
    }
  });
}

// Rules: K5.
TEST(StressTest, ReleasingAGraphThatOthersRunIsAnErrorForThem) {
  Engine engine({.device_threads = kDevices});
  for (int round = 0; round < rounds; ++round) {
    SharedGraph shared;
    std::atomic<int> successes{0};
    OnCallers([&](int) {
      try {
        Backward(shared.lanes, {}, {.engine = &engine});
        successes.fetch_add(1);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kFreed) << error.what();
      }
    });
    if (successes.load() > 0) {
      EXPECT_TRUE(GradOf(shared.x).defined());
    }
  }
}

// Callers that keep a graph on the CPU read what it saved without a lock, until one releases it.
TEST(StressTest, AGraphIsReleasedUnderItsReaders) {
  constexpr int kLength = 40;
  for (int round = 0; round < rounds; ++round) {
    const Tensor x = MakeLeaf(1);
    Tensor y = x;
    for (int i = 0; i < kLength; ++i) y = ops::Mul(y, x);
    std::atomic<int> whole{0};
    OnCallers([&](int caller) {
      for (int call = 0; call < 5; ++call) {
        try {
          const bool keeps = caller != 0 || call < 4;
          const Tensor gradient = Grad({y}, {x}, {}, {.retain_graph = keeps})[0];
          EXPECT_EQ(gradient.item<double>(), kLength + 1);
          whole.fetch_add(1);
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::kFreed) << error.what();
          EXPECT_NE(caller, 0);
        }
      }
    });
    EXPECT_GE(whole.load(), 5);
  }
}

TEST(StressTest, EnginesStopWhileCallersRun) {
  for (int round = 0; round < rounds / 4 + 1; ++round) {
    auto engine = std::make_unique<Engine>(EngineOptions{.device_threads = kDevices});
    OnCallers([&](int caller) {
      for (int i = 0; i < 10; ++i) {
        if (caller == 3 && i == 5) engine->Stop();
        Tensor x = MakeLeaf(2);
        Tensor y =
            ops::To(ops::Mul(ops::To(x, DeviceOf(i)), ops::To(x, DeviceOf(i))), Device::Cpu());
        Backward({y}, {}, {.retain_graph = true, .engine = engine.get()});
        EXPECT_EQ(GradOf(x).item<double>(), 4);
      }
    });
  }
}

// Counts its runs.
class CountingNode final : public Node {
 public:
  VariableList Apply(VariableList&& gradients) override {
    runs.fetch_add(1, std::memory_order_relaxed);
    return VariableList(num_outputs(), gradients[0]);
  }
  std::string_view name() const override { return "Counting"; }
  std::atomic<int> runs{0};
};

// A chain; every tenth node also has an edge to the leaf.
void TwoThreadsOverOneGraph(Engine& engine, Device device) {
  Tensor x = MakeLeaf(1, device);
  std::vector<sync::IntrusivePtr<CountingNode>> chain;
  int edges_to_leaf = 0;
  for (int i = 0; i < nodes; ++i) {
    auto node = MakeNode<CountingNode>();
    node->AddInput(x);
    if (i > 0) node->AddNextEdge(Edge(chain.back(), 0));
    if (i % 10 == 0) {
      node->AddNextEdge(GradientEdge(x));
      ++edges_to_leaf;
    }
    chain.push_back(std::move(node));
  }
  const Edge root(chain.back(), 0);
  const Tensor seed = Constant(1, device);
  const auto start = std::chrono::steady_clock::now();
  auto run = [&] {
    for (int i = 0; i < rounds; ++i) {
      engine.Execute({root}, {seed}, /*keep_graph=*/true, /*create_graph=*/false,
                     /*accumulate_grad=*/true);
    }
  };
  std::thread other(run);
  run();
  other.join();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(GradOf(x).item<double>(), 2.0 * rounds * edges_to_leaf);
  int wrong = 0;
  for (const auto& node : chain) wrong += node->runs.load() != 2 * rounds ? 1 : 0;
  EXPECT_EQ(wrong, 0);
  std::printf("2 threads x %d backwards over %d nodes: %.2f s, %.0f ns a node, .grad %.0f\n",
              rounds, nodes, seconds, seconds * 1e9 / (2.0 * rounds * nodes),
              GradOf(x).item<double>());
}

// Rules: E13.
TEST(SharedGraphTest, TwoThreadsWithKeepGraph) {
  Engine engine;
  TwoThreadsOverOneGraph(engine, Device::Cpu());
}

TEST(SharedGraphTest, TwoThreadsWithKeepGraphOnADevice) {
  Engine engine({.device_threads = 2});
  TwoThreadsOverOneGraph(engine, Device::Sim(0));
}

}  // namespace

}  // namespace twingrad

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::sscanf(argv[i], "--rounds=%d", &twingrad::rounds) == 1) continue;
    if (std::sscanf(argv[i], "--nodes=%d", &twingrad::nodes) == 1) continue;
    std::fprintf(stderr, "unknown argument %s; --rounds=N and --nodes=N are known\n", argv[i]);
    return 2;
  }
  return RUN_ALL_TESTS();
}
