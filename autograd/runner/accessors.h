// Accessors: every way in which a user of the library reads a gradient, beside the one that an
// Observation shows.

#pragma once

#include "autograd/program/accessors.h"
#include "autograd/program/observation.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::runner {

// Reads `gradient`, which showed `read`, in each way that fits its shape, writes into the copy that
// one of them has made and reads it again.
// On the CPU alone: on an accelerator copies would wait in its queue. The caller has turned
// recording off.
void ReadByAccessors(const Tensor& gradient, const program::TensorData& read,
                     const program::AccessorNotes& notes);

}  // namespace twingrad::runner
