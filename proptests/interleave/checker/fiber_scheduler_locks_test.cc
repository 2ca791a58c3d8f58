// What a thread must not do while it holds a mutex, and wake-ups that are lost.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/thread.h"
#include "autograd/sync/user_code.h"
#include "proptests/interleave/checker/fiber_scheduler.h"
#include "proptests/interleave/strategies/random_strategy.h"

namespace twingrad::interleave {
namespace {

ExecutionOutcome RunUnder(uint64_t seed, const std::function<void()>& body, LockOrder* order) {
  FiberScheduler scheduler;
  RandomStrategy strategy;
  return scheduler.Run(body, strategy, seed, {.order = order});
}

TEST(FiberSchedulerLocks, UserCodeRunsWithNoMutexHeld) {
  const auto run = [](bool held, const char* name) {
    return RunUnder(
        1,
        [held, name] {
          sync::Mutex mutex(name);
          if (!held) return sync::UserCode("a test");
          sync::MutexLock lock(mutex);
          sync::UserCode("a test");
        },
        nullptr);
  };
  EXPECT_TRUE(run(false, "m").ok());
  const ExecutionOutcome outcome = run(true, "m");
  EXPECT_EQ(outcome.kind, OutcomeKind::kLockHeld);
  EXPECT_TRUE(absl::StrContains(outcome.message, "a test runs on main")) << outcome.message;
  EXPECT_EQ(outcome.places, std::vector<std::string>{"m"});
  // That of a custom function is there to be held.
  EXPECT_TRUE(run(true, "custom_node").ok());
}

// Once the lock is given up, at the end of a wait too, nothing is held.
TEST(FiberSchedulerLocks, ObjectsOfTheUsersEndWithNoMutexHeld) {
  const auto run = [](bool held) {
    return RunUnder(
        1,
        [held] {
          sync::Mutex mutex("m");
          std::function<void()> user = [object = sync::UserObject()] {};
          sync::ReleasableMutexLock lock(mutex);
          if (!held) lock.Unlock();
          user = nullptr;
        },
        nullptr);
  };
  EXPECT_TRUE(run(false).ok());
  EXPECT_EQ(run(true).kind, OutcomeKind::kLockHeld);
}

// No schedule of these two deadlocks: one follows the other.
TEST(FiberSchedulerLocks, OrdersThatContradictOneAnotherAreFoundWithoutADeadlock) {
  LockOrder order;
  const ExecutionOutcome outcome = RunUnder(
      1,
      [] {
        sync::Mutex a("a"), b("b");
        sync::Thread other("other", [&] {
          sync::MutexLock first(a);
          sync::MutexLock second(b);
        });
        other.Join();
        sync::MutexLock first(b);
        sync::MutexLock second(a);
      },
      &order);
  EXPECT_EQ(outcome.kind, OutcomeKind::kLockOrder);
  EXPECT_TRUE(absl::StrContains(outcome.message, "holding a")) << outcome.message;
  EXPECT_TRUE(absl::StrContains(outcome.message, "holding b")) << outcome.message;
}

// The flag is no part of what the mutex guards, so that its notify can come between the look and
// the wait; or nobody notifies at all.
ExecutionOutcome Waits(uint64_t seed, bool notifies) {
  return RunUnder(
      seed,
      [notifies] {
        sync::Mutex mutex("m");
        sync::CondVar changed("changed");
        sync::Atomic<bool> flag{false};
        sync::Thread other("other", [&] {
          flag.Store(true, sync::kRelease);
          if (notifies) changed.NotifyOne();
        });
        {
          sync::MutexLock lock(mutex);
          while (!flag.Load(sync::kAcquire)) changed.Wait(mutex);
        }
        other.Join();
      },
      nullptr);
}

TEST(FiberSchedulerLocks, ALostWakeUpIsToldFromADeadlock) {
  int lost = 0, dead = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const ExecutionOutcome early = Waits(seed, true);
    if (!early.ok()) {
      ++lost;
      EXPECT_EQ(early.kind, OutcomeKind::kDeadlock);
      EXPECT_TRUE(absl::StrContains(early.message, "lost wake-up")) << early.message;
      EXPECT_TRUE(absl::StrContains(early.message, "other's notify_one changed")) << early.message;
    }
    const ExecutionOutcome never = Waits(seed, false);
    if (!never.ok()) {
      ++dead;
      EXPECT_FALSE(absl::StrContains(never.message, "lost wake-up")) << never.message;
    }
  }
  EXPECT_GT(lost, 0);
  EXPECT_GT(dead, 0);
}

}  // namespace
}  // namespace twingrad::interleave
