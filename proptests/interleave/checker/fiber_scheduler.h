// FiberScheduler: runs one execution of a multi-threaded program on fibers, one decision at a time.
//
// It implements the scheduler interface of the model back end (autograd/sync/model/scheduler.h).
// All threads of the program are fibers of the calling OS thread. At each scheduling point a
// Strategy chooses which runnable thread continues; it is not asked if only one can run. Time
// advances when no thread can run and at least one waits for a deadline.
//
// A failed execution is abandoned: its fibers stay where they are and are never unwound, since
// destructors and handlers would run in a state that no execution of the program can reach. So a
// failure leaks what the program held. Fibers of passing executions are reused.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "autograd/sync/model/scheduler.h"
#include "proptests/interleave/checker/fiber.h"
#include "proptests/interleave/checker/lock_coverage.h"
#include "proptests/interleave/checker/lock_order.h"
#include "proptests/interleave/checker/memory_model.h"
#include "proptests/interleave/checker/outcome.h"
#include "proptests/interleave/checker/race_detector.h"
#include "proptests/interleave/checker/state_rules.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

struct ExecutionLimits {
  int64_t max_steps = 100000;
  bool record_events = false;
  LockCoverage* locks = nullptr;  // notified of every lock taken, unless null
  StateRules* rules = nullptr;    // checked after every step, unless null
  LockOrder* order = nullptr;     // of mutexes; a cycle is a failure, unless null
};

class FiberScheduler final : public sync::model::Scheduler {
 public:
  using TimePoint = sync::model::TimePoint;

  FiberScheduler();
  ~FiberScheduler() override;

  // Runs `body` as thread 0 until all threads have ended, or until the first failure.
  ExecutionOutcome Run(const std::function<void()>& body, Strategy& strategy, uint64_t seed,
                       const ExecutionLimits& limits);
  // In which of so many settings, at least 2, the body is to run; 0 is the plain one. A decision of
  // the schedule like any other. Called from inside the execution.
  int ChooseSetting(int count);
  // Ends the execution as a failure of the given kind; called from inside it.
  [[noreturn]] void FailAs(OutcomeKind kind, std::string message);

  void Step(const Operation& operation) override;
  bool Wait(const Operation& operation, std::optional<TimePoint> deadline) override;
  bool FailsWithoutReason(const Operation& operation) override;
  void WakeOne(const void* object) override;
  void WakeAll(const void* object) override;
  ThreadId Spawn(std::string name, std::function<void()> body, std::source_location where) override;
  void Join(ThreadId thread, std::source_location where) override;
  int ChooseActivity(uint64_t able, int waited_for) override;
  void NoteActivity(int activity, const std::function<sync::model::ActivityStep()>& describe,
                    std::source_location where) override;
  TimePoint Now() const override { return now_; }
  void Acquire(const Identity& object) override;
  void Release(const Identity& object) override;
  uint64_t Load(const sync::model::AtomicObject& object, sync::model::MemoryOrder order,
                const uint64_t* expected) override;
  bool Store(const sync::model::AtomicObject& object, sync::model::MemoryOrder order,
             uint64_t value) override;
  void Update(const sync::model::AtomicObject& object, sync::model::MemoryOrder order,
              uint64_t value) override;
  void Fence(sync::model::MemoryOrder order) override;
  void Access(const Operation& operation, const Identity& cell) override;
  void Forget(const Identity& object) override;
  void Born(const char* name) override { ++LiveOf(name); }
  void Died(const char* name) override { --LiveOf(name); }
  void Appear(const std::type_info& type, const void* object) override {
    is_changed_ = true;
    if (limits_.rules != nullptr) limits_.rules->Appear(type, object);
  }
  void Vanish(const std::type_info& type, const void* object) override {
    is_changed_ = true;
    if (limits_.rules != nullptr) limits_.rules->Vanish(type, object);
  }
  void UserCode(const char* what) override;
  void AtEnd(std::function<void(bool completed)> action) override;
  [[noreturn]] void Fail(std::string message) override;

 private:
  enum class State : uint8_t { kRunnable, kWaiting, kEnded };
  struct HeldLock {
    const Identity* object;
    Operation taken;
    int64_t since;
  };
  struct Notify {
    const void* object;
    ThreadId thread;
    Operation operation;
    int64_t since;
    std::optional<std::pair<ThreadId, Operation>> woken = {};  // the one of several, and its wait
    // When its thread took the mutex of one who was waiting, and where.
    int64_t taken_since = 0;
    Operation taken = {};
  };
  // A fiber and the loop that serves one thread after another on it.
  struct Worker;
  struct ThreadState {
    std::string name;
    std::function<void()> body;
    Worker* worker = nullptr;
    State state = State::kRunnable;
    std::optional<Operation> waits_for = {};  // set while kWaiting
    std::optional<TimePoint> deadline = {};
    bool timed_out = false;
    bool quiet = false;  // while it does not run
    int steps = 0;
    // The current operation, to which Acquire and Release belong.
    Operation doing = {OperationKind::kYield, nullptr, "", {}};
    std::vector<HeldLock> held = {};
    // Of the mutex given up last.
    const Identity* given_up = nullptr;
    int64_t last_held_since = 0;
    const char* given_up_name = "";
    int64_t waits_since = 0;
    // One of several that waited, and woken by this.
    std::optional<Notify> woken_by = {};
  };
  // Serves one execution after another, so that the memory of its locals is used again.
  struct ThreadRecord : ThreadState {
    sync::model::LocalTable locals;
  };

  ThreadRecord& Record(ThreadId thread) const { return *threads_[static_cast<size_t>(thread)]; }
  Worker* TakeWorker();
  void ServeThreads(Worker& worker);
  void RunThread(ThreadId thread);
  ThreadId AddThread(std::string name, std::function<void()> body);
  void RunEndActions(bool completed);
  void MakeCurrent(ThreadId thread);
  void CountStep() {
    ++self_->steps;
    if (++outcome_.steps > limits_.max_steps) FailForSteps();
  }
  [[noreturn]] void FailForSteps();
  // Accesses to cells are not steps, but a loop that does nothing else must hit the limit too: this
  // many accesses count as one step.
  static constexpr int64_t kAccessesAStep = 16;
  // Fails the execution if the current thread has broken a rule since the last check.
  void CheckRules() {
    if (is_changed_ && limits_.rules != nullptr && !GuardsNothing(self_->doing.kind)) AskRules();
  }
  // True for accesses to atomics, the most frequent steps: the state that rules read changes only
  // under locks.
  static bool GuardsNothing(OperationKind kind) {
    return kind >= OperationKind::kAtomicLoad && kind <= OperationKind::kAtomicUpdate;
  }
  void AskRules();
  // The current thread is about to do this.
  void BeginStep(const Operation& operation);
  void Log(const Operation& operation, Event::Phase phase);
  // What the current thread is doing, as the site of a decision.
  uint32_t SiteHere() const;
  int Decide(DecisionKind kind, int alternatives, int current, uint32_t site,
             uint64_t runnable = 0);
  // The strategy cannot answer. The failure names the thread and the operation that asked.
  [[noreturn]] void FailForDivergence(DecisionKind kind);
  // Lets a runnable thread go on, perhaps the current one; there must be one.
  void GiveWay(uint32_t site);
  ThreadId PickThread(uint32_t site);
  // Switches to another thread because the current one cannot continue; a deadlock if none can.
  void PassOn(uint32_t site);
  void SwitchTo(ThreadId next);
  void Wake(ThreadId thread);
  uint64_t WaitersFor(const void* object) const;
  // Advances time to the earliest deadline and wakes the threads that wait for it; false if no
  // thread waits for a deadline.
  bool AdvanceTime();
  void MoveTimeTo(TimePoint time);
  std::string DescribeWaits() const;
  void NoteLock(const Identity& object);
  void NoteUnlock(const Identity& object);
  // `waiters` waited, of which `woken` goes on; kNoThread: all do.
  void NoteNotify(const void* object, uint64_t waiters, ThreadId woken);
  // The current thread is about to wait: again, if it was woken by a notify that it had no use for.
  void NoteWait(const Operation& operation);
  // A line on the notify that should have woken the thread; empty if there was none.
  std::string LostWakeUpText(const ThreadState& waiting) const;
  int& LiveOf(const char* name);
  // Fails the execution if a thread has outlived the body or an object was not destroyed.
  void CheckNothingIsLeft();
  void AbandonExecution();
  // Gives the activities that took part the numbers after those of the threads.
  void NameActivities();

  Fiber main_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> idle_workers_;
  std::vector<std::unique_ptr<ThreadRecord>> threads_;
  std::vector<std::unique_ptr<ThreadRecord>> spare_records_;  // of executions that have ended
  uint64_t runnable_ = 0;                                     // bit i: thread i
  uint64_t waiting_ = 0;
  ThreadRecord* self_ = nullptr;  // that of the running thread
  bool switched_ = false;         // since the last event
  TimePoint now_;
  std::vector<std::function<void(bool)>> at_end_;
  // Counts what locks, waits and notifies do, in the order in which they do it: a step is counted
  // before its thread may have to let others go first. Members named `since` are such moments.
  int64_t moment_ = 0;
  std::vector<Notify> last_notifies_;              // of each thread, of each condition variable
  std::vector<Notify> eaten_notifies_;             // the last that woke one that waited again
  std::vector<std::pair<const char*, int>> live_;  // mutexes by name: how many were not destroyed
  RaceDetector races_;
  MemoryModel memory_{races_};
  Strategy* strategy_ = nullptr;
  ExecutionLimits limits_;
  ExecutionOutcome outcome_;
  int64_t accesses_ = 0;     // to cells
  bool is_changed_ = false;  // the state that rules read has changed since they last saw all of it
  std::vector<std::string> activities_;  // names of those that have gone on, by number
  Trace decisions_;                      // of the current execution; a member to reuse its memory
};

}  // namespace twingrad::interleave
