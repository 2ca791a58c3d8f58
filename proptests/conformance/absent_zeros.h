// Absent zeros: a convention about second derivatives that are zero.
//
// Which of them are absent and which are tensors of zeros is each engine's own choice.

#pragma once

#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::conformance {

// Whether some call makes a graph of its gradients.
bool CreatesGraph(const twingrad::program::Program& program);

// Where one of the two is absent and the other is zero, `observed` becomes as expected. True if
// that made a difference.
bool TakeZerosForAbsent(const twingrad::program::Observation& expected,
                        twingrad::program::Observation& observed);

}  // namespace twingrad::conformance
