// Asynchronous calls: results, errors, continuations, order of nodes, stop.

#include "autograd/engine/call_future.h"

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/engine/front_end.h"
#include "autograd/engine/multithreading.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/ops/ops.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/clock.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

// The parameter is the number of device threads.
class CallFutureTest : public testing::TestWithParam<int> {
 protected:
  BackwardOptions Keep() { return {.retain_graph = true, .engine = &engine_}; }

  Engine engine_{{.device_threads = GetParam()}};
  Tensor x = MakeLeaf(3);
  Tensor y = ops::Mul(ops::To(x, Device::Sim(0)), ops::To(x, Device::Sim(0)));
};

INSTANTIATE_TEST_SUITE_P(Threads, CallFutureTest, testing::Values(0, 2));

// Rules: F10.
TEST_P(CallFutureTest, ResultsAreThoseOfTheCall) {
  const CallFuture future = GradAsync({y}, {x}, {}, {.retain_graph = true, .engine = &engine_});
  EXPECT_EQ(future.Get()[0].item<double>(), 6);
  EXPECT_TRUE(future.IsReady());
  EXPECT_EQ(future.Get()[0].item<double>(), 6) << "as often as one likes";
  std::vector<CallFuture> calls;
  for (int i = 0; i < 10; ++i) calls.push_back(BackwardAsync({y}, {}, Keep()));
  for (const CallFuture& call : calls) EXPECT_TRUE(call.Get().empty());
  EXPECT_EQ(GradOf(x).item<double>(), 60);
}

// Rules: F10.
TEST_P(CallFutureTest, ErrorsOfArgumentsAreThrownAtOnceOthersAreInTheFuture) {
  EXPECT_EQ(KindOf([&] { BackwardAsync({Tensor()}, {}, Keep()); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { engine_.Async(nullptr); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([] { CallFuture().Wait(); }), ErrorKind::kInvalidArgument);
  const Tensor unused = MakeLeaf(1);
  const CallFuture future =
      GradAsync({y}, {unused}, {}, {.retain_graph = true, .engine = &engine_});
  EXPECT_EQ(KindOf([&] { future.Get(); }), ErrorKind::kUnusedInput);
  EXPECT_EQ(KindOf([&] { future.Get(); }), ErrorKind::kUnusedInput) << "each time";
  NodePtr failing = MakeEnd([](const VariableList&) { throw std::runtime_error("planned"); });
  const CallFuture failed =
      engine_.ExecuteAsync({Edge(failing, 0)}, {Tensor::Scalar(1)}, false, false, true);
  failed.Wait();
  EXPECT_THROW(failed.Get(), std::runtime_error);
}

// Rules: F10.
TEST_P(CallFutureTest, ContinuationsRunInOrderAndMayCallTheEngine) {
  std::string log;
  const CallFuture first = BackwardAsync({y}, {}, Keep());
  const CallFuture second = first.Then([&](const CallFuture& call) {
    EXPECT_TRUE(call.IsReady());
    log += "a";
    return Grad({y}, {x}, {}, {.retain_graph = true, .engine = &engine_});
  });
  const CallFuture third = second.Then([&](const CallFuture& call) -> VariableList {
    log += "b";
    EXPECT_EQ(call.Get()[0].item<double>(), 6);
    BackwardAsync({y}, {}, Keep()).Get();
    throw std::runtime_error("continuation");
  });
  EXPECT_THROW(third.Get(), std::runtime_error);
  EXPECT_EQ(log, "ab");
  EXPECT_EQ(GradOf(x).item<double>(), 12);
  const CallFuture late = third.Then([&](const CallFuture& call) -> VariableList {
    EXPECT_THROW(call.Get(), std::runtime_error);
    log += "c";
    return {};
  });
  EXPECT_EQ(log, "abc") << "the call was over: here and now";
  EXPECT_TRUE(late.IsReady());
  EXPECT_EQ(KindOf([&] { late.Then(nullptr); }), ErrorKind::kInvalidArgument);
}

// Rules: F10.
TEST_P(CallFutureTest, ADroppedFutureLetsTheCallRunAndTheDestructorWaits) {
  sync::Atomic<int> ended{0};
  {
    Engine engine({.device_threads = GetParam()});
    for (int i = 0; i < 4; ++i) {
      engine.Async([&ended]() -> VariableList {
        sync::SleepFor(std::chrono::milliseconds(20));
        ended.FetchAdd(1, sync::kAcqRel);
        throw std::runtime_error("nobody sees it");
      });
    }
  }
  EXPECT_EQ(ended.Load(sync::kAcquire), 4);
}

// Rules: F10.
TEST_P(CallFutureTest, TheyAreRefusedInsideCallsAndAfterStop) {
  const CallFuture never = CallPromise().future();
  NodePtr node = MakeEnd([&](const VariableList&) {
    EXPECT_EQ(KindOf([&] { BackwardAsync({y}, {}, Keep()); }), ErrorKind::kInvalidArgument);
    EXPECT_EQ(KindOf([&] { never.Wait(); }), ErrorKind::kInvalidArgument);
  });
  engine_.Execute({Edge(node, 0)}, {Tensor::Scalar(1)}, false, false, true);
  EXPECT_FALSE(never.WaitUntil(sync::Now() + std::chrono::milliseconds(1)));
  const CallFuture stopper = engine_.Async([&]() -> VariableList {
    engine_.Stop();
    return {};
  });
  EXPECT_EQ(KindOf([&] { stopper.Get(); }), ErrorKind::kInvalidArgument);
  EXPECT_TRUE(engine_.Stop());
  EXPECT_EQ(KindOf([&] { BackwardAsync({y}, {}, Keep()); }), ErrorKind::kInvalidArgument);
  Backward({y}, {}, Keep());
}

// Which thread is faster must not show in the order of nodes.
// Rules: F10, T5.
TEST_P(CallFutureTest, NodesGetKeysBetweenThoseOfTheirCaller) {
  const uint64_t before = NextOrderKey();
  uint64_t inside = 0;
  uint64_t continued = 0;
  const CallFuture call = [&] {
    GradModeGuard no_grad(false);
    return engine_.Async([&]() -> VariableList {
      inside = NextOrderKey();
      EXPECT_FALSE(GradMode::IsEnabled());
      return {};
    });
  }();
  const uint64_t after = NextOrderKey();
  const CallFuture next = call.Then([&](const CallFuture&) -> VariableList {
    continued = NextOrderKey();
    return {};
  });
  next.Get();
  EXPECT_LT(before, inside);
  EXPECT_LT(inside, after);
  EXPECT_LT(after, continued);
  EXPECT_LT(continued, NextOrderKey());
}

// Rules: E14.
TEST_P(CallFutureTest, TheSwitchForSingleThreadsIsTakenAlong) {
  std::vector<bool> enabled;
  const auto note = [&]() -> VariableList {
    enabled.push_back(MultithreadingIsEnabled());
    return {};
  };
  {
    MultithreadingGuard alone(false);
    engine_.Async(note).Get();
  }
  engine_.Async(note).Get();
  EXPECT_EQ(enabled, (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace twingrad
