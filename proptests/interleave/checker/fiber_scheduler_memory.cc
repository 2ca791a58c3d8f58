// What the executed code does to memory: locks, atomics and cells, as far as they order or race.
#include <cstdint>
#include <utility>

#include "proptests/interleave/checker/fiber_scheduler.h"

namespace twingrad::interleave {

namespace model = sync::model;

void FiberScheduler::Forget(const Identity& object) {
  races_.Forget(object);
  memory_.Forget(object);
  if (limits_.locks != nullptr) limits_.locks->Forget(&object);
}

void FiberScheduler::Acquire(const Identity& object) {
  if (running_.is_quiet) return;
  const ThreadRecord& record = *self_;
  const OperationKind doing = record.doing.kind;
  // A wait on a condition variable ends by taking the mutex again.
  if (doing == OperationKind::kLock || doing == OperationKind::kTryLock ||
      doing == OperationKind::kWait) {
    if (limits_.locks != nullptr) {
      limits_.locks->OnLock(running_.thread,
                            {OperationKind::kLock, &object, record.doing.name, record.doing.where},
                            races_);
    }
    NoteLock(object);
  }
  races_.Acquire(running_.thread, object);
}

void FiberScheduler::Release(const Identity& object) {
  if (running_.is_quiet) return;
  const ThreadRecord& record = *self_;
  if (record.doing.kind == OperationKind::kUnlock || record.doing.kind == OperationKind::kWait) {
    if (limits_.locks != nullptr) limits_.locks->OnUnlock(running_.thread, &object, races_);
    NoteUnlock(object);
  }
  races_.Release(running_.thread, object);
}

uint64_t FiberScheduler::Load(const model::AtomicObject& object, model::MemoryOrder order,
                              const uint64_t* expected) {
  if (running_.is_quiet) return object.latest;
  const int count = memory_.Readable(running_.thread, object, order, expected);
  const int chosen = count == 1 ? 0 : Decide(DecisionKind::kStale, count, 0, SiteHere());
  return memory_.Load(running_.thread, object, order, expected, chosen);
}

bool FiberScheduler::Store(const model::AtomicObject& object, model::MemoryOrder order,
                           uint64_t value) {
  if (running_.is_quiet) {
    memory_.StoreQuietly(object, value);
    return true;
  }
  const int count = memory_.Places(running_.thread, object, order);
  const int chosen = count == 1 ? 0 : Decide(DecisionKind::kPlace, count, 0, SiteHere());
  return memory_.Store(running_.thread, object, order, value, chosen);
}

void FiberScheduler::Update(const model::AtomicObject& object, model::MemoryOrder order,
                            uint64_t value) {
  if (running_.is_quiet) {
    memory_.StoreQuietly(object, value);
  } else {
    memory_.Update(running_.thread, object, order, value);
  }
}

void FiberScheduler::Fence(model::MemoryOrder order) {
  if (!running_.is_quiet) memory_.Fence(running_.thread, order);
}

void FiberScheduler::Access(const Operation& operation, const Identity& cell) {
  if (operation.kind == OperationKind::kCellWrite && limits_.rules != nullptr) {
    is_changed_ |= limits_.rules->Touch(operation.object);
  }
  if (running_.is_quiet) return;
  if (++accesses_ > kAccessesAStep * limits_.max_steps) FailForSteps();
  auto race = races_.Access(running_.thread, operation, cell);
  if (!race) return;
  Log(operation, Event::Phase::kDone);
  outcome_.places.assign(race->places.begin(), race->places.end());
  FailAs(OutcomeKind::kRace, std::move(race->text));
}

}  // namespace twingrad::interleave
