// Threads of deeply nested calls: reuse, how much memory they take, what happens where the system
// gives none, and stopping beside calls that hang.

#include "autograd/engine/call_threads.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/engine/engine.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/clock.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif
#else
constexpr bool kIsSanitized = false;
#endif

// Calls nested in each other, `depth` of them; `at_bottom` runs in the last.
void Dive(Engine& engine, int depth, const std::function<void()>& at_bottom) {
  if (depth == 0) return at_bottom();
  NodePtr node = MakeEnd([&](const VariableList&) { Dive(engine, depth - 1, at_bottom); });
  engine.Execute({Edge(node, 0)}, {Tensor::Scalar(1)}, false, false, true);
}

// Of this process: resident bytes, and bytes of address space.
struct Memory {
  int64_t resident = 0;
  int64_t mapped = 0;
  static Memory Now() {
    std::ifstream file("/proc/self/statm");
    Memory now;
    file >> now.mapped >> now.resident;
    now.resident *= sysconf(_SC_PAGESIZE);
    now.mapped *= sysconf(_SC_PAGESIZE);
    return now;
  }
};

// Rules: E11.
TEST(CallThreadsTest, AThreadThatIsFreeServesTheNextCall) {
  CallThreads threads;
  for (int i = 0; i < 100; ++i) {
    bool has_run = false;
    threads.RunAndWait([&] {
      has_run = true;
      EXPECT_TRUE(threads.IsServing());
      threads.RunAndWait([] {});
    });
    EXPECT_TRUE(has_run);
  }
  EXPECT_FALSE(threads.IsServing());
  EXPECT_EQ(threads.Count(), 2u) << "one for each level";
  EXPECT_TRUE(threads.Stop(std::nullopt));
  EXPECT_EQ(threads.Count(), 0u);
  threads.RunAndWait([] {});  // nested calls of callers that go on
  EXPECT_EQ(KindOf([&] { threads.Post([] {}); }), ErrorKind::kInvalidArgument);
}

// Rules: E11.
TEST(CallThreadsTest, NoMoreThanAFewStayIdle) {
  CallThreads threads;
  std::function<void(int)> dive = [&](int depth) {
    if (depth > 0) threads.RunAndWait([&] { dive(depth - 1); });
  };
  dive(3 * CallThreads::kMostIdle);
  threads.RunAndWait([] {});  // joins those that have ended
  sync::SleepFor(std::chrono::milliseconds(50));
  threads.RunAndWait([] {});
  EXPECT_LE(threads.Count(), CallThreads::kMostIdle);
}

// What counts is resident memory: stacks are address space, which costs nothing until it is used.
// The 64 MiB cover stacks, tasks and graphs of all levels.
// Rules: E10.
TEST(CallThreadsTest, TenThousandLevelsFitInto64MiB) {
  if (kIsSanitized) GTEST_SKIP() << "sanitizers use memory of their own for each thread and frame";
  Engine engine;
  Dive(engine, 130, [] {});  // what a first deep call allocates for good
  const Memory before = Memory::Now();
  Memory deepest;
  Dive(engine, 10'000, [&] { deepest = Memory::Now(); });
  const int64_t resident = deepest.resident - before.resident;
  const int64_t mapped = deepest.mapped - before.mapped;
  std::printf("10,000 levels: %.1f MiB resident, %.0f MiB of address space\n",
              static_cast<double>(resident) / (1 << 20), static_cast<double>(mapped) / (1 << 20));
  EXPECT_LT(resident, int64_t{64} << 20);
}

// Rules: E11.
TEST(CallThreadsTest, WithoutAThreadADeepCallIsAnErrorAndTheEngineStaysUsable) {
  if (kIsSanitized) GTEST_SKIP() << "sanitizers need address space of their own";
  const auto dive_without_room = [] {
    Engine engine;
    rlimit limit = {};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = static_cast<rlim_t>(Memory::Now().mapped + (4 << 20));
    setrlimit(RLIMIT_AS, &limit);  // no room for a stack of 8 MiB
    Dive(engine, 60, [] {});
    ErrorKind kind = ErrorKind::kInternal;
    try {
      Dive(engine, 1000, [] {});  // more than the stacks that ended threads have left
    } catch (const Error& error) {
      kind = error.kind();
    }
    Dive(engine, 60, [] {});
    std::fprintf(stderr, "%s\n", std::string(ErrorKindName(kind)).c_str());
    std::exit(0);
  };
  EXPECT_EXIT(dive_without_room(), testing::ExitedWithCode(0), "unsupported");
}

// A call that hangs until the test lets it go.
struct Gate {
  sync::Atomic<bool> is_entered{false};
  sync::Atomic<bool> is_open{false};
  void Pass() {
    is_entered.Store(true, sync::kRelease);
    while (!is_open.Load(sync::kAcquire)) sync::Thread::Yield();
  }
  void WaitUntilEntered() {
    while (!is_entered.Load(sync::kAcquire)) sync::Thread::Yield();
  }
};

// Rules: E15.
TEST(StopTest, ADeadlineEndsTheWaitForACallThatHangs) {
  Gate gate;
  Engine engine({.device_threads = 2});
  const CallFuture call = engine.Async([&]() -> VariableList {
    gate.Pass();
    return {};
  });
  gate.WaitUntilEntered();
  EXPECT_FALSE(engine.Stop(std::chrono::milliseconds(20)));
  EXPECT_FALSE(engine.Stop(std::chrono::milliseconds(0)));
  gate.is_open.Store(true, sync::kRelease);
  EXPECT_TRUE(engine.Stop());
  EXPECT_TRUE(call.IsReady());
  EXPECT_TRUE(engine.Stop(std::chrono::milliseconds(0)));
}

// The worker and what it uses outlive the engine; the call ends as if nothing had happened.
// Rules: E15.
TEST(StopTest, ADestructorLeavesAHookThatHangsBehind) {
  if (kIsSanitized) GTEST_SKIP() << "ThreadSanitizer takes what is left behind for a leak";
  for (const bool is_async : {false, true}) {
    Gate gate;
    const Tensor like = Tensor::Scalar(0, DType::kF64, Device::Sim(1));
    int reached = 0;
    NodePtr end = MakeEnd([&](const VariableList&) { ++reached; }, Tensor::Scalar(0));
    NodePtr node = MakeFunction(
        [&](FunctionNode&, VariableList) {
          gate.Pass();
          return VariableList{Tensor::Scalar(1)};
        },
        {Edge(end, 0)}, like);
    auto engine = std::make_unique<Engine>(
        EngineOptions{.device_threads = 2, .stop_deadline = std::chrono::milliseconds(20)});
    const std::vector<Edge> roots = {Edge(node, 0)};
    const std::vector<Tensor> seeds = {Tensor::Scalar(1, DType::kF64, Device::Sim(1))};
    sync::Thread caller;
    CallFuture future;
    if (is_async) {
      future = engine->ExecuteAsync(roots, seeds, false, false, true);
    } else {
      caller = sync::Thread("caller", [&, running = engine.get()] {
        running->Execute(roots, seeds, false, false, true);
      });
    }
    gate.WaitUntilEntered();
    engine.reset();
    gate.is_open.Store(true, sync::kRelease);
    if (is_async) {
      future.Get();
    } else {
      caller.Join();
    }
    EXPECT_EQ(reached, 1);
  }
}

}  // namespace
}  // namespace twingrad
