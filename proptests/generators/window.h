// Convolutions, pools and upsampling over one, two or three dimensions, with strides, padding,
// dilation and groups.

#pragma once

#include "proptests/generators/draft.h"

namespace twingrad::generators {

// A convolution of x, which has channels and a plane, or a transposed one; x where nothing fits.
ValueId ApplyConvolution(Draft& draft, ValueId x);
// avg_pool, max_pool and its indices, adaptive ones.
ValueId ApplyPool(Draft& draft, ValueId x);
// A plane of another size.
ValueId ApplyUpsampling(Draft& draft, ValueId x);

}  // namespace twingrad::generators
