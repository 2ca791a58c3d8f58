// Accessors: every way in which a user of libtorch reads a gradient, beside the one that an
// Observation shows.

#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "autograd/program/accessors.h"
#include "autograd/program/observation.h"

namespace twingrad::libtorch {

// Reads `gradient`, which showed `read`, in each way, writes into a copy of it and reads it again.
void ReadByAccessors(const at::Tensor& gradient, const program::TensorData& read,
                     const program::AccessorNotes& notes);

// Writes into the .grads in place, each after the ones before, and looks which others, and which
// values, show something else now. Destroys them: call it when all else was read. `values` by
// ValueId, `observation` has what they and their .grads showed.
void WriteGradients(const std::vector<at::Tensor>& values, program::Observation& observation);

}  // namespace twingrad::libtorch
