// Two runs of one Program show the same bits, whatever the number of threads.

#ifndef PROPTESTS_ORACLES_DETERMINISM_H_
#define PROPTESTS_ORACLES_DETERMINISM_H_

#include <string>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// Values, gradients, versions, counts and what each hook saw. Where a run ended in an error, .grad
// and which error it was may depend on timing if `threads` is set; the rest may not. What follows
// an error that a Program survives is then skipped. `names` says which runs they are.
Verdict JudgeDeterminism(const twingrad::program::Program& program,
                         const twingrad::program::Observation& a,
                         const twingrad::program::Observation& b, bool threads,
                         const std::string& names);

}  // namespace twingrad::oracles

#endif  // PROPTESTS_ORACLES_DETERMINISM_H_
