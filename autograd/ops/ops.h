// All differentiable operations: include this where several families are needed.

#ifndef AUTOGRAD_OPS_OPS_H_
#define AUTOGRAD_OPS_OPS_H_

#include "autograd/ops/arithmetic.h"      // IWYU pragma: export
#include "autograd/ops/copy.h"            // IWYU pragma: export
#include "autograd/ops/elementary.h"      // IWYU pragma: export
#include "autograd/ops/fold.h"            // IWYU pragma: export
#include "autograd/ops/join.h"            // IWYU pragma: export
#include "autograd/ops/linear_algebra.h"  // IWYU pragma: export
#include "autograd/ops/loss.h"            // IWYU pragma: export
#include "autograd/ops/pick.h"            // IWYU pragma: export
#include "autograd/ops/piecewise.h"       // IWYU pragma: export
#include "autograd/ops/reduction.h"       // IWYU pragma: export
#include "autograd/ops/softmax.h"         // IWYU pragma: export
#include "autograd/ops/view.h"            // IWYU pragma: export

#endif  // AUTOGRAD_OPS_OPS_H_
