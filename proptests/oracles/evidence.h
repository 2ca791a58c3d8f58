// Evidence: one run of a Program and the twin's prediction of it; the input of most oracles.

#pragma once

#include <algorithm>
#include <cstddef>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/twin.h"

namespace twingrad::oracles {

struct Evidence {
  const twingrad::program::Program& program;
  const twingrad::reference::TwinResult& expected;
  const twingrad::program::Observation& observed;
  int device_threads = 0;  // of the engine that was observed

  // Whether ready nodes of this call may run in any order.
  bool AnyOrder(size_t call) const {
    return device_threads != 0 ||
           (call < expected.call_ordered.size() && !expected.call_ordered[call]);
  }
  bool SeveralOutcomes() const {
    const auto& ordered = expected.call_ordered;
    return device_threads != 0 || !expected.freed_calls.empty() ||
           std::find(ordered.begin(), ordered.end(), false) != ordered.end();
  }
  // Whether the error that ended the run may have cut this call short, at a point that depends on
  // timing.
  bool MayBeCutShort(size_t call) const {
    return (observed.error && observed.error->statement ==
                                  twingrad::program::OutermostStatement(observed.calls, call)) ||
           LosesGraph(observed.calls[call]);
  }
  // Whether another thread section's call has released the graph under it.
  bool LosesGraph(const twingrad::program::CallRecord& call) const {
    const auto& freed = expected.freed_calls;
    return std::find(freed.begin(), freed.end(), call.statement) != freed.end();
  }
};

}  // namespace twingrad::oracles
