// Tensors over several devices: copied, cut, joined and added up there.
//
//   std::vector<Tensor> parts = devices::Scatter(batch, {Device::Sim(0), Device::Sim(1)});
//   std::vector<Tensor> weights = devices::Broadcast(w, {Device::Sim(0), Device::Sim(1)});
//   Tensor all = devices::Gather({parts[0] * weights[0], parts[1] * weights[1]}, Device::Sim(0));
//
// Each result is a copy, whichever device it was on before. What is recorded are copies, slices and
// sums, so derivatives exist to any order: the gradient of a scattered tensor is gathered, that of
// one that was broadcast is the sum of those of its copies, and the other way round. A copy between
// two accelerators is work of the source's current stream; the target's current stream waits for it
// (tensor/kernels/copy.h).
#pragma once

#include <cstdint>
#include <vector>

#include "autograd/base/device.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::devices {

// A copy on each device. Error(kInvalidArgument) without devices.
std::vector<Tensor> Broadcast(const Tensor& a, const std::vector<Device>& devices);

// A piece of `a` along `dim` on each device, in their order: of these sizes, whose sum is that of
// `dim` (else kShape), one a device; without `sizes` as equal as can be, the larger ones first, so
// that some are empty where there are more devices than entries.
std::vector<Tensor> Scatter(const Tensor& a, const std::vector<Device>& devices, int64_t dim = 0,
                            const std::vector<int64_t>& sizes = {});

// The tensors one after the other along `dim`, on `device`. Errors are those of cat.
Tensor Gather(const std::vector<Tensor>& parts, Device device, int64_t dim = 0);

// The sum of tensors of one shape (else kShape), in their order, on `device`.
Tensor ReduceAdd(const std::vector<Tensor>& parts, Device device);

}  // namespace twingrad::devices
