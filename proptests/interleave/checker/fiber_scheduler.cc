#include "proptests/interleave/checker/fiber_scheduler.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proptests/interleave/strategies/thread_set.h"

namespace twingrad::interleave {

namespace model = sync::model;

namespace {

// What a thread is about to do, as a number that is the same in every process. Each decision
// carries the site at which it was made, so that a replay detects where it diverges. The column is
// included, so two operations on one line differ.
uint32_t SiteOf(ThreadId thread, const Operation& operation) {
  const uint64_t place = uint64_t{operation.where.line()} << 32 |
                         uint64_t{operation.where.column()} << 16 |
                         static_cast<uint64_t>(operation.kind) << 8 | static_cast<uint64_t>(thread);
  const auto site = static_cast<uint32_t>((place * 0x9e3779b97f4a7c15u) >> 32);
  return site == 0 ? 1 : site;  // 0 stands for any
}

}  // namespace

struct FiberScheduler::Worker {
  Worker(FiberScheduler& scheduler, Fiber* main)
      : fiber([this, &scheduler] { scheduler.ServeThreads(*this); }, main) {}

  ThreadId thread = model::kNoThread;  // kNoThread asks an idle worker to end
  Fiber fiber;
};

FiberScheduler::FiberScheduler() = default;

FiberScheduler::~FiberScheduler() {
  // Between executions all workers are idle. One that never ran has nothing to end.
  for (Worker* worker : idle_workers_) {
    worker->thread = model::kNoThread;
    worker->fiber.SwitchFrom(main_);
  }
}

ExecutionOutcome FiberScheduler::Run(const std::function<void()>& body, Strategy& strategy,
                                     uint64_t seed, const ExecutionLimits& limits) {
  if (model::Current() != nullptr)
    model::Misuse("[interleave] an execution inside another", std::source_location::current());
  strategy_ = &strategy;
  strategy.Begin(seed);
  limits_ = limits;
  if (limits_.locks != nullptr) limits_.locks->Begin();
  if (limits_.rules != nullptr) limits_.rules->Begin();
  outcome_ = ExecutionOutcome();
  decisions_.clear();
  races_.Reset();
  memory_.Begin(strategy.memory());
  at_end_.clear();
  live_.clear();
  last_notifies_.clear();
  eaten_notifies_.clear();
  moment_ = 0;
  if (limits_.order != nullptr) limits_.order->Begin();
  runnable_ = waiting_ = 0;
  accesses_ = 0;
  is_changed_ = true;
  activities_.clear();
  now_ = TimePoint();
  switched_ = false;

  self_ = nullptr;
  AddThread("main", body);
  MakeCurrent(0);
  model::SetCurrent(this);
  Record(0).worker->fiber.SwitchFrom(main_);
  model::SetCurrent(nullptr);

  outcome_.decisions.assign(decisions_.begin(), decisions_.end());
  outcome_.thread_names.reserve(threads_.size());
  for (const auto& record : threads_) outcome_.thread_names.push_back(record->name);
  NameActivities();
  if (!outcome_.ok()) AbandonExecution();
  std::move(threads_.begin(), threads_.end(), std::back_inserter(spare_records_));
  threads_.clear();
  return std::move(outcome_);
}

void FiberScheduler::FailAs(OutcomeKind kind, std::string message) {
  outcome_.kind = kind;
  outcome_.message = std::move(message);
  std::sort(outcome_.places.begin(), outcome_.places.end());
  outcome_.places.erase(std::unique(outcome_.places.begin(), outcome_.places.end()),
                        outcome_.places.end());
  Worker* const worker = self_->worker;
  std::erase(idle_workers_, worker);  // there already if its thread has just ended
  main_.SwitchFrom(worker->fiber);
  std::abort();  // a failed execution does not go on
}

void FiberScheduler::Fail(std::string message) {
  FailAs(OutcomeKind::kFailedCheck, std::move(message));
}

// --- Threads ---

ThreadId FiberScheduler::AddThread(std::string name, std::function<void()> body) {
  const ThreadId id = static_cast<ThreadId>(threads_.size());
  if (spare_records_.empty()) spare_records_.push_back(std::make_unique<ThreadRecord>());
  ThreadRecord& record = *threads_.emplace_back(std::move(spare_records_.back()));
  spare_records_.pop_back();
  static_cast<ThreadState&>(record) = {
      .name = std::move(name), .body = std::move(body), .worker = TakeWorker()};
  record.worker->thread = id;
  runnable_ |= Bit(id);
  return id;
}

void FiberScheduler::MakeCurrent(ThreadId thread) {
  if (self_ != nullptr) self_->quiet = running_.is_quiet;
  self_ = &Record(thread);
  running_ = {thread, self_->quiet, &self_->locals};
}

FiberScheduler::Worker* FiberScheduler::TakeWorker() {
  if (idle_workers_.empty()) {
    workers_.push_back(std::make_unique<Worker>(*this, &main_));
    return workers_.back().get();
  }
  Worker* worker = idle_workers_.back();
  idle_workers_.pop_back();
  return worker;
}

void FiberScheduler::ServeThreads(Worker& worker) {
  while (worker.thread != model::kNoThread) {
    const ThreadId thread = worker.thread;
    RunThread(thread);
    CheckRules();
    ThreadRecord& record = Record(thread);
    record.state = State::kEnded;
    ++record.steps;  // the choice of who goes on is another than that of its last step
    runnable_ &= ~Bit(thread);
    idle_workers_.push_back(&worker);
    if (thread == 0) {
      CheckNothingIsLeft();
      main_.SwitchFrom(worker.fiber);
    } else {
      WakeAll(&record);
      PassOn(static_cast<uint32_t>(thread));
    }
  }
}

int& FiberScheduler::LiveOf(const char* name) {
  for (auto& [known, count] : live_) {
    if (known == name) return count;
  }
  return live_.emplace_back(name, 0).second;
}

void FiberScheduler::CheckNothingIsLeft() {
  for (const auto& other : threads_) {
    if (other->state == State::kEnded) continue;
    FailAs(OutcomeKind::kLeakedThread, absl::StrCat("[interleave] the body ended before thread ",
                                                    other->name, " did; join it"));
  }
  std::string left;
  for (const auto& [name, count] : live_) {
    if (count == 0) continue;
    const char* const known = *name == '\0' ? "unnamed mutex" : name;
    absl::StrAppend(&left, left.empty() ? "" : ", ", count, " x ", known);
    outcome_.places.emplace_back(known);
  }
  if (left.empty()) return;
  FailAs(OutcomeKind::kLeakedObject,
         absl::StrCat("[interleave] the execution ended and left undestroyed what holds these "
                      "mutexes: ",
                      left));
}

void FiberScheduler::RunThread(ThreadId thread) {
  ThreadRecord& record = Record(thread);
  try {
    record.body();
    record.body = nullptr;
    if (thread == 0) RunEndActions(/*completed=*/true);
    record.locals.Clear();
  } catch (const std::exception& error) {
    FailAs(OutcomeKind::kException,
           absl::StrCat("[interleave] an exception left thread ", record.name, ": ", error.what()));
  } catch (...) {
    FailAs(OutcomeKind::kException,
           absl::StrCat("[interleave] an unknown exception left thread ", record.name));
  }
}

void FiberScheduler::RunEndActions(bool completed) {
  while (!at_end_.empty()) {
    const auto action = std::move(at_end_.back());
    at_end_.pop_back();
    action(completed);
  }
}

ThreadId FiberScheduler::Spawn(std::string name, std::function<void()> body,
                               std::source_location where) {
  Step({OperationKind::kSpawn, nullptr, "", where});
  if (threads_.size() >= static_cast<size_t>(kMaxThreads)) {
    Fail(absl::StrCat("[interleave] more than ", kMaxThreads, " threads in one execution"));
  }
  const ThreadId id = AddThread(std::move(name), std::move(body));
  races_.Spawn(running_.thread, id);
  return id;
}

void FiberScheduler::Join(ThreadId thread, std::source_location where) {
  ThreadRecord& record = Record(thread);
  const Operation operation{OperationKind::kJoin, &record, "", where, thread};
  Step(operation);
  while (record.state != State::kEnded) Wait(operation, std::nullopt);
  races_.Join(running_.thread, thread);
}

void FiberScheduler::AtEnd(std::function<void(bool)> action) {
  at_end_.push_back(std::move(action));
}

// --- Steps and waits ---

uint32_t FiberScheduler::SiteHere() const { return SiteOf(running_.thread, self_->doing); }

void FiberScheduler::AskRules() {
  std::optional<BrokenRule> broken = limits_.rules->Check();
  is_changed_ = !limits_.rules->HasSeenAll();
  if (!broken) return;
  outcome_.places.push_back(std::move(broken->name));
  FailAs(OutcomeKind::kInvariant, absl::StrCat(broken->text, "\n  since ", self_->name,
                                               " went on from its ", PlaceText(self_->doing)));
}

void FiberScheduler::FailForSteps() {
  FailAs(OutcomeKind::kStepBudget, absl::StrCat("[interleave] no end after ", limits_.max_steps,
                                                " steps: a livelock, or raise max_steps"));
}

void FiberScheduler::Log(const Operation& operation, Event::Phase phase) {
  if (!limits_.record_events) return;
  outcome_.events.push_back({running_.thread, operation, phase, switched_});
  switched_ = false;
}

void FiberScheduler::BeginStep(const Operation& operation) {
  CheckRules();
  CountStep();
  self_->doing = operation;
}

void FiberScheduler::Step(const Operation& operation) {
  if (running_.is_quiet) return;
  BeginStep(operation);
  if (runnable_ != Bit(running_.thread)) GiveWay(SiteOf(running_.thread, operation));
  Log(operation, Event::Phase::kDone);
}

bool FiberScheduler::Wait(const Operation& operation, std::optional<TimePoint> deadline) {
  BeginStep(operation);
  const uint32_t site = SiteOf(running_.thread, operation);
  const bool spurious =
      operation.kind == OperationKind::kWait && Decide(DecisionKind::kSpurious, 2, 0, site) == 1;
  Log(operation, Event::Phase::kParked);
  ThreadRecord& record = *self_;
  record.timed_out = false;
  const bool expires = !spurious && deadline && operation.kind == OperationKind::kWait &&
                       runnable_ != Bit(running_.thread) &&
                       Decide(DecisionKind::kTimeout, 2, 0, site) == 1;
  if (expires) {
    record.timed_out = true;
    MoveTimeTo(*deadline);
  }
  if (spurious || expires) {
    GiveWay(site);
  } else {
    record.state = State::kWaiting;
    NoteWait(operation);
    record.waits_for = operation;
    record.deadline = deadline;
    runnable_ &= ~Bit(running_.thread);
    waiting_ |= Bit(running_.thread);
    PassOn(site);
  }
  Log(operation, record.timed_out ? Event::Phase::kTimedOut : Event::Phase::kWoken);
  return !record.timed_out;
}

bool FiberScheduler::FailsWithoutReason(const Operation& operation) {
  if (running_.is_quiet) return false;
  const bool is_lock = operation.kind == OperationKind::kTryLock;
  return Decide(is_lock ? DecisionKind::kTryLock : DecisionKind::kWeakFail, 2, 0,
                SiteOf(running_.thread, operation)) == 1;
}

void FiberScheduler::Wake(ThreadId thread) {
  ThreadRecord& record = Record(thread);
  record.state = State::kRunnable;
  record.waits_for.reset();
  record.deadline.reset();
  runnable_ |= Bit(thread);
  waiting_ &= ~Bit(thread);
}

uint64_t FiberScheduler::WaitersFor(const void* object) const {
  uint64_t waiters = 0;
  for (uint64_t rest = waiting_; rest != 0; rest &= rest - 1) {
    const ThreadId thread = std::countr_zero(rest);
    if (Record(thread).waits_for->object == object) waiters |= Bit(thread);
  }
  return waiters;
}

void FiberScheduler::WakeOne(const void* object) {
  const uint64_t waiters = WaitersFor(object);
  const int count = CountOf(waiters);
  if (count == 0) return NoteNotify(object, 0, model::kNoThread);
  const int chosen =
      count == 1 ? 0
                 : Decide(DecisionKind::kWaiter, count, 0, static_cast<uint32_t>(running_.thread));
  const ThreadId woken = ThreadAt(waiters, chosen);
  NoteNotify(object, waiters, woken);
  Wake(woken);
}

void FiberScheduler::WakeAll(const void* object) {
  const uint64_t waiters = WaitersFor(object);
  NoteNotify(object, waiters, model::kNoThread);
  for (uint64_t rest = waiters; rest != 0; rest &= rest - 1) {
    Wake(std::countr_zero(rest));
  }
}

// --- Decisions ---

int FiberScheduler::Decide(DecisionKind kind, int alternatives, int current, uint32_t site,
                           uint64_t runnable) {
  const int step = self_->steps;
  const bool yields = current >= 0 && self_->doing.kind == OperationKind::kYield;
  const int chosen = strategy_->Choose(
      {kind, alternatives, current, site, running_.thread, step, runnable, yields});
  if (!strategy_->error().empty()) FailForDivergence(kind);
  decisions_.push_back(
      {kind, alternatives, chosen, site, current, running_.thread, step, runnable});
  return chosen;
}

int FiberScheduler::ChooseSetting(int count) {
  return Decide(DecisionKind::kSetting, count, -1, SiteHere());
}

void FiberScheduler::FailForDivergence(DecisionKind kind) {
  const ThreadRecord& record = *self_;
  std::string text = absl::StrCat(strategy_->error(), "; ", record.name);
  if (record.doing.where.line() == 0) {
    absl::StrAppend(&text, " is before its first step");
  } else {
    // The strategy is asked whether a weak compare-exchange fails before that takes its step.
    const bool over = record.state == State::kEnded || kind == DecisionKind::kWeakFail;
    absl::StrAppend(&text, over ? " is after its " : " is at its ", PlaceText(record.doing));
  }
  const uint32_t expected = strategy_->expected_site();
  const auto known =
      std::find_if(outcome_.events.begin(), outcome_.events.end(), [expected](const Event& event) {
        return event.thread < kMaxThreads && SiteOf(event.thread, event.operation) == expected;
      });
  if (known != outcome_.events.end()) {
    absl::StrAppend(&text, "; recorded is ", Record(known->thread).name, " at its ",
                    PlaceText(known->operation));
  }
  FailAs(OutcomeKind::kDivergedReplay, std::move(text));
}

ThreadId FiberScheduler::PickThread(uint32_t site) {
  const int count = CountOf(runnable_);
  if (count == 1) return std::countr_zero(runnable_);
  const bool can_stay = (runnable_ & Bit(running_.thread)) != 0;
  const int stay = can_stay ? PlaceOf(runnable_, running_.thread) : -1;
  const int chosen = Decide(DecisionKind::kThread, count, stay, site, runnable_);
  return chosen == stay ? running_.thread : ThreadAt(runnable_, chosen);
}

void FiberScheduler::GiveWay(uint32_t site) {
  const ThreadId next = PickThread(site);
  if (next != running_.thread) SwitchTo(next);
}

void FiberScheduler::PassOn(uint32_t site) {
  if (runnable_ == 0 && !AdvanceTime()) {
    std::string lost;
    for (const auto& record : threads_) {
      if (record->state != State::kWaiting) continue;
      outcome_.places.push_back(absl::StrCat(model::OperationName(record->waits_for->kind), " ",
                                             record->waits_for->name));
      lost += LostWakeUpText(*record);
    }
    const OutcomeKind kind = lost.empty() ? OutcomeKind::kDeadlock : OutcomeKind::kLostWakeUp;
    FailAs(kind, absl::StrCat("[interleave] ", OutcomeName(kind), ": no thread can go on\n",
                              DescribeWaits(), lost));
  }
  GiveWay(site);  // if the current thread's own deadline was the earliest, it may simply continue
}

void FiberScheduler::SwitchTo(ThreadId next) {
  Worker* const from = self_->worker;
  MakeCurrent(next);  // and whoever switches back does so again
  switched_ = true;
  ++outcome_.switches;
  self_->worker->fiber.SwitchFrom(from->fiber);
}

bool FiberScheduler::AdvanceTime() {
  std::optional<TimePoint> earliest;
  for (const auto& record : threads_) {
    if (record->state == State::kWaiting && record->deadline &&
        (!earliest || *record->deadline < *earliest)) {
      earliest = record->deadline;
    }
  }
  if (!earliest) return false;
  MoveTimeTo(*earliest);
  return true;
}

void FiberScheduler::MoveTimeTo(TimePoint time) {
  now_ = std::max(now_, time);
  for (size_t i = 0; i < threads_.size(); ++i) {
    ThreadRecord& record = *threads_[i];
    if (record.state == State::kWaiting && record.deadline && *record.deadline <= now_) {
      record.timed_out = true;
      Wake(static_cast<ThreadId>(i));
    }
  }
}

std::string FiberScheduler::DescribeWaits() const {
  std::string text;
  for (const auto& record : threads_) {
    if (record->state != State::kWaiting) continue;
    Operation operation = *record->waits_for;
    const bool is_join = operation.kind == OperationKind::kJoin;
    if (is_join) operation.name = Record(operation.holder).name.c_str();
    absl::StrAppend(&text, "  ", record->name, " waits in ", PlaceText(operation));
    if (!is_join && operation.holder != model::kNoThread) {
      absl::StrAppend(&text, ", held by ", Record(operation.holder).name);
    }
    absl::StrAppend(&text, "\n");
  }
  return text;
}

void FiberScheduler::AbandonExecution() {
  // Kept reachable for ever, so that what the fibers hold is not reported as leaked.
  static auto* const abandoned = new std::vector<std::unique_ptr<ThreadRecord>>();
  std::move(threads_.begin(), threads_.end(), std::back_inserter(*abandoned));
  threads_.clear();
  std::erase_if(workers_, [&](const std::unique_ptr<Worker>& worker) {
    const auto idle = std::find(idle_workers_.begin(), idle_workers_.end(), worker.get());
    if (idle != idle_workers_.end()) return false;
    worker->fiber.Abandon();
    return true;
  });
  RunEndActions(/*completed=*/false);
}

}  // namespace twingrad::interleave
