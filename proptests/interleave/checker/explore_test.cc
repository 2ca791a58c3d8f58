// The types of autograd/sync on the model back end, and exploration over them: what must never
// fail, and what must be found, replayed from its seed and repeated from its trace.
#include "proptests/interleave/checker/explore.h"

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "autograd/sync/sync.h"
#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

using sync::Atomic;
using sync::Cell;
using sync::CondVar;
using sync::Mutex;
using sync::MutexLock;
using sync::Thread;

static_assert(sync::kIsModel, "an interleaving_test is compiled against the model");

// Names the running test, so that a failure's replay command runs it alone.
Options OptionsHere() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  return {.schedules = 2000,
          .seed = 20240601,
          .test_filter = std::string(test.test_suite_name()) + "." + test.name()};
}

testing::AssertionResult Passes(const std::function<void()>& body) {
  const Report report = Explore(OptionsHere(), body);
  return (report.ok() ? testing::AssertionSuccess() : testing::AssertionFailure()) << report.text;
}

// A failure that is found again from its seed and from its trace, decision for decision.
Report ExpectFound(OutcomeKind kind, const std::function<void()>& body) {
  Report report = Explore(OptionsHere(), body);
  EXPECT_FALSE(report.ok()) << "not found: " << report.text;
  if (report.ok()) return report;
  EXPECT_EQ(report.outcome.kind, kind) << report.text;
  EXPECT_FALSE(report.uncontrolled) << report.text;
  EXPECT_NE(report.text.find(std::to_string(*report.failing_seed)), std::string::npos);
  const ExecutionOutcome again = RunSeed(*report.failing_seed, OptionsHere(), body);
  EXPECT_EQ(again.kind, kind);
  EXPECT_EQ(again.decisions, report.outcome.decisions);
  const ExecutionOutcome replayed = ReplayTrace(report.outcome.decisions, OptionsHere(), body);
  EXPECT_EQ(replayed.kind, kind);
  EXPECT_EQ(replayed.message, report.outcome.message);
  EXPECT_EQ(replayed.decisions, report.outcome.decisions);
  return report;
}

template <typename Increment>
void CountTo20(const Increment& increment, const std::function<int()>& total) {
  std::vector<Thread> threads;
  for (const char* name : {"a", "b"}) {
    threads.push_back(Thread(name, [&] {
      for (int i = 0; i < 10; ++i) increment();
    }));
  }
  for (Thread& thread : threads) thread.Join();
  Check(total() == 20, "[test] a lost increment");
}

TEST(ExploreTest, ALockedCounterLosesNothing) {
  const Report report = Explore(OptionsHere(), [] {
    Mutex mutex("counter");
    Cell<int> counter{0};
    CountTo20(
        [&] {
          MutexLock lock(mutex);
          counter.Write(counter.Read() + 1);
        },
        [&] { return counter.Read(); });
  });
  EXPECT_TRUE(report.ok()) << report.text;
  EXPECT_GT(report.decisions, report.schedules);
}

TEST(ExploreTest, AnUnlockedCellIsARace) {
  ExpectFound(OutcomeKind::kRace, [] {
    Cell<int> counter{0};
    CountTo20([&] { counter.Write(counter.Read() + 1); }, [&] { return counter.Read(); });
  });
}

TEST(ExploreTest, ACellIsSeenToRaceByWhoReadsAndNotByWhoPeeks) {
  const auto body = [](bool peeks) {
    Cell<int> cell{0};
    Thread writer("writer", [&cell] { cell.Write(1); });
    peeks ? cell.Peek() : cell.Read();
    writer.Join();
  };
  EXPECT_TRUE(Passes([&] { body(true); }));
  const Report report = ExpectFound(OutcomeKind::kRace, [&] { body(false); });
  const auto last = report.outcome.events.back().operation.kind;
  EXPECT_TRUE(last == sync::model::OperationKind::kCellRead ||
              last == sync::model::OperationKind::kCellWrite)
      << "the access that completes the race ends the story";
}

TEST(ExploreTest, ASplitAtomicUpdateLosesIncrements) {
  ExpectFound(OutcomeKind::kFailedCheck, [] {
    Atomic<int> counter{0};
    CountTo20([&] { counter.Store(counter.Load(sync::kAcquire) + 1, sync::kRelease); },
              [&] { return counter.Load(sync::kAcquire); });
  });
}

TEST(ExploreTest, AWholeAtomicUpdateLosesNothing) {
  EXPECT_TRUE(Passes([] {
    Atomic<int> counter{0};
    CountTo20([&] { counter.FetchAdd(1, sync::kRelaxed); },
              [&] { return counter.Load(sync::kRelaxed); });
  }));
}

void Publish(sync::MemoryOrder store_order) {
  Cell<int> data{0};
  Atomic<bool> ready{false};
  Thread writer("writer", [&] {
    data.Write(7);
    ready.Store(true, store_order);
  });
  if (ready.Load(sync::kAcquire)) Check(data.Read() == 7, "[test] stale data");
  writer.Join();
}

TEST(ExploreTest, ReleaseAndAcquireOrderCellsARelaxedStoreDoesNot) {
  EXPECT_TRUE(Passes([] { Publish(sync::kRelease); }));
  ExpectFound(OutcomeKind::kRace, [] { Publish(sync::kRelaxed); });
}

TEST(ExploreTest, TwoLocksInBothOrdersDeadlock) {
  const Report report = ExpectFound(OutcomeKind::kDeadlock, [] {
    Mutex first("first");
    Mutex second("second");
    Thread other("other", [&] {
      MutexLock a(second);
      MutexLock b(first);
    });
    {
      MutexLock a(first);
      MutexLock b(second);
    }
    other.Join();
  });
  EXPECT_NE(report.text.find("waits in lock first"), std::string::npos) << report.text;
  EXPECT_NE(report.text.find("held by other"), std::string::npos) << report.text;
  EXPECT_NE(report.text.find("explore_test.cc:"), std::string::npos) << report.text;
}

TEST(ExploreTest, MisuseOfAMutexIsReported) {
  ExpectFound(OutcomeKind::kFailedCheck, []() AG_NO_THREAD_SAFETY_ANALYSIS {
    Mutex mutex;
    mutex.Lock();
    mutex.Lock();
  });
  ExpectFound(OutcomeKind::kFailedCheck, []() AG_NO_THREAD_SAFETY_ANALYSIS {
    Mutex mutex;
    mutex.Unlock();
  });
  ExpectFound(OutcomeKind::kFailedCheck, []() AG_NO_THREAD_SAFETY_ANALYSIS {
    Mutex mutex;
    mutex.Lock();
  });
}

TEST(ExploreTest, TryLockTakesAFreeMutexOnly) {
  std::set<bool> seen;
  EXPECT_TRUE(Passes([&] {
    Mutex mutex;
    Thread other("other", [&] { MutexLock lock(mutex); });
    const bool taken = mutex.TryLock();
    if (taken) mutex.Unlock();
    seen.insert(taken);
    other.Join();
  }));
  EXPECT_EQ(seen.size(), 2u);
}

// Waits for a setter, which sleeps first, with a deadline; adds whether it came in time.
void WaitForASetter(std::chrono::seconds sleep, std::chrono::seconds patience,
                    std::set<bool>* in_time) {
  Mutex mutex;
  CondVar changed("changed");
  bool ready = false;
  Thread setter("setter", [&] {
    if (sleep.count() > 0) sync::SleepFor(sleep);
    MutexLock lock(mutex);
    ready = true;
    changed.NotifyAll();
  });
  {
    MutexLock lock(mutex);
    const sync::TimePoint deadline = sync::Now() + patience;
    while (!ready && changed.WaitUntil(mutex, deadline)) {
    }
    Check(ready || sync::Now() >= deadline, "[test] a time-out before its time");
    in_time->insert(ready);
  }
  setter.Join();
}

TEST(ExploreTest, AWaitEndsByNotifyOrDeadline) {
  std::set<bool> in_time;
  const auto moment =
      std::chrono::seconds(1);  // the setter's and the deadline: either may be first
  EXPECT_TRUE(Passes([&] { WaitForASetter(moment, moment, &in_time); }));
  EXPECT_EQ(in_time.size(), 2u) << "both orders are possible";
}

TEST(ExploreTest, AWaitMayEndByItsDeadlineAlthoughOthersCouldGoOn) {
  std::set<bool> in_time;
  EXPECT_TRUE(
      Passes([&] { WaitForASetter(std::chrono::seconds(0), std::chrono::hours(1), &in_time); }));
  EXPECT_EQ(in_time.size(), 2u);
}

AG_THREAD_LOCAL(int, Depth, 5);

TEST(ExploreTest, ThreadLocalsBelongToTheModelledThread) {
  EXPECT_TRUE(Passes([] {
    const auto body = [] {
      Check(Depth() == 5, "[test] another thread's or execution's value");
      for (int i = 0; i < 3; ++i) {
        ++Depth();
        Thread::Yield();
      }
      Check(Depth() == 8, "[test] another thread wrote it");
    };
    Thread other("other", body);
    body();
    other.Join();
  }));
}

struct Counted : sync::RefCounted<Counted> {
  explicit Counted(int* destroyed_in) : destroyed(destroyed_in) {}
  ~Counted() { ++*destroyed; }
  int* destroyed;
};

TEST(ExploreTest, CountedObjectsDieExactlyOnce) {
  EXPECT_TRUE(Passes([] {
    int destroyed = 0;
    {
      auto object = sync::MakeIntrusive<Counted>(&destroyed);
      Thread other("other", [copy = object]() mutable { copy.reset(); });
      object.reset();
      other.Join();
    }
    Check(destroyed == 1, "[test] destroyed another number of times");
  }));
}

// What a SharedPtr points to; counts destructions and knows whether it lives.
struct Watched {
  explicit Watched(int* destroyed_in) : destroyed(destroyed_in) {}
  ~Watched() {
    alive.Write(false);
    ++*destroyed;
  }
  sync::Cell<bool> alive{true};
  int* destroyed;
};

TEST(ExploreTest, SharedObjectsDieOnceAndNeverUnderAnOwner) {
  std::set<bool> locked;
  EXPECT_TRUE(Passes([&] {
    int destroyed = 0;
    auto object = sync::MakeShared<Watched>(&destroyed);
    sync::WeakPtr<Watched> weak = object;
    Thread other("other", [copy = object]() mutable { copy.reset(); });
    Thread watcher("watcher", [&weak, &locked] {
      const sync::SharedPtr<Watched> owner = weak.lock();
      locked.insert(owner != nullptr);
      if (owner != nullptr) Check(owner->alive.Read(), "[test] destroyed under an owner");
    });
    object.reset();
    other.Join();
    watcher.Join();
    Check(destroyed == 1, "[test] destroyed another number of times");
    Check(weak.expired() && weak.lock() == nullptr, "[test] a dead object is handed out");
  }));
  EXPECT_EQ(locked.size(), 2u);
}

TEST(ExploreTest, UseCountsOfOthersAreStale) {
  ExpectFound(OutcomeKind::kFailedCheck, [] {
    auto object = sync::MakeShared<int>(1);
    Thread other("other", [copy = object]() mutable { copy.reset(); });
    const bool is_shared = object.use_count() == 2;
    Thread::Yield();
    Check(is_shared == (object.use_count() == 2), "[test] the count changed");
    other.Join();
  });
}

TEST(ExploreTest, WeakExchangesAndLockAttemptsMayFailForNoReason) {
  std::set<bool> exchanged;
  std::set<bool> taken;
  EXPECT_TRUE(Passes([&] {
    Atomic<int> value{1};
    int expected = 1;
    exchanged.insert(value.CompareExchangeWeak(expected, 2, sync::kAcqRel, sync::kAcquire));
    Check(expected == 1, "[test] a failure without a reason changed what was expected");
    Mutex mutex;
    const bool got = mutex.TryLock();
    taken.insert(got);
    if (got) mutex.Unlock();
  }));
  EXPECT_EQ(exchanged.size(), 2u);
  EXPECT_EQ(taken.size(), 2u);
}

constinit Atomic<int> process_wide{7};

TEST(ExploreTest, StaticAtomicsStartEachExecutionAlike) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(Passes([] {
      Check(process_wide.Load(sync::kRelaxed) == 7, "[test] another execution's value");
      process_wide.Store(8, sync::kRelaxed);
      process_wide.FetchAdd(1, sync::kRelaxed);
    }));
  }
  ExpectFound(OutcomeKind::kFailedCheck, [] {
    process_wide.Store(1, sync::kRelaxed);
    Check(false, "[test] ends half-way");
  });
  EXPECT_EQ(process_wide.Load(sync::kRelaxed), 7);
}

TEST(ExploreTest, WatchingIsNoStepAndOrdersNothing) {
  const Report quiet = Explore(OptionsHere(), [] {
    Mutex mutex;
    Thread other("other", [&] {
      const sync::WatchScope watching;
      MutexLock lock(mutex);
    });
    other.Join();
  });
  EXPECT_TRUE(quiet.ok()) << quiet.text;
  EXPECT_LE(quiet.steps, 3 * quiet.schedules) << "spawn, join and its wait";
  ExpectFound(OutcomeKind::kRace, [] {
    Mutex mutex;
    Cell<int> cell{0};
    const auto body = [&] {
      {
        const sync::WatchScope watching;
        MutexLock lock(mutex);
      }
      cell.Write(1);
      {
        const sync::WatchScope watching;
        MutexLock lock(mutex);
      }
    };
    Thread other("other", body);
    body();
    other.Join();
  });
}

struct HoldsMutex : sync::RefCounted<HoldsMutex> {
  Mutex mutex{"holder"};
  sync::IntrusivePtr<HoldsMutex> other;
};

// What the next test leaks on purpose, so that it is no leak of the process.
auto* const leaked = new std::vector<HoldsMutex*>();

TEST(ExploreTest, ObjectsThatOwnOneAnotherAreALeak) {
  const auto body = [](bool cut) {
    auto one = sync::MakeIntrusive<HoldsMutex>();
    one->other = sync::MakeIntrusive<HoldsMutex>();
    one->other->other = one;
    if (cut) {
      one->other.reset();
    } else {
      leaked->push_back(one.get());
    }
  };
  EXPECT_TRUE(Passes([&] { body(true); }));
  const Report found = ExpectFound(OutcomeKind::kLeakedObject, [&] { body(false); });
  EXPECT_NE(found.text.find("2 x holder"), std::string::npos) << found.text;
}

int built = 0;
sync::Lazy<int> lazy([] {
  Thread::Yield();
  return new int(++built);
});

TEST(ExploreTest, LazyObjectsAreBuiltOnceInEachExecution) {
  EXPECT_TRUE(Passes([] {
    built = 0;
    Thread other("other", [] { Check(lazy.Get() == 1, "[test] built twice"); });
    Check(*lazy == 1, "[test] built twice");
    other.Join();
    Check(built == 1, "[test] built twice");
  }));
}

TEST(ExploreTest, ExceptionsSurviveSwitchesInsideCatch) {
  EXPECT_TRUE(Passes([] {
    const auto body = [](const char* text) {
      try {
        throw std::runtime_error(text);
      } catch (const std::exception&) {
        Thread::Yield();
        try {
          throw;
        } catch (const std::exception& error) {
          Thread::Yield();
          Check(std::string(error.what()) == text, "[test] another thread's exception");
        }
      }
    };
    Thread other("other", [&] { body("other"); });
    body("main");
    other.Join();
  }));
}

TEST(ExploreTest, ABodyThatDependsOnMoreThanTheScheduleIsToldSo) {
  int runs = 0;
  const Report report = Explore(OptionsHere(), [&] {
    const bool fails = ++runs == 3;
    Thread other("other", [] {});
    other.Join();
    Check(!fails, "[test] the third run fails");
  });
  ASSERT_FALSE(report.ok());
  EXPECT_TRUE(report.uncontrolled);
  EXPECT_NE(report.text.find("besides the schedule"), std::string::npos) << report.text;
}

// Nothing orders the two writes: what the first thread released died before the second could come
// to it, and what it comes to lives at the same address by chance.
template <class Guard>
void WriteUnderTwoLivesOfOneAddress() {
  std::optional<Guard> guard(std::in_place);
  Cell<int> cell{0};
  Atomic<int> life{0};
  Thread other("other", [&] {
    while (life.Load(sync::kRelaxed) == 0) {
    }
    guard->Use([&] { cell.Write(2); });
  });
  guard->Use([&] { cell.Write(1); });
  guard.emplace();
  life.Store(1, sync::kRelaxed);
  other.Join();
}

struct MutexGuard {
  template <class Body>
  void Use(const Body& body) {
    MutexLock lock(mutex);
    body();
  }
  Mutex mutex;
};
struct AtomicGuard {
  template <class Body>
  void Use(const Body& body) {
    flag.Load(sync::kAcquire);
    body();
    flag.Store(1, sync::kRelease);
  }
  Atomic<int> flag{0};
};

TEST(IdentityTest, AnObjectInheritsNoOrderFromTheOneThatHadItsAddress) {
  for (const auto& body : {&WriteUnderTwoLivesOfOneAddress<MutexGuard>,
                           &WriteUnderTwoLivesOfOneAddress<AtomicGuard>}) {
    const Report report = Explore({.schedules = 50}, body);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.outcome.kind, OutcomeKind::kRace) << report.text;
  }
}

TEST(ExploreDeathTest, AnAbortNamesItsSeed) {
  EXPECT_DEATH(Explore({.schedules = 1, .seed = 5}, [] { AG_CHECK(false, "[test] broken"); }),
               "broken(.|\n)*TWINGRAD_INTERLEAVE_SEED=[0-9]+");
}

TEST(SyncOutsideAnExecutionDeathTest, OperationsTakeEffectAndWaitsAbort) {
  Mutex mutex;
  { MutexLock lock(mutex); }
  Atomic<int> atomic{1};
  EXPECT_EQ(atomic.FetchAdd(1, sync::kRelaxed), 1);
  ++Depth();
  EXPECT_EQ(Depth(), 6);
  EXPECT_DEATH(Thread("lonely", [] {}), "outside an execution");
}

}  // namespace
}  // namespace twingrad::interleave
