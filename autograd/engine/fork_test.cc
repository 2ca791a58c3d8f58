// What a forked child may do with engines of its parent, whoever held which lock at the fork.

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/engine/call_threads.h"
#include "autograd/engine/engine.h"
#include "autograd/engine/front_end.h"
#include "autograd/engine/ready_queue.h"
#include "autograd/engine/worker.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/ops/ops.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/inspected.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/thread.h"

namespace {

// Whether this process is a forked child: it lacks the parent's threads, whose stacks hold what
// they own, so LeakSanitizer would take that for leaked.
bool is_child = false;

}  // namespace

// LeakSanitizer asks before it looks for leaks.
extern "C" int __lsan_is_turned_off() { return is_child ? 1 : 0; }

namespace twingrad::sync {

// Holds locks of the engine as another thread would at an unlucky moment.
template <>
class Inspector<ReadyQueue> {
 public:
  static Mutex& MutexOf(ReadyQueue& queue) { return queue.mutex_; }
};
template <>
class Inspector<WorkerGroup> {
 public:
  static Mutex& MutexOf(WorkerGroup& workers) { return workers.mutex_; }
};
template <>
class Inspector<CallThreads> {
 public:
  static Mutex& MutexOf(CallThreads& threads) { return threads.mutex_; }
};
template <>
class Inspector<Engine> {
 public:
  static WorkerGroup& WorkersOf(Engine& engine) { return *engine.workers_; }
  static CallThreads& CallThreadsOf(Engine& engine) { return *engine.call_threads_; }
};

}  // namespace twingrad::sync

namespace twingrad {
namespace {

// TSan lets no child of a process with threads start threads.
#if defined(__SANITIZE_THREAD__)
constexpr bool kMayStartThreads = false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool kMayStartThreads = false;
#else
constexpr bool kMayStartThreads = true;
#endif
#else
constexpr bool kMayStartThreads = true;
#endif

// Whether `body` returns true in a forked child; the child ends as a process does, by exit.
bool InChild(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    is_child = true;
    alarm(20);  // a child that waits for a lock or a thread that is not there
    std::exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

double GradientOnDevice(Engine& engine) {
  Tensor x = MakeLeaf(3, Device::Sim(0));
  Backward({ops::Mul(x, x)}, {}, {.engine = &engine});
  return GradOf(x).item<double>();
}

bool IsRefused(Engine& engine) {
  try {
    GradientOnDevice(engine);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::kInvalidArgument;
  }
  return false;
}

// Rules: E16.
TEST(ForkTest, AnEngineWithoutThreadsGoesOnInTheChild) {
  Engine alone;
  Engine fresh({.device_threads = 2});  // has not run yet
  EXPECT_EQ(GradientOnDevice(alone), 6);
  EXPECT_TRUE(InChild([&] {
    if (kMayStartThreads && GradientOnDevice(fresh) != 6) return false;
    return GradientOnDevice(alone) == 6 && GradientOnDevice(Engine::Default()) == 6;
  }));
}

// Rules: E16.
TEST(ForkTest, AnEngineThatHasStartedThreadsIsRefusedInTheChild) {
  auto workers = std::make_unique<Engine>(EngineOptions{.device_threads = 2});
  EXPECT_EQ(GradientOnDevice(*workers), 6);
  auto async = std::make_unique<Engine>();
  async->Async([] { return VariableList(); }).Get();
  EXPECT_TRUE(InChild([&] {
    if (!IsRefused(*workers) || !IsRefused(*async)) return false;
    if (KindOf([&] { workers->Stop(); }) != ErrorKind::kInvalidArgument) return false;
    if (KindOf([&] { async->Async([] { return VariableList(); }); }) !=
        ErrorKind::kInvalidArgument) {
      return false;
    }
    workers.reset();  // joins nobody
    async.reset();
    Engine own({.device_threads = 2});
    if (kMayStartThreads && GradientOnDevice(own) != 6) return false;
    return GradientOnDevice(Engine::Default()) == 6;
  }));
  EXPECT_EQ(GradientOnDevice(*workers), 6) << "the parent goes on";
  async->Async([] { return VariableList(); }).Get();
}

// Rules: E16.
TEST(ForkTest, LocksThatOthersHeldAreNotWaitedFor) {
  auto engine = std::make_unique<Engine>(EngineOptions{.device_threads = 1});
  GradientOnDevice(*engine);
  engine->Async([] { return VariableList(); }).Get();
  WorkerGroup& workers = sync::Inspector<Engine>::WorkersOf(*engine);
  CallThreads& threads = sync::Inspector<Engine>::CallThreadsOf(*engine);
  sync::Mutex* const locks[] = {
      &sync::Inspector<WorkerGroup>::MutexOf(workers),
      &sync::Inspector<CallThreads>::MutexOf(threads),
      &sync::Inspector<ReadyQueue>::MutexOf(workers.QueueOf(Device::Sim(0)))};
  for (sync::Mutex* const lock : locks) {
    sync::Atomic<int> step{0};
    sync::Thread holder("holder", [&]() AG_NO_THREAD_SAFETY_ANALYSIS {
      lock->Lock();
      step.Store(1, sync::kRelease);
      while (step.Load(sync::kAcquire) != 2) sync::Thread::Yield();
      lock->Unlock();
    });
    while (step.Load(sync::kAcquire) != 1) sync::Thread::Yield();
    EXPECT_TRUE(InChild([&] {
      const bool refused = IsRefused(*engine);
      engine.reset();
      return refused;
    }));
    step.Store(2, sync::kRelease);
    holder.Join();
  }
  EXPECT_EQ(GradientOnDevice(*engine), 6);
}

}  // namespace
}  // namespace twingrad
