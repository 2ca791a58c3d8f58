// Circumstances of numbers: zeros, infinities and what is far out, where ops are known to fail. The
// part of circumstances.h that reads the values alone. A pure function.

#pragma once

#include <string>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::conformance {

// Lines as those of Circumstances. `observed` tells where an engine's own rounding has left
// something of a 0.
std::string NumberCircumstances(const twingrad::program::Program& program,
                                const twingrad::program::Observation& expected,
                                const twingrad::program::Observation& observed);

}  // namespace twingrad::conformance
