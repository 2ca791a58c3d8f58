// The canary: a trivial Program that must still be right after an error, on the engine that raised
// it.

#ifndef PROPTESTS_JUDGE_CANARY_H_
#define PROPTESTS_JUDGE_CANARY_H_

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// y = x * x + x on the CPU and on two devices, then backward: .grad of x = 3 is 11.
const twingrad::program::Program& CanaryProgram();

// Whether the Observation of the canary is right.
Verdict JudgeCanary(const twingrad::program::Observation& observed);

}  // namespace twingrad::oracles

#endif  // PROPTESTS_JUDGE_CANARY_H_
