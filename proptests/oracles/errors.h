// Errors are legal: the run ends where the twin says, with one of the classes that it allows there.

#ifndef PROPTESTS_ORACLES_ERRORS_H_
#define PROPTESTS_ORACLES_ERRORS_H_

#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// One thread: exactly the twin's error. Several: any of the legal ones.
Verdict JudgeErrors(const Evidence& evidence);

}  // namespace twingrad::oracles

#endif  // PROPTESTS_ORACLES_ERRORS_H_
