// Drives the scheduler through the joint itself; explore_test.cc does so through autograd/sync.
#include "proptests/interleave/checker/fiber_scheduler.h"

#include <chrono>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/replay_strategy.h"

namespace twingrad::interleave {
namespace {

using testing::HasSubstr;
namespace model = sync::model;

Operation Op(OperationKind kind, const void* object = nullptr,
             std::source_location where = std::source_location::current()) {
  return {kind, object, "object", where};
}

void Step(OperationKind kind, int times = 1) {
  for (int i = 0; i < times; ++i) model::Current()->Step(Op(kind));
}

bool Wait(OperationKind kind, const void* object, std::optional<model::TimePoint> deadline = {}) {
  return model::Current()->Wait(Op(kind, object), deadline);
}

void Access(OperationKind kind, const Identity& cell) {
  model::Current()->Access(Op(kind, &cell), cell);
}

ThreadId Spawn(const std::string& name, std::function<void()> body) {
  return model::Current()->Spawn(name, std::move(body), std::source_location::current());
}

void Join(ThreadId thread) { model::Current()->Join(thread, std::source_location::current()); }

class FiberSchedulerTest : public testing::Test {
 protected:
  ExecutionOutcome Run(const std::function<void()>& body, uint64_t seed = 1) {
    return scheduler_.Run(body, strategy_, seed, limits_);
  }

  FiberScheduler scheduler_;
  RandomStrategy strategy_{{.switch_percent = 30, .spurious_percent = 0}};
  ExecutionLimits limits_{.max_steps = 1000, .record_events = true};
};

TEST_F(FiberSchedulerTest, OneThreadAsksNothing) {
  const ExecutionOutcome outcome = Run([] { Step(OperationKind::kYield, 10); });
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_EQ(outcome.steps, 10);
  EXPECT_EQ(outcome.events.size(), 10u);
  EXPECT_TRUE(outcome.decisions.empty());
  EXPECT_EQ(model::Current(), nullptr);
}

TEST_F(FiberSchedulerTest, TheSeedFixesTheOrderAndSeedsReachAllOrders) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    std::string order;
    const auto body = [&] {
      order.clear();
      std::vector<ThreadId> threads;
      for (char name : {'a', 'b', 'c'}) {
        threads.push_back(Spawn(std::string(1, name), [&order, name] {
          Step(OperationKind::kYield);
          order += name;
        }));
      }
      for (ThreadId thread : threads) Join(thread);
    };
    const ExecutionOutcome outcome = Run(body, seed);
    ASSERT_TRUE(outcome.ok()) << outcome.message;
    const std::string first = order;
    const ExecutionOutcome again = Run(body, seed);
    EXPECT_EQ(again.decisions, outcome.decisions);
    EXPECT_EQ(order, first);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 6u);
}

TEST_F(FiberSchedulerTest, ADeadlockNamesWhoWaitsWhere) {
  const int object = 0;
  const ExecutionOutcome outcome = Run([&] {
    const auto thread = Spawn("waiter", [&] { Wait(OperationKind::kWait, &object); });
    Join(thread);
  });
  EXPECT_EQ(outcome.kind, OutcomeKind::kDeadlock);
  EXPECT_THAT(outcome.message, HasSubstr("waiter waits in wait object at "));
  EXPECT_THAT(outcome.message, HasSubstr("main waits in join waiter at "));
  EXPECT_THAT(outcome.message, HasSubstr("fiber_scheduler_test.cc:"));
}

TEST_F(FiberSchedulerTest, GoesOnAfterAFailure) {
  const int object = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Run([&] { Wait(OperationKind::kWait, &object); }).kind, OutcomeKind::kDeadlock);
    EXPECT_TRUE(Run([] { Join(Spawn("a", [] {})); }).ok());
  }
}

TEST_F(FiberSchedulerTest, TimeMovesOnlyWhenNobodyCanRun) {
  using std::chrono::seconds;
  const int object = 0;
  std::vector<std::string> order;
  const ExecutionOutcome outcome = Run([&] {
    const auto sleep = [&](const char* name, int length) {
      return Spawn(name, [&, name, length] {
        const bool woken =
            Wait(OperationKind::kSleep, &object, model::TimePoint() + seconds(length));
        EXPECT_FALSE(woken);
        EXPECT_EQ(model::Current()->Now(), model::TimePoint() + seconds(length));
        order.push_back(name);
      });
    };
    const auto slow = sleep("slow", 3600);
    const auto quick = sleep("quick", 1);
    Step(OperationKind::kYield, 20);
    EXPECT_EQ(model::Current()->Now(), model::TimePoint());
    Join(slow);
    Join(quick);
  });
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_EQ(order, (std::vector<std::string>{"quick", "slow"}));
}

TEST_F(FiberSchedulerTest, WakesOneOfSeveralAndEachCanBeIt) {
  std::set<std::string> woken_first;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const int object = 0;
    std::vector<std::string> woken;
    const ExecutionOutcome outcome = Run(
        [&] {
          std::vector<ThreadId> threads;
          for (const char* name : {"a", "b"}) {
            threads.push_back(Spawn(name, [&, name] {
              Wait(OperationKind::kWait, &object);
              woken.push_back(name);
            }));
          }
          const auto end = model::TimePoint() + std::chrono::seconds(1);
          const int nobody = 0;
          Wait(OperationKind::kSleep, &nobody, end);
          model::Current()->WakeOne(&object);
          Wait(OperationKind::kSleep, &nobody, end + std::chrono::seconds(1));
          EXPECT_EQ(woken.size(), 1u);
          model::Current()->WakeAll(&object);
          for (ThreadId thread : threads) Join(thread);
        },
        seed);
    ASSERT_TRUE(outcome.ok()) << outcome.message;
    ASSERT_EQ(woken.size(), 2u);
    woken_first.insert(woken[0]);
  }
  EXPECT_EQ(woken_first.size(), 2u);
}

TEST_F(FiberSchedulerTest, ReportsLivelocksLeaksAndExceptions) {
  EXPECT_EQ(Run([] {
              for (;;) Step(OperationKind::kYield);
            }).kind,
            OutcomeKind::kStepBudget);
  EXPECT_EQ(Run([] { Spawn("never joined", [] {}); }, 3).kind, OutcomeKind::kLeakedThread);
  const ExecutionOutcome outcome =
      Run([] { Join(Spawn("thrower", [] { throw std::runtime_error("no"); })); });
  EXPECT_EQ(outcome.kind, OutcomeKind::kException);
  EXPECT_THAT(outcome.message, HasSubstr("left thread thrower: no"));
  EXPECT_EQ(Run([] { model::Current()->Fail("mine"); }).message, "mine");
}

TEST_F(FiberSchedulerTest, AnAccessIsNoStepButALoopOfThemEnds) {
  const Identity cell;
  const auto access = [&cell](int times) {
    for (int i = 0; i < times; ++i) {
      Access(OperationKind::kCellWrite, cell);
    }
  };
  const ExecutionOutcome outcome = Run([&] { access(100); });
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_EQ(outcome.steps, 0);
  EXPECT_EQ(Run([&] { access(1 << 30); }).kind, OutcomeKind::kStepBudget);
}

TEST_F(FiberSchedulerTest, ReportsARaceWhateverTheInterleaving) {
  const Identity cell;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const ExecutionOutcome outcome = Run(
        [&] {
          const auto write = [&] { Access(OperationKind::kCellWrite, cell); };
          const auto thread = Spawn("writer", write);
          write();
          Join(thread);
        },
        seed);
    EXPECT_EQ(outcome.kind, OutcomeKind::kRace);
  }
}

TEST_F(FiberSchedulerTest, ThreadLocalsAreOneAThreadAndDieWithIt) {
  static int alive = 0;
  static model::LocalKey key;
  const auto local = [] {
    return static_cast<int*>(model::CurrentLocals().Get(
        key, +[]() -> void* { return ++alive, new int(0); },
        +[](void* object) { --alive, delete static_cast<int*>(object); }));
  };
  const ExecutionOutcome outcome = Run([&] {
    *local() = 1;
    const auto thread = Spawn("other", [&] {
      EXPECT_EQ(*local(), 0);
      *local() = 2;
      EXPECT_EQ(alive, 2);
    });
    Join(thread);
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(*local(), 1);
  });
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  EXPECT_EQ(alive, 0);
}

TEST_F(FiberSchedulerTest, EndActionsRunTheYoungestFirstAndHearOfFailures) {
  std::vector<std::string> actions;
  const auto body = [&](bool fails) {
    for (const char* name : {"first", "second"}) {
      model::Current()->AtEnd([&actions, name](bool completed) {
        actions.push_back(name + std::to_string(completed));
      });
    }
    if (fails) model::Current()->Fail("on purpose");
  };
  EXPECT_TRUE(Run([&] { body(false); }).ok());
  EXPECT_FALSE(Run([&] { body(true); }).ok());
  EXPECT_EQ(actions, (std::vector<std::string>{"second1", "first1", "second0", "first0"}));
}

// A counter that must be even whenever anyone else may run.
class EvenRule final : public StateRules {
 public:
  void Begin() override { counters_.clear(); }
  void Appear(const std::type_info& type, const void* object) override {
    if (type == typeid(int)) counters_.insert(static_cast<const int*>(object));
  }
  void Vanish(const std::type_info&, const void* object) override {
    counters_.erase(static_cast<const int*>(object));
  }
  std::optional<BrokenRule> Check() override {
    for (const int* counter : counters_) {
      if (*counter % 2 != 0) return BrokenRule{"even", "[test] " + std::to_string(*counter)};
    }
    return std::nullopt;
  }

 private:
  std::set<const int*> counters_;
};

TEST_F(FiberSchedulerTest, ABrokenRuleEndsTheExecutionAtTheStepThatBrokeIt) {
  EvenRule rule;
  limits_.rules = &rule;
  for (const bool is_sound : {true, false}) {
    const ExecutionOutcome outcome = Run([is_sound] {
      int counter = 0;
      model::Current()->Appear(typeid(int), &counter);
      const auto other = Spawn("other", [&] {
        Step(OperationKind::kLock);
        ++counter;
        if (!is_sound) Step(OperationKind::kYield);
        ++counter;
        Step(OperationKind::kYield, 9);
      });
      Join(other);
      model::Current()->Vanish(typeid(int), &counter);
      ++counter;  // nobody's any more
    });
    if (is_sound) {
      EXPECT_TRUE(outcome.ok()) << outcome.message;
      continue;
    }
    EXPECT_EQ(outcome.kind, OutcomeKind::kInvariant);
    EXPECT_EQ(OutcomeName(outcome.kind), "invariant");
    EXPECT_EQ(outcome.places, std::vector<std::string>{"even"});
    EXPECT_THAT(outcome.message,
                HasSubstr("[test] 1\n  since other went on from its lock object at "));
    EXPECT_EQ(outcome.events.back().operation.kind, OperationKind::kLock);
  }
}

// Two threads; what `a` does last is `second`.
ExecutionOutcome RunTwo(FiberScheduler& scheduler, Strategy& strategy, uint64_t seed,
                        OperationKind second) {
  const auto body = [second] {
    const ThreadId a = Spawn("a", [&] {
      Step(OperationKind::kLock);
      Step(second);
    });
    const ThreadId b = Spawn("b", [] { Step(OperationKind::kYield, 3); });
    Join(a);
    Join(b);
  };
  return scheduler.Run(body, strategy, seed, {.max_steps = 1000, .record_events = true});
}

TEST_F(FiberSchedulerTest, ADivergenceNamesWhoAsksWhereAndWhatIsRecorded) {
  bool recorded_is_named = false;
  int diverged = 0;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const ExecutionOutcome recorded =
        RunTwo(scheduler_, strategy_, seed, OperationKind::kAtomicStore);
    ASSERT_TRUE(recorded.ok()) << recorded.message;
    ReplayStrategy same(recorded.decisions);
    EXPECT_TRUE(RunTwo(scheduler_, same, 0, OperationKind::kAtomicStore).ok());
    EXPECT_TRUE(same.Finished());
    ReplayStrategy replay(recorded.decisions);
    const ExecutionOutcome other = RunTwo(scheduler_, replay, 0, OperationKind::kUnlock);
    if (other.ok()) continue;  // thread a was asked nothing at its second step
    ++diverged;
    ASSERT_EQ(other.kind, OutcomeKind::kDivergedReplay) << other.message;
    EXPECT_THAT(other.message, HasSubstr("; a is at its unlock object at "));
    EXPECT_THAT(other.message, HasSubstr("fiber_scheduler_test.cc:"));
    // The recorded decisions, told apart by a site that thread b went through before.
    Trace swapped = recorded.decisions;
    uint32_t site_of_b = 0;
    for (const Decision& decision : swapped) {
      if (decision.thread == 2 && site_of_b == 0) site_of_b = decision.site;
      if (site_of_b == 0 || decision.thread == 2) continue;
      swapped[static_cast<size_t>(&decision - swapped.data())].site = site_of_b;
      ReplayStrategy tampered(swapped);
      const ExecutionOutcome parted = RunTwo(scheduler_, tampered, 0, OperationKind::kAtomicStore);
      ASSERT_EQ(parted.kind, OutcomeKind::kDivergedReplay);
      recorded_is_named |=
          parted.message.find("; recorded is b at its yield object at ") != std::string::npos;
      break;
    }
  }
  EXPECT_GT(diverged, 0);
  EXPECT_TRUE(recorded_is_named);
}

// Rules that read one cell.
class CountingRules final : public StateRules {
 public:
  CountingRules(bool sees_all, const void* read) : sees_all_(sees_all), read_(read) {}
  void Begin() override {}
  void Appear(const std::type_info&, const void*) override {}
  void Vanish(const std::type_info&, const void*) override {}
  bool Touch(const void* cell) override { return cell == read_; }
  std::optional<BrokenRule> Check() override {
    ++checks;
    return std::nullopt;
  }
  bool HasSeenAll() const override { return sees_all_; }

  int checks = 0;

 private:
  const bool sees_all_;
  const void* const read_;
};

TEST_F(FiberSchedulerTest, RulesThatHaveSeenAllAreAskedAgainOnceTheirCellIsWritten) {
  const Identity cell, other;
  const auto body = [&cell] {
    Step(OperationKind::kYield, 10);
    Access(OperationKind::kCellRead, cell);
    Step(OperationKind::kYield);
    Access(OperationKind::kCellWrite, cell);
    Step(OperationKind::kYield, 2);
  };
  CountingRules always(false, &cell);
  limits_.rules = &always;
  EXPECT_TRUE(Run(body).ok());
  EXPECT_EQ(always.checks, 14) << "before each step, and at the end";
  CountingRules changes(true, &cell);
  limits_.rules = &changes;
  EXPECT_TRUE(Run(body).ok());
  EXPECT_EQ(changes.checks, 2) << "at the first step, and after the write";
  CountingRules others(true, &other);
  limits_.rules = &others;
  EXPECT_TRUE(Run(body).ok());
  EXPECT_EQ(others.checks, 1) << "at the first step";
}

}  // namespace
}  // namespace twingrad::interleave
