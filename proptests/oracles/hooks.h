// Hooks fire as often, in the order and with the gradients that the twin says.

#pragma once

#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

// With one thread the whole log of each call is compared; with several, the log of each node.
Verdict JudgeHooks(const Evidence& evidence);

}  // namespace twingrad::oracles
