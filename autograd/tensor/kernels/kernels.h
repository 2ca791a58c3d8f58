// All CPU kernels: include this where several families are needed.

#pragma once

#include "autograd/tensor/kernels/arithmetic.h"  // IWYU pragma: export
#include "autograd/tensor/kernels/convolve.h"    // IWYU pragma: export
#include "autograd/tensor/kernels/copy.h"        // IWYU pragma: export
#include "autograd/tensor/kernels/elementary.h"  // IWYU pragma: export
#include "autograd/tensor/kernels/matmul.h"      // IWYU pragma: export
#include "autograd/tensor/kernels/norm.h"        // IWYU pragma: export
#include "autograd/tensor/kernels/rearrange.h"   // IWYU pragma: export
#include "autograd/tensor/kernels/reduce.h"      // IWYU pragma: export
#include "autograd/tensor/kernels/shares.h"      // IWYU pragma: export
#include "autograd/tensor/kernels/solve.h"       // IWYU pragma: export
