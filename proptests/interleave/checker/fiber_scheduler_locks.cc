// Which mutexes a thread holds: what must not happen meanwhile, and notifies that came too early.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proptests/interleave/checker/fiber_scheduler.h"
#include "proptests/interleave/strategies/thread_set.h"

namespace twingrad::interleave {
namespace {

// A custom function's own lock, which keeps two threads from running it at once.
constexpr std::string_view kHeldForTheUser[] = {"custom_node"};

bool IsNotify(const Operation& operation) {
  return operation.kind == OperationKind::kNotifyOne || operation.kind == OperationKind::kNotifyAll;
}

bool IsSamePlace(const Operation& a, const Operation& b) {
  return a.where.line() == b.where.line() && a.where.column() == b.where.column() &&
         std::string_view(a.where.file_name()) == b.where.file_name();
}

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
  record.held.push_back({&object, taken, ++moment_});
  for (Notify& last : last_notifies_) {
    if (last.thread != running_.thread) continue;
    for (uint64_t rest = waiting_; rest != 0; rest &= rest - 1) {
      const ThreadRecord& waiting = Record(std::countr_zero(rest));
      if (waiting.waits_for->object != last.object || waiting.given_up != &object) continue;
      last.taken_since = moment_;
      last.taken = taken;
    }
  }
}

void FiberScheduler::NoteUnlock(const Identity& object) {
  ThreadRecord& record = *self_;
  const auto held = std::ranges::find(record.held, &object, &HeldLock::object);
  if (held == record.held.end()) return;
  record.given_up = &object;
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

void FiberScheduler::NoteNotify(const void* object, uint64_t waiters, ThreadId woken) {
  if (running_.is_quiet || !IsNotify(self_->doing)) return;
  std::erase_if(last_notifies_,
                [&](const Notify& n) { return n.object == object && n.thread == running_.thread; });
  Notify& last =
      last_notifies_.emplace_back(Notify{object, running_.thread, self_->doing, ++moment_});
  if (woken == sync::model::kNoThread || CountOf(waiters) == 1) return;
  last.woken = {woken, *Record(woken).waits_for};
  Record(woken).woken_by = last;
}

void FiberScheduler::NoteWait(const Operation& operation) {
  ThreadRecord& record = *self_;
  record.waits_since = ++moment_;
  if (operation.kind != OperationKind::kWait || !record.woken_by.has_value()) return;
  if (record.woken_by->object == operation.object) {
    std::erase_if(eaten_notifies_, [&](const Notify& n) { return n.object == operation.object; });
    eaten_notifies_.push_back(*std::move(record.woken_by));
  }
  record.woken_by.reset();
}

// What a notify tells of must be so before it, and it must reach who waits for that. It did not if
// it woke another, who waits again or waited for something else; if it came between the look and
// the wait; or if its thread took the mutex only afterwards, to bring about what it had told of.
std::string FiberScheduler::LostWakeUpText(const ThreadState& waiting) const {
  if (waiting.waits_for->kind != OperationKind::kWait) return "";
  const void* const object = waiting.waits_for->object;
  const auto text = [this](const Notify& notify) {
    return absl::StrCat("  ", Record(notify.thread).name, "'s ", PlaceText(notify.operation));
  };
  const auto woken = [&](const Notify& notify, std::string_view who) {
    const auto& [thread, wait] = *notify.woken;
    return absl::StrCat(text(notify), " woke only ", Record(thread).name, who, " ", PlaceText(wait),
                        "; ", waiting.name, " waits still\n");
  };
  const auto eaten = std::ranges::find(eaten_notifies_, object, &Notify::object);
  if (eaten != eaten_notifies_.end() && eaten->since > waiting.waits_since) {
    return woken(*eaten, ", which then waited again, from its");
  }
  int64_t latest = 0;
  for (const Notify& notify : last_notifies_) {
    if (notify.object == object) latest = std::max(latest, notify.since);
  }
  for (const Notify& notify : last_notifies_) {
    if (notify.object != object) continue;
    if (notify.woken.has_value() && notify.since > waiting.waits_since &&
        !IsSamePlace(notify.woken->second, *waiting.waits_for)) {
      return woken(notify, ", from its");
    }
    if (notify.since > waiting.last_held_since && notify.since <= waiting.waits_since) {
      return absl::StrCat(text(notify), " came too early: ", waiting.name,
                          " had taken the mutex to look, and did not wait yet\n");
    }
    if (notify.taken_since > std::max(waiting.waits_since, latest)) {
      return absl::StrCat(text(notify), " came too early: only later, when ", waiting.name,
                          " waited already, came its ", PlaceText(notify.taken),
                          ", which no notify has followed\n");
    }
  }
  return "";
}

}  // namespace twingrad::interleave
