// Elements of libtorch's tensors as Programs hold them, and back.

#ifndef TOOLS_ADAPTERS_LIBTORCH_TENSOR_DATA_H_
#define TOOLS_ADAPTERS_LIBTORCH_TENSOR_DATA_H_

#include <ATen/core/Tensor.h>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::libtorch {

at::Tensor TensorOf(const twingrad::program::TensorType& type, const twingrad::program::Bits& bits);
twingrad::program::TensorData DataOf(const at::Tensor& tensor);

}  // namespace twingrad::libtorch

#endif  // TOOLS_ADAPTERS_LIBTORCH_TENSOR_DATA_H_
