// Errors are legal: the run ends where the twin says, with one of the classes that it allows there.

#pragma once

#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// An internal error is a defect in any Program; no prediction is needed to judge it.
Verdict JudgeInternalError(const twingrad::program::Program& program,
                           const twingrad::program::Observation& observed);

// With one thread the error must be exactly the twin's; with several, any of the legal ones.
Verdict JudgeErrors(const Evidence& evidence);

}  // namespace twingrad::oracles
