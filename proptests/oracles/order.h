// Each node runs at most once and after all nodes that deliver to it; with one thread, in the
// twin's order.

#pragma once

#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

Verdict JudgeOrder(const Evidence& evidence);

}  // namespace twingrad::oracles
