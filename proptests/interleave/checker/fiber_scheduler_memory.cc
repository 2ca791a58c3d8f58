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
  const ThreadRecord& record = *self_;
  if (record.quiet) return;
  const OperationKind doing = record.doing.kind;
  // A wait on a condition variable ends by taking the mutex again.
  if (doing == OperationKind::kLock || doing == OperationKind::kTryLock ||
      doing == OperationKind::kWait) {
    if (limits_.locks != nullptr) {
      limits_.locks->OnLock(
          current_, {OperationKind::kLock, &object, record.doing.name, record.doing.where}, races_);
    }
    NoteLock(object);
  }
  races_.Acquire(current_, object);
}

void FiberScheduler::Release(const Identity& object) {
  const ThreadRecord& record = *self_;
  if (record.quiet) return;
  if (record.doing.kind == OperationKind::kUnlock || record.doing.kind == OperationKind::kWait) {
    if (limits_.locks != nullptr) limits_.locks->OnUnlock(current_, &object, races_);
    NoteUnlock(object);
  }
  races_.Release(current_, object);
}

uint64_t FiberScheduler::Load(const model::AtomicObject& object, model::MemoryOrder order,
                              const uint64_t* expected) {
  if (self_->quiet) return object.latest;
  const int count = memory_.Readable(current_, object, order, expected);
  const int chosen = count == 1 ? 0 : Decide(DecisionKind::kStale, count, 0, SiteHere());
  return memory_.Load(current_, object, order, expected, chosen);
}

bool FiberScheduler::Store(const model::AtomicObject& object, model::MemoryOrder order,
                           uint64_t value) {
  if (self_->quiet) {
    memory_.StoreQuietly(object, value);
    return true;
  }
  const int count = memory_.Places(current_, object, order);
  const int chosen = count == 1 ? 0 : Decide(DecisionKind::kPlace, count, 0, SiteHere());
  return memory_.Store(current_, object, order, value, chosen);
}

void FiberScheduler::Update(const model::AtomicObject& object, model::MemoryOrder order,
                            uint64_t value) {
  if (self_->quiet) {
    memory_.StoreQuietly(object, value);
  } else {
    memory_.Update(current_, object, order, value);
  }
}

void FiberScheduler::Fence(model::MemoryOrder order) {
  if (!self_->quiet) memory_.Fence(current_, order);
}

void FiberScheduler::Access(const Operation& operation, const Identity& cell) {
  is_changed_ |= operation.kind == OperationKind::kCellWrite;
  if (self_->quiet) return;
  if (++accesses_ > kAccessesAStep * limits_.max_steps) FailForSteps();
  auto race = races_.Access(current_, operation, cell);
  if (!race) return;
  Log(operation, Event::Phase::kDone);
  outcome_.places.assign(race->places.begin(), race->places.end());
  FailAs(OutcomeKind::kRace, std::move(race->text));
}

}  // namespace twingrad::interleave
