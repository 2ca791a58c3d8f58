// Numbers: casts between element types, large magnitudes, infinities and NaN, integer arithmetic.

#ifndef PROPTESTS_GENERATORS_NUMBERS_H_
#define PROPTESTS_GENERATORS_NUMBERS_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// One of these on some value.
void AddNumbers(Draft& draft);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_NUMBERS_H_
