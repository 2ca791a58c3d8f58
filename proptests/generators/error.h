// Errors: statements that must be refused at run time, one of each class that a Program can raise.

#ifndef PROPTESTS_GENERATORS_ERROR_H_
#define PROPTESTS_GENERATORS_ERROR_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// One statement, or two, of which the last raises an error; or nothing where the values at hand do
// not allow it.
void AddError(Draft& draft);

// The same in a region of kind=try: the Program goes on after it.
void AddSurvivedError(Draft& draft);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_ERROR_H_
