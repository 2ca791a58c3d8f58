// Errors are legal: the run ends where the twin says, with one of the classes that it allows there.

#ifndef PROPTESTS_ORACLES_ERRORS_H_
#define PROPTESTS_ORACLES_ERRORS_H_

#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// An internal error is a defect whatever the Program, and needs no prediction to be told.
Verdict JudgeInternalError(const twingrad::program::Program& program,
                           const twingrad::program::Observation& observed);

// One thread: exactly the twin's error. Several: any of the legal ones.
Verdict JudgeErrors(const Evidence& evidence);

}  // namespace twingrad::oracles

#endif  // PROPTESTS_ORACLES_ERRORS_H_
