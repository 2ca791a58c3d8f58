// Mutex and CondVar of the model. Included by autograd/sync/mutex.h only.
//
// The same members as in the standard back end; each takes the caller's source line besides, for
// the reports. Misuse (unlocking another's mutex, destroying a held one, waiting without the
// mutex) fails the execution.
#pragma once

#include <optional>
#include <type_traits>

#include "autograd/sync/annotations.h"
#include "autograd/sync/clock.h"
#include "autograd/sync/model/scheduler.h"

namespace twingrad::sync {

class CondVar;

class AG_CAPABILITY("mutex") Mutex {
 public:
  constexpr Mutex() { Count(); }
  constexpr explicit Mutex(const char* name) : name_(name) { Count(); }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  constexpr ~Mutex() {
    if (held_) model::Misuse("[sync] a held mutex is destroyed", Site::current());
    if (!std::is_constant_evaluated()) End();
  }

  void Lock(Site where = Site::current()) AG_ACQUIRE() {
    if (model::Scheduler* scheduler = model::Current()) {
      const model::Operation operation{model::OperationKind::kLock, this, name_, where};
      scheduler->Step(operation);
      Take(*scheduler, operation);
    } else {
      if (held_) model::Misuse("[sync] a mutex is locked twice", where);
      held_ = true;
    }
  }
  void Unlock(Site where = Site::current()) AG_RELEASE() {
    model::Scheduler* scheduler = model::Current();
    if (scheduler != nullptr) {
      scheduler->Step({model::OperationKind::kUnlock, this, name_, where});
    }
    GiveUp(scheduler, where);
  }
  [[nodiscard]] bool TryLock(Site where = Site::current()) AG_TRY_ACQUIRE(true) {
    model::Scheduler* scheduler = model::Current();
    const model::Operation operation{model::OperationKind::kTryLock, this, name_, where};
    if (scheduler != nullptr) scheduler->Step(operation);
    if (held_) return false;
    if (scheduler != nullptr && scheduler->FailsWithoutReason(operation)) return false;
    held_ = true;
    if (scheduler != nullptr) {
      owner_ = scheduler->CurrentThread();
      scheduler->Acquire(identity_);
    }
    return true;
  }
  // Whether some thread holds it: for a checker that has stopped them all.
  bool IsHeld() const { return held_; }

 private:
  friend class CondVar;

  // Those of static storage outlive executions.
  constexpr void Count() {
    if (std::is_constant_evaluated()) return;
    if (model::Scheduler* scheduler = model::Current()) {
      scheduler->Born(name_);
      is_counted_ = true;
    }
  }
  void End() {
    model::Scheduler* scheduler = model::Current();
    if (scheduler != nullptr && is_counted_) scheduler->Died(name_);
  }
  bool HeldByCaller() const {
    const model::Scheduler* scheduler = model::Current();
    return held_ && (scheduler == nullptr || owner_ == scheduler->CurrentThread());
  }
  void Take(model::Scheduler& scheduler, model::Operation operation) {
    if (HeldByCaller()) model::Misuse("[sync] a thread locks a mutex it holds", operation.where);
    while (held_) {
      operation.holder = owner_;
      scheduler.Wait(operation, std::nullopt);
    }
    held_ = true;
    owner_ = scheduler.CurrentThread();
    scheduler.Acquire(identity_);
  }
  void GiveUp(model::Scheduler* scheduler, Site where) {
    if (!HeldByCaller()) model::Misuse("[sync] a thread unlocks a mutex it does not hold", where);
    held_ = false;
    if (scheduler == nullptr) return;
    scheduler->Release(identity_);
    scheduler->WakeAll(this);
  }

  const char* name_ = "";
  model::ThreadId owner_ = model::kNoThread;
  bool held_ = false;
  bool is_counted_ = false;
  model::Identity identity_;
};

class CondVar {
 public:
  constexpr CondVar() = default;
  constexpr explicit CondVar(const char* name) : name_(name) {}
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;
  constexpr ~CondVar() {
    if (waiters_ != 0)
      model::Misuse("[sync] a condition variable is destroyed while waited on", Site::current());
  }

  void Wait(Mutex& mutex, Site where = Site::current()) AG_REQUIRES(mutex) {
    WaitForWake(mutex, std::nullopt, where);
  }
  bool WaitUntil(Mutex& mutex, TimePoint deadline, Site where = Site::current())
      AG_REQUIRES(mutex) {
    return WaitForWake(mutex, deadline, where);
  }
  void NotifyOne(Site where = Site::current()) {
    model::Scheduler* scheduler = model::Current();
    if (scheduler == nullptr) return;  // nobody can wait outside an execution
    scheduler->Step({model::OperationKind::kNotifyOne, this, name_, where});
    scheduler->WakeOne(this);
  }
  void NotifyAll(Site where = Site::current()) {
    model::Scheduler* scheduler = model::Current();
    if (scheduler == nullptr) return;
    scheduler->Step({model::OperationKind::kNotifyAll, this, name_, where});
    scheduler->WakeAll(this);
  }

 private:
  bool WaitForWake(Mutex& mutex, std::optional<TimePoint> deadline, Site where) {
    model::Scheduler* scheduler = model::Current();
    if (scheduler == nullptr) model::Misuse("[sync] a wait outside an execution", where);
    const model::Operation operation{model::OperationKind::kWait, this, name_, where};
    scheduler->Step(operation);
    mutex.GiveUp(scheduler, where);
    ++waiters_;
    const bool woken = scheduler->Wait(operation, deadline);
    --waiters_;
    mutex.Take(*scheduler, {model::OperationKind::kLock, &mutex, mutex.name_, where});
    return woken;
  }

  const char* name_ = "";
  int waiters_ = 0;
};

}  // namespace twingrad::sync
