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

// How often schedules fail, each by this kind and with this in its message.
int CountFailures(OutcomeKind kind, const std::string& message,
                  const std::function<ExecutionOutcome(uint64_t)>& run) {
  int failures = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const ExecutionOutcome outcome = run(seed);
    if (outcome.ok()) continue;
    ++failures;
    EXPECT_EQ(outcome.kind, kind) << outcome.message;
    EXPECT_TRUE(absl::StrContains(outcome.message, message)) << outcome.message;
  }
  return failures;
}

TEST(FiberSchedulerLocks, ALostWakeUpIsToldFromADeadlock) {
  EXPECT_GT(CountFailures(OutcomeKind::kLostWakeUp, "other's notify_one changed at proptests/",
                          [](uint64_t seed) { return Waits(seed, true); }),
            0);
  EXPECT_GT(CountFailures(OutcomeKind::kDeadlock, "[interleave] deadlock: no thread can go on\n",
                          [](uint64_t seed) { return Waits(seed, false); }),
            0);
}

// Waits for `count` things, of which each thread gives one: changed under the lock, and told of
// before that, after it or not at all.
enum class Tells { kBefore, kAfter, kNotAtAll };
ExecutionOutcome WaitsForAll(uint64_t seed, Tells tells, int count) {
  return RunUnder(
      seed,
      [=] {
        sync::Mutex mutex("m");
        sync::CondVar changed("changed");
        int given = 0;
        std::vector<sync::Thread> givers;
        for (int i = 0; i < count; ++i) {
          givers.emplace_back("giver", [&] {
            if (tells == Tells::kBefore) changed.NotifyOne();
            {
              sync::MutexLock lock(mutex);
              ++given;
            }
            if (tells == Tells::kAfter) changed.NotifyOne();
          });
        }
        {
          sync::MutexLock lock(mutex);
          while (given < count) changed.Wait(mutex);
        }
        for (sync::Thread& giver : givers) giver.Join();
      },
      nullptr);
}

TEST(FiberSchedulerLocks, ANotifyBeforeWhatItTellsOfIsALostWakeUp) {
  const auto failures = [](Tells tells, OutcomeKind kind, const char* message) {
    return CountFailures(kind, message, [tells](uint64_t s) { return WaitsForAll(s, tells, 1); });
  };
  EXPECT_GT(failures(Tells::kBefore, OutcomeKind::kLostWakeUp, " came too early: "), 0);
  EXPECT_EQ(failures(Tells::kAfter, OutcomeKind::kPassed, ""), 0);
  EXPECT_GT(failures(Tells::kNotAtAll, OutcomeKind::kDeadlock, "waits in wait changed"), 0);
}

// Two wait on one condition variable, each for its own turn; the notify of one turn may wake the
// other waiter.
ExecutionOutcome TwoKinds(uint64_t seed, bool notifies_all) {
  return RunUnder(
      seed,
      [notifies_all] {
        sync::Mutex mutex("m");
        sync::CondVar changed("changed");
        bool turns[2] = {false, false};
        std::vector<sync::Thread> waiters;
        for (int i = 0; i < 2; ++i) {
          waiters.emplace_back(i == 0 ? "first" : "second", [&, i] {
            sync::MutexLock lock(mutex);
            while (!turns[i]) changed.Wait(mutex);
          });
        }
        for (bool& turn : turns) {
          {
            sync::MutexLock lock(mutex);
            turn = true;
          }
          notifies_all ? changed.NotifyAll() : changed.NotifyOne();
        }
        for (sync::Thread& waiter : waiters) waiter.Join();
      },
      nullptr);
}

TEST(FiberSchedulerLocks, ANotifyThatWakesAnotherIsALostWakeUp) {
  const auto failures = [](bool all) {
    return CountFailures(OutcomeKind::kLostWakeUp, " woke only ",
                         [all](uint64_t seed) { return TwoKinds(seed, all); });
  };
  EXPECT_GT(failures(false), 0);
  EXPECT_EQ(failures(true), 0);
}

}  // namespace
}  // namespace twingrad::interleave
