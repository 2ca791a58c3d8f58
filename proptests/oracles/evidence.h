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
  // Of the engine that was observed. One with helpers has device threads too.
  int device_threads = 0;
  int helpers = 0;  // threads that evaluate CPU nodes beside the caller

  bool SeveralOutcomes() const {
    const auto& any_order = expected.call_in_any_order;
    return device_threads != 0 || expected.ends_in_any_order || !expected.freed_calls.empty() ||
           std::find(any_order.begin(), any_order.end(), true) != any_order.end();
  }
  // Whether the error that ended the run may have cut this call short, at a point that depends on
  // timing.
  bool MayBeCutShort(size_t call) const {
    return (observed.error && observed.error->statement ==
                                  twingrad::program::OutermostStatement(observed.calls, call)) ||
           LosesGraph(observed.calls[call]);
  }
  // Whether the call's ready nodes may run in more than one order.
  bool RunsInAnyOrder(size_t call) const {
    const auto& any_order_of = expected.call_in_any_order;
    return device_threads != 0 || (call < any_order_of.size() && any_order_of[call]);
  }
  // Whether timing decides if this record stands in the log of the call.
  bool IsUncertain(const twingrad::program::HookRecord& record, size_t call) const {
    const auto& hooks = expected.uncertain_hooks;
    return std::any_of(hooks.begin(), hooks.end(), [&](const auto& hook) {
      return hook.statement == record.statement &&
             twingrad::program::OutermostStatement(observed.calls, call) >= hook.from;
    });
  }
  // Whether another thread section's call has released the graph under it.
  bool LosesGraph(const twingrad::program::CallRecord& call) const {
    const auto& freed = expected.freed_calls;
    return std::find(freed.begin(), freed.end(), call.statement) != freed.end();
  }
};

}  // namespace twingrad::oracles
