// All CPU kernels: include this where several families are needed.

#ifndef AUTOGRAD_TENSOR_KERNELS_KERNELS_H_
#define AUTOGRAD_TENSOR_KERNELS_KERNELS_H_

#include "autograd/tensor/kernels/arithmetic.h"  // IWYU pragma: export
#include "autograd/tensor/kernels/copy.h"        // IWYU pragma: export
#include "autograd/tensor/kernels/elementary.h"  // IWYU pragma: export
#include "autograd/tensor/kernels/matmul.h"      // IWYU pragma: export
#include "autograd/tensor/kernels/rearrange.h"   // IWYU pragma: export
#include "autograd/tensor/kernels/reduce.h"      // IWYU pragma: export

#endif  // AUTOGRAD_TENSOR_KERNELS_KERNELS_H_
