// Makes a failure small: alone, or together with what the same process has to run before it.

#pragma once

#include <chrono>
#include <functional>

#include "absl/status/statusor.h"
#include "proptests/findings/finding.h"
#include "proptests/workers/case.h"
#include "proptests/workers/prober.h"
#include "proptests/workers/worker_process.h"

namespace twingrad::findings {

struct ShrinkBudget {
  std::chrono::nanoseconds time = std::chrono::seconds(60);
  // Time limit of a Program while a hang is minimized; short, because many candidates hang.
  std::chrono::nanoseconds timeout = std::chrono::seconds(1);
  std::function<bool()> interrupted = [] { return false; };
};

// Judges the Program again and, if it fails in the same way, minimizes it, both in fresh workers. A
// result with a reproducer was already minimized by the judge. If it does not fail, those that its
// worker had run before it run first, as few of them as are needed, each minimized.
absl::StatusOr<Finding> ShrinkFailure(workers::Failure failure, workers::CaseSource& source,
                                      workers::Prober& prober, const workers::WorkerLimits& limits,
                                      const ShrinkBudget& budget);

}  // namespace twingrad::findings
