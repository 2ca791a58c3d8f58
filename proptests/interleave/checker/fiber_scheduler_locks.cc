// Which mutexes a thread holds: what must not happen meanwhile, and notifies that came too early.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proptests/interleave/checker/fiber_scheduler.h"

namespace twingrad::interleave {
namespace {

// A custom function's own lock, which keeps two threads from running it at once.
constexpr std::string_view kHeldForTheUser[] = {"custom_node"};

}  // namespace

void FiberScheduler::NoteLock(const Identity& object) {
  ThreadRecord& record = *self_;
  Operation taken = record.doing;
  // A wait that ends takes the mutex that it gave up.
  if (taken.kind == OperationKind::kWait) taken.name = record.given_up_name;
  if (limits_.order != nullptr) {
    for (const HeldLock& held : record.held) {
      const auto cycle = limits_.order->Add(held.taken, taken);
      if (!cycle.has_value()) continue;
      outcome_.places = {held.taken.name, taken.name};
      FailAs(OutcomeKind::kLockOrder,
             absl::StrCat("[interleave] mutexes are taken in orders that can make threads wait for "
                          "one another\n",
                          *cycle));
    }
  }
  record.held.push_back({&object, taken, outcome_.steps});
}

void FiberScheduler::NoteUnlock(const Identity& object) {
  ThreadRecord& record = *self_;
  const auto held = std::ranges::find(record.held, &object, &HeldLock::object);
  if (held == record.held.end()) return;
  record.last_held_since = held->since;
  record.given_up_name = held->taken.name;
  record.held.erase(held);
}

void FiberScheduler::UserCode(const char* what) {
  for (const HeldLock& held : self_->held) {
    if (std::ranges::find(kHeldForTheUser, held.taken.name) != std::end(kHeldForTheUser)) continue;
    outcome_.places = {held.taken.name};
    FailAs(OutcomeKind::kLockHeld,
           absl::StrCat("[interleave] ", what, " runs on ", self_->name,
                        " while that holds a mutex, since its ", PlaceText(held.taken),
                        "; no lock may be held there; run it after the lock is given up"));
  }
}

void FiberScheduler::NoteNotify(const void* object, bool woke) {
  if (self_->quiet) return;
  std::erase_if(idle_notifies_, [object](const IdleNotify& n) { return n.object == object; });
  if (!woke) idle_notifies_.push_back({object, current_, self_->doing, outcome_.steps});
}

const FiberScheduler::IdleNotify* FiberScheduler::LostWakeUpOf(const ThreadState& waiting) const {
  if (!waiting.waits_for || waiting.waits_for->kind != OperationKind::kWait) return nullptr;
  for (const IdleNotify& notify : idle_notifies_) {
    if (notify.object == waiting.waits_for->object && notify.step > waiting.last_held_since) {
      return &notify;
    }
  }
  return nullptr;
}

std::string FiberScheduler::DescribeLostWakeUps() const {
  std::string text;
  for (const auto& record : threads_) {
    if (record->state != State::kWaiting) continue;
    const IdleNotify* const notify = LostWakeUpOf(*record);
    if (notify == nullptr) continue;
    absl::StrAppend(&text, "  ", Record(notify->thread).name, "'s ", PlaceText(notify->operation),
                    " came too early: ", record->name,
                    " had taken the mutex to look, and did not wait yet\n");
  }
  return text;
}

}  // namespace twingrad::interleave
