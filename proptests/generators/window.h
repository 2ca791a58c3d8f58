// Convolutions and pools over one, two or three dimensions, with strides, padding, dilation and
// groups.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// conv1d, conv2d, conv3d of x, which has channels and a plane; x where nothing fits.
ValueId ApplyConvolution(Draft& draft, ValueId x);
// avg_pool, max_pool and its indices.
ValueId ApplyPool(Draft& draft, ValueId x);

}  // namespace twingrad::generators
