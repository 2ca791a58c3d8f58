// HangLimit: a limit of time that only a hang reaches.
//
//   std::optional<sync::Duration> stop_deadline = sync::HangLimit(std::chrono::seconds(10));
//
// The model has none. There a wait with a deadline may end at any step, as if the time were up,
// and every program would have to be right without what it waits for; a wait without one that
// never ends is reported.
#pragma once

#include <optional>

#include "autograd/sync/backend.h"
#include "autograd/sync/clock.h"

namespace twingrad::sync {

inline std::optional<Duration> HangLimit([[maybe_unused]] Duration limit) {
#if defined(AUTOGRAD_SYNC_MODEL)
  return std::nullopt;
#else
  return limit;
#endif
}

}  // namespace twingrad::sync
