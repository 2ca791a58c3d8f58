// Splicing: statements of one Program into another.
#pragma once

#include <optional>

#include "autograd/program/program.h"
#include "proptests/interleave/strategies/random_strategy.h"

namespace twingrad::fuzzing {

// A run of statements of a Program.
struct Window {
  int first = 0;
  int count = 1;
};

// `host` with those statements of `donor` before its statement `at`, and what they need: an operand
// becomes a value of the host of the same type and device, or the statement that makes it comes
// along. Mostly one of the new values becomes an operand of what follows. Nothing if that would
// take too many statements. The choices are drawn from `random`.
std::optional<program::Program> Splice(const program::Program& host, int at,
                                       const program::Program& donor, Window window,
                                       interleave::SplitMix& random);

}  // namespace twingrad::fuzzing
