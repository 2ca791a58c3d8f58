// Activities: what goes on beside the threads, such as the queues of a device.
//
//   const int next = sync::ChooseActivity(/*able=*/0b101, /*waited_for=*/2);   // 0 or 2
//   sync::NoteActivity(next, [&] { return sync::ActivityStep{"stream 2", "mul"}; });
//
// The standard back end takes what is waited for, and nothing where nobody waits: as late as
// possible. Under the model it is a decision of the schedule.
#pragma once

#include <cstdint>
#include <functional>

#include "autograd/sync/backend.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/scheduler.h"
#else
#include <string>
#endif

namespace twingrad::sync {

inline constexpr int kNoActivity = -1;
// Those with higher numbers go on when they are waited for, and at no other time.
inline constexpr int kMostActivities = 63;

#if defined(AUTOGRAD_SYNC_MODEL)
using ActivityStep = model::ActivityStep;
#else
struct ActivityStep {
  std::string activity, work;
};
#endif

// Which of the activities whose bits are set in `able` goes on now by a piece of its work: any, or
// none, if `waited_for` is kNoActivity; else any of them, of which that is one.
inline int ChooseActivity([[maybe_unused]] uint64_t able, int waited_for) {
#if defined(AUTOGRAD_SYNC_MODEL)
  model::Scheduler* const scheduler = model::Current();
  if (scheduler != nullptr && waited_for < kMostActivities) {
    return scheduler->ChooseActivity(able, waited_for);
  }
#endif
  return waited_for;
}

// The activity does a piece of its work now; `describe` gives an ActivityStep and is called if
// anyone asks.
template <typename Describe>
void NoteActivity([[maybe_unused]] int activity, [[maybe_unused]] const Describe& describe,
                  [[maybe_unused]] Site where = Site::current()) {
#if defined(AUTOGRAD_SYNC_MODEL)
  if (model::Scheduler* scheduler = model::Current()) {
    scheduler->NoteActivity(activity, std::cref(describe), where);
  }
#endif
}

}  // namespace twingrad::sync
