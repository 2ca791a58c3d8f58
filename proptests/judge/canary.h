// The canary: a trivial Program that must still be right after an error, on the engine that raised
// it.

#pragma once

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::judge {

// y = x * x + x, and x + x on each of the devices, then backward: .grad of x = 3 is 7, and 2 more
// for each device.
twingrad::program::Program MakeCanary(int devices);
// That with two devices, as the repository's engine is asked it.
const twingrad::program::Program& CanaryProgram();

// Whether the Observation of CanaryProgram is right.
oracles::Verdict JudgeCanary(const twingrad::program::Observation& observed);

}  // namespace twingrad::judge
