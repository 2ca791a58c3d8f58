// ScheduleInput: the two parts of an input of the fuzz target engine_schedules, and their
// mutations.
//
//   two bytes    the length of the first part, the lower one first; as much as there is, if less
//   first part   a Program (program_input.h)
//   second part  a schedule of it (proptests/interleave/strategies/bytes_strategy.h)
//
// Most mutations change the schedule alone: a Program costs what dozens of its schedules do. All
// choices come from a seed. Pure functions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"

namespace twingrad::fuzzing {

using Bytes = std::vector<uint8_t>;

struct ScheduleInput {
  Bytes program;
  Bytes schedule;

  friend bool operator==(const ScheduleInput&, const ScheduleInput&) = default;
};

ScheduleInput SplitInput(absl::Span<const uint8_t> input);
// At most `max_size` bytes, at the cost of the schedule and then of the Program.
Bytes JoinInput(const ScheduleInput& parts, size_t max_size);

// A fuzzer's own mutation of `size` bytes, in place, to at most `max_size`; returns their number.
using PlainMutation = std::function<size_t(uint8_t* data, size_t size, size_t max_size)>;

// `plain` may be null.
Bytes MutateInput(absl::Span<const uint8_t> input, size_t max_size, uint64_t seed,
                  const PlainMutation& plain);
// The Program of one and a schedule made of both.
Bytes CrossInputs(absl::Span<const uint8_t> a, absl::Span<const uint8_t> b, size_t max_size,
                  uint64_t seed);

}  // namespace twingrad::fuzzing
