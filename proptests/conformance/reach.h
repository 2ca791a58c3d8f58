// Reach: which values of a Program a point without a derivative can have to do with at all.

#pragma once

#include <vector>

#include "autograd/program/program.h"
#include "autograd/reference/choices.h"

namespace twingrad::conformance {

// By value: whether statements lead from it, forwards or backwards, to one at which a point lies.
// Where none do, neither its contents nor its gradients depend on what is chosen there. Statements
// join all that they name, seeds and inputs included, so more values are said to be reached than
// are, and never fewer. A pure function.
std::vector<bool> ReachedBy(const std::vector<twingrad::reference::KinkPoint>& points,
                            const twingrad::program::Program& program);

}  // namespace twingrad::conformance
