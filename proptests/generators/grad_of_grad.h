// Gradients of gradients: grad with create_graph, the product of the result and a vector summed to
// a scalar, and backward through that scalar.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// Adds these statements; false if no value has a gradient that depends on anything.
bool AddGradOfGrad(Draft& draft);

}  // namespace twingrad::generators
