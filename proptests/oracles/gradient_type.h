// A gradient has the shape and element type of what it is the gradient of.

#pragma once

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// Needs no twin: compares .grad with its value, and results of `grad` with the inputs.
Verdict JudgeGradientTypes(const twingrad::program::Program& program,
                           const twingrad::program::Observation& observed);

}  // namespace twingrad::oracles
