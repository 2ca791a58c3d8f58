// What libFuzzer and the compiler's instrumentation offer a target, where the program has them.
//
// A target is also linked into a test that only replays its corpus: there is neither.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "proptests/fuzzing/schedule_input.h"

namespace twingrad::fuzzing {

// The 8-bit counters of edges that clang inserts into all of the program; empty without. libFuzzer
// reads them when a run has ended, so a run may set to zero what shall not count.
absl::Span<uint8_t> EdgeCounters();

// libFuzzer's own mutation; null without.
PlainMutation LibFuzzerMutation();

// Writes an input where a custom mutator is to write it; returns its size.
size_t Give(const Bytes& input, uint8_t* out);

}  // namespace twingrad::fuzzing
