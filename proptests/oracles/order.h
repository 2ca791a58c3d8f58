// Each node runs at most once and after all nodes that deliver to it; with one thread, in the
// twin's order.

#ifndef PROPTESTS_ORACLES_ORDER_H_
#define PROPTESTS_ORACLES_ORDER_H_

#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::oracles {

Verdict JudgeOrder(const Evidence& evidence);

}  // namespace twingrad::oracles

#endif  // PROPTESTS_ORACLES_ORDER_H_
