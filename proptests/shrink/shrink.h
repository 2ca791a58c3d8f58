// The repository's only shrinker: reduces a Program that fails to a small one that still fails.
//
// It is greedy: it takes the first smaller candidate that still fails and starts again from it,
// until none does or a limit is reached. The caller defines "fails": an oracle disagrees, a worker
// process dies.

#pragma once

#include <functional>

#include "autograd/program/program.h"

namespace twingrad::shrink {

struct ShrinkLimits {
  int max_attempts = 5000;          // calls of still_fails
  std::function<bool()> interrupt;  // called before each attempt; true stops. May be null.
};

struct ShrinkResult {
  twingrad::program::Program program;
  int attempts = 0;
  int steps = 0;         // attempts that still failed
  bool minimal = false;  // no candidate fails any more; false: a limit was reached
};

// `program` itself must fail.
ShrinkResult Shrink(const twingrad::program::Program& program,
                    const std::function<bool(const twingrad::program::Program&)>& still_fails,
                    const ShrinkLimits& limits = {});

}  // namespace twingrad::shrink
