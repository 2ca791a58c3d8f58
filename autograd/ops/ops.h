// All differentiable operations: include this where several families are needed.

#pragma once

#include "autograd/ops/activation.h"      // IWYU pragma: export
#include "autograd/ops/arithmetic.h"      // IWYU pragma: export
#include "autograd/ops/attention.h"       // IWYU pragma: export
#include "autograd/ops/convolution.h"     // IWYU pragma: export
#include "autograd/ops/copy.h"            // IWYU pragma: export
#include "autograd/ops/dropout.h"         // IWYU pragma: export
#include "autograd/ops/einsum.h"          // IWYU pragma: export
#include "autograd/ops/elementary.h"      // IWYU pragma: export
#include "autograd/ops/index.h"           // IWYU pragma: export
#include "autograd/ops/linear_algebra.h"  // IWYU pragma: export
#include "autograd/ops/loss.h"            // IWYU pragma: export
#include "autograd/ops/norm.h"            // IWYU pragma: export
#include "autograd/ops/order.h"           // IWYU pragma: export
#include "autograd/ops/pairs.h"           // IWYU pragma: export
#include "autograd/ops/parts.h"           // IWYU pragma: export
#include "autograd/ops/piecewise.h"       // IWYU pragma: export
#include "autograd/ops/pool.h"            // IWYU pragma: export
#include "autograd/ops/rearrange.h"       // IWYU pragma: export
#include "autograd/ops/reduction.h"       // IWYU pragma: export
#include "autograd/ops/scatter.h"         // IWYU pragma: export
#include "autograd/ops/scatter_reduce.h"  // IWYU pragma: export
#include "autograd/ops/softmax.h"         // IWYU pragma: export
#include "autograd/ops/solve.h"           // IWYU pragma: export
#include "autograd/ops/sparse.h"          // IWYU pragma: export
#include "autograd/ops/ternary.h"         // IWYU pragma: export
#include "autograd/ops/trigonometric.h"   // IWYU pragma: export
#include "autograd/ops/upsample.h"        // IWYU pragma: export
#include "autograd/ops/view.h"            // IWYU pragma: export
#include "autograd/ops/view_scatter.h"    // IWYU pragma: export
