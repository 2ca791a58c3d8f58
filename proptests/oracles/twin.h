// Values, gradients, versions and flags are the twin's.

#pragma once

#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// Compares every value at the end of the run: whether it is defined and requires grad, its version,
// its contents and its .grad, with numbers compared by the twin's error bounds. After an error in a
// call that several threads ran, a leaf's .grad may also be one of the twin's alternatives.
Verdict JudgeValues(const Evidence& evidence);

}  // namespace twingrad::oracles
