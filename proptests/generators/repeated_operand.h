// Repeated operands: two parallel edges from one node to another, x * x above all.

#ifndef PROPTESTS_GENERATORS_REPEATED_OPERAND_H_
#define PROPTESTS_GENERATORS_REPEATED_OPERAND_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// An op with one value in both places.
void AddRepeatedOperand(Draft& draft);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_REPEATED_OPERAND_H_
