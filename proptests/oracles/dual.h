// First and second derivatives are those of the dual numbers, which know nothing of reverse mode.

#pragma once

#include "autograd/reference/dual.h"
#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// Values and .grad must agree within the sum of both witnesses' bounds. If the Program touches a
// kink, any subgradient is a convention, and a disagreement says so. Skipped if the dual numbers do
// not apply.
Verdict JudgeDual(const Evidence& evidence, const twingrad::reference::DualResult& dual);

}  // namespace twingrad::oracles
