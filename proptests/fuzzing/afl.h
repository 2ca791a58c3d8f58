// What AFL++ is told beside edges of code: counters of a target's own, such as pairs of lock sites.
//
//   TellAfl(absl::MakeSpan(extra_counters));    // after each run
//
// libFuzzer finds such counters by itself, and sets them to zero before each run. In a program
// without the run time of AFL++ this does nothing.

#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace twingrad::fuzzing {

// As many counters have places in the map of AFL++.
inline constexpr size_t kMostAflCounters = size_t{1} << 13;

// Whether the program has that run time.
bool RunsUnderAfl();

// Tells which counters are not zero, and makes them zero.
void TellAfl(absl::Span<uint8_t> counters);

}  // namespace twingrad::fuzzing
