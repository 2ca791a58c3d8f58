// Seed is grad: an engine that lets the user's seed become a .grad writes it later.
//
// It is a defect that expected failures name, so it is told from other wrong numbers.

#pragma once

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/twin.h"

namespace twingrad::conformance {

// Whether a seed has become the .grad of a value and was then accumulated into: each of its
// elements that changed is one of some .grad (the seed of cat becomes several), or some .grad that
// is wrong is the seed.
bool SeedBecameGrad(const twingrad::program::Program& program, twingrad::reference::Dialect dialect,
                    const twingrad::program::Observation& expected,
                    const twingrad::program::Observation& observed);

}  // namespace twingrad::conformance
