// Each .grad is frozen once its call has returned or thrown: nothing writes it later.

#pragma once

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// Needs no twin: the run itself looks for late writes, if it was asked to.
Verdict JudgeFrozen(const twingrad::program::Program& program,
                    const twingrad::program::Observation& observed);

}  // namespace twingrad::oracles
