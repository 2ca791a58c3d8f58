// Elements of libtorch's tensors as Programs hold them, and back.

#pragma once

#include <ATen/core/Tensor.h>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::libtorch {

at::Tensor TensorOf(const program::TensorType& type, const program::Bits& bits);
program::TensorData DataOf(const at::Tensor& tensor);

}  // namespace twingrad::libtorch
