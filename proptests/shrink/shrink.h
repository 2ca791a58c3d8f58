// The one shrinker of the repository: from a Program that fails to a small one that still fails.
//
// Greedy: takes the first smaller candidate that still fails and starts again from it, until none
// does or the limits are reached. What "fails" means is the caller's: an oracle that disagrees, a
// worker process that dies.

#ifndef PROPTESTS_SHRINK_SHRINK_H_
#define PROPTESTS_SHRINK_SHRINK_H_

#include <functional>

#include "autograd/program/program.h"

namespace twingrad::shrink {

struct ShrinkLimits {
  int max_attempts = 5000;          // calls of still_fails
  std::function<bool()> interrupt;  // asked before each attempt; true ends it. May be null.
};

struct ShrinkResult {
  twingrad::program::Program program;
  int attempts = 0;
  int steps = 0;         // attempts that still failed
  bool minimal = false;  // no candidate fails any more; else the limits ended it
};

// `program` itself must fail.
ShrinkResult Shrink(const twingrad::program::Program& program,
                    const std::function<bool(const twingrad::program::Program&)>& still_fails,
                    const ShrinkLimits& limits = {});

}  // namespace twingrad::shrink

#endif  // PROPTESTS_SHRINK_SHRINK_H_
