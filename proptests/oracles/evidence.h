// Evidence: one run of a Program beside what the twin says of it. Most oracles judge just that.

#ifndef PROPTESTS_ORACLES_EVIDENCE_H_
#define PROPTESTS_ORACLES_EVIDENCE_H_

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/twin.h"

namespace twingrad::oracles {

struct Evidence {
  const twingrad::program::Program& program;
  const twingrad::reference::TwinResult& expected;
  const twingrad::program::Observation& observed;
  int device_threads = 0;  // of the engine that was observed
  // The order of nodes that wait for nothing is the engine's own: more than one outcome is legal.
  bool any_order = false;

  bool SeveralOutcomes() const { return device_threads != 0 || any_order; }
  // Whether this call may have been cut short by the error that ended the run, by timing.
  bool MayBeCutShort(const twingrad::program::CallRecord& call) const {
    return observed.error && observed.error->statement == call.statement;
  }
};

}  // namespace twingrad::oracles

#endif  // PROPTESTS_ORACLES_EVIDENCE_H_
