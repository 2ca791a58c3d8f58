// The picture of a schedule: a column for each thread, time downwards, each operation with its
// source line, and at each change of thread the reason.

#pragma once

#include <string>
#include <string_view>

#include "proptests/interleave/checker/outcome.h"

namespace twingrad::findings {

// The picture as SVG, with the failure (its detector and text) below. The outcome must have its
// events recorded; only the end of a very long one is drawn.
std::string DrawTimeline(const interleave::ExecutionOutcome& outcome, std::string_view detector,
                         std::string_view failure);

// Why the thread of event `last` stopped running there: "waits for ready_queue.not_empty", "ends"
// or "preempted".
std::string ReasonOfSwitch(const interleave::ExecutionOutcome& outcome, size_t last);

}  // namespace twingrad::findings
