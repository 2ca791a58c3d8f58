// Gradients of gradients: grad with create_graph, a scalar of the result and a vector, backward
// through that.

#ifndef PROPTESTS_GENERATORS_GRAD_OF_GRAD_H_
#define PROPTESTS_GENERATORS_GRAD_OF_GRAD_H_

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Adds all of it; false where no value has a gradient that depends on anything.
bool AddGradOfGrad(Draft& draft);

}  // namespace twingrad::generators

#endif  // PROPTESTS_GENERATORS_GRAD_OF_GRAD_H_
