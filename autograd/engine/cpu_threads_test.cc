// Calls whose CPU nodes several threads evaluate: the same bits for every number of threads, a
// hand-over in the middle of a run, errors, and what stays with the caller.

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/base/test_errors.h"
#include "autograd/engine/engine.h"
#include "autograd/engine/evaluate.h"
#include "autograd/engine/front_end.h"
#include "autograd/engine/local_run.h"
#include "autograd/engine/multithreading.h"
#include "autograd/engine/worker.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/ops/ops.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/clock.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

constexpr sync::Duration kAtOnce = sync::Duration::zero();

EngineOptions Threads(int count, sync::Duration share_after = kAtOnce) {
  return {.cpu_threads = count, .share_after = share_after};
}

// A leaf, and a fan of branches over it whose sums depend on the order of their terms.
struct Fan {
  explicit Fan(int branches) {
    y = Tensor::Scalar(0);
    for (int i = 0; i < branches; ++i) {
      Tensor branch = ops::Mul(x, Tensor::Scalar(i % 3 == 0 ? 1e8 : 0.1 * i));
      for (int depth = 0; depth < i % 4; ++depth) branch = ops::Sin(ops::Mul(branch, x));
      tops.push_back(branch);
      y = ops::Add(y, branch);
    }
  }
  Tensor x = MakeLeaf(0.7);
  std::vector<Tensor> tops;
  Tensor y;
};

// The first and second derivative of a fan.
std::vector<double> Derivatives(Engine& engine, const Fan& fan) {
  const Tensor first = Grad({fan.y}, {fan.x}, {}, {.create_graph = true, .engine = &engine})[0];
  const Tensor second = Grad({first}, {fan.x}, {}, {.retain_graph = true, .engine = &engine})[0];
  return {first.item<double>(), second.item<double>()};
}

// Rules: E18.
TEST(CpuThreadsTest, TheSameBitsForEveryNumberOfThreads) {
  const Fan fan(40);
  Engine alone;
  const std::vector<double> expected = Derivatives(alone, fan);
  for (const int threads : {2, 3, 8}) {
    Engine engine(Threads(threads));
    for (int round = 0; round < 20; ++round) ASSERT_EQ(Derivatives(engine, fan), expected);
  }
}

// Each waits for the other: one thread would never get past the first.
TEST(CpuThreadsTest, TwoBranchesRunAtTheSameTime) {
  Engine engine(Threads(2));
  const Fan fan(2);
  sync::Atomic<int> arrived{0};
  for (const Tensor& top : fan.tops) {
    RegisterHook(top, [&](const Tensor&) {
      arrived.FetchAdd(1, sync::kAcqRel);
      while (arrived.Load(sync::kAcquire) < 2) sync::Thread::Yield();
    });
  }
  Backward({fan.y}, {}, {.engine = &engine});
  EXPECT_EQ(arrived.Load(sync::kAcquire), 2);
}

// Runs a fan of many hooks and returns on which worker each ran; -1 is the caller.
std::vector<int> WhereHooksRun(Engine& engine) {
  const Fan fan(20);
  std::vector<int> where(fan.tops.size(), -2);
  for (size_t i = 0; i < fan.tops.size(); ++i) {
    RegisterHook(fan.tops[i],
                 [&where, i](const Tensor&) { where[i] = WorkerGroup::NumberOfThisThread(); });
  }
  Backward({fan.y}, {}, {.engine = &engine});
  return where;
}

TEST(CpuThreadsTest, WhatDoesNotPayStaysWithTheCaller) {
  const std::vector<int> on_the_caller(20, -1);
  Engine one(Threads(1)), patient(Threads(4, std::chrono::hours(1)));
  EXPECT_EQ(WhereHooksRun(one), on_the_caller);
  EXPECT_EQ(WhereHooksRun(patient), on_the_caller);
  Engine engine(Threads(4));
  {
    const MultithreadingGuard alone(false);
    EXPECT_EQ(WhereHooksRun(engine), on_the_caller);
  }
  engine.Stop();
  EXPECT_EQ(WhereHooksRun(engine), on_the_caller);
}

TEST(CpuThreadsTest, NestedCallsStayWhereTheyAreMade) {
  Engine engine(Threads(3));
  const Fan fan(12), inner(6);
  sync::Atomic<int> strayed{0};
  for (const Tensor& top : inner.tops) {
    RegisterHook(top, [&](const Tensor&) {
      if (CurrentEngineThread().depth != 2) strayed.FetchAdd(1, sync::kRelaxed);
    });
  }
  for (const Tensor& top : fan.tops) {
    RegisterHook(top, [&](const Tensor&) {
      Grad({inner.y}, {inner.x}, {}, {.retain_graph = true, .engine = &engine});
    });
  }
  Backward({fan.y}, {}, {.engine = &engine});
  EXPECT_EQ(strayed.Load(sync::kRelaxed), 0);
  EXPECT_TRUE(GradOf(fan.x).defined());
}

TEST(CpuThreadsTest, AnErrorEndsTheRunAndTheEngineStaysUsable) {
  Engine engine(Threads(3));
  for (int round = 0; round < 20; ++round) {
    const Fan fan(12);
    for (const size_t failing : {3, 7}) {
      RegisterHook(fan.tops[failing], [](const Tensor&) { throw std::runtime_error("thrown"); });
    }
    EXPECT_THROW(Backward({fan.y}, {}, {.engine = &engine}), std::runtime_error);
    EXPECT_FALSE(GradOf(fan.x).defined());
  }
  const Fan fan(12);
  Backward({fan.y}, {}, {.engine = &engine});
  EXPECT_TRUE(GradOf(fan.x).defined());
}

TEST(CpuThreadsTest, CallbacksRunOnTheCallerAfterAllNodes) {
  Engine engine(Threads(3));
  const Fan fan(12);
  std::vector<int> where;
  sync::Atomic<int> hooks{0};
  for (const Tensor& top : fan.tops) {
    RegisterHook(top, [&](const Tensor&) {
      hooks.FetchAdd(1, sync::kRelaxed);
      Engine::QueueCallback([&] {
        EXPECT_EQ(hooks.Load(sync::kRelaxed), 12);
        where.push_back(WorkerGroup::NumberOfThisThread());
      });
    });
  }
  Backward({fan.y}, {}, {.engine = &engine});
  EXPECT_EQ(where, std::vector<int>(12, -1));
}

TEST(CpuThreadsTest, DeviceNodesKeepTheirThreads) {
  for (const int device_threads : {0, 1}) {
    Engine engine({.device_threads = device_threads, .cpu_threads = 3, .share_after = kAtOnce});
    const Tensor x = MakeLeaf(2);
    Tensor y = Tensor::Scalar(0);
    std::vector<int> where;
    for (int i = 0; i < 8; ++i) {
      const Tensor there = ops::Sin(ops::To(x, Device::Sim(0)));
      RegisterHook(there,
                   [&](const Tensor&) { where.push_back(WorkerGroup::NumberOfThisThread()); });
      y = ops::Add(y, ops::Mul(ops::To(there, Device::Cpu()), Tensor::Scalar(i)));
    }
    Backward({y}, {}, {.engine = &engine});
    EXPECT_EQ(where, std::vector<int>(8, device_threads - 1));
  }
}

TEST(CpuThreadsTest, NumbersOutOfRangeAreErrors) {
  for (const int threads : {-1, 0, 257}) {
    EXPECT_EQ(KindOf([&] { Engine engine(Threads(threads)); }), ErrorKind::kInvalidArgument);
  }
}

TEST(SharingRuleTest, WantsTimeCostlyNodesAndTwoThatAreReady) {
  constexpr int64_t kMany = 1 << 20;
  const SharingRule at_once(kAtOnce);
  EXPECT_FALSE(at_once.IsMet(1, 1));
  EXPECT_TRUE(at_once.IsMet(2, 1));
  SharingRule later(std::chrono::hours(1));
  later.Note(1, kMany);
  EXPECT_FALSE(later.IsMet(2, kMany));
  SharingRule soon(std::chrono::nanoseconds(1));
  sync::SleepFor(std::chrono::milliseconds(1));
  soon.Note(1, 1);
  EXPECT_FALSE(soon.IsMet(2, 1)) << "the clock is not read after each small node";
  soon.Note(2, kMany);
  EXPECT_FALSE(soon.IsMet(1, kMany)) << "nobody could help";
  EXPECT_TRUE(soon.IsMet(2, 1)) << "two nodes in a millisecond";
  soon.Note(2'000'000'000, kMany);
  EXPECT_FALSE(soon.IsMet(2, 1)) << "many in no time";
}

TEST(SharingRuleTest, WhatIsExpectedToTakeLongIsSharedBeforeItHas) {
  const SharingRule rule(std::chrono::microseconds(50));
  EXPECT_TRUE(rule.IsMet(2, 50'000));
  EXPECT_FALSE(rule.IsMet(1, 50'000)) << "nobody could help";
  EXPECT_FALSE(rule.IsMet(2, 49'999));
  const SharingRule short_one(std::chrono::nanoseconds(1));
  EXPECT_FALSE(short_one.IsMet(2, 100)) << "a hand-over costs more";
}

}  // namespace
}  // namespace twingrad
