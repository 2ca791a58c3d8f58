// Between the engine's tensors and the plain contents that Programs and Observations hold.
//
//   Tensor x = TensorFromBits(type, bits, device);
//   program::TensorData data = DataOf(x);     // row-major, floats widened to f64, one NaN
//
// Pure functions; reading a tensor is the caller's to order with writes to it.

#pragma once

#include "autograd/base/device.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::runner {

// `bits` has one entry an element.
Tensor TensorFromBits(const program::TensorType& type, const program::Bits& bits, Device device);

// Of a sparse tensor: of its dense form.
program::TensorData DataOf(const Tensor& tensor);
// The same, into `data`, whose contents it replaces.
void ReadInto(const Tensor& tensor, program::TensorData& data);

// A tensor that the host cannot touch, with its whole storage, once all work of its device has run.
Tensor WatchedCopy(const Tensor& remote);

}  // namespace twingrad::runner
