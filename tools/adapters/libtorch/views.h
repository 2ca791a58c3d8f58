// Views, and what is put in place of one. Safe from any thread.

#pragma once

#include <ATen/core/Tensor.h>

#include "autograd/program/program.h"
#include "tools/adapters/libtorch/indexed.h"

namespace twingrad::libtorch {

// Views of what must be contiguous, else Refusal(kInvalidArgument).
at::Tensor View(const program::Statement& s, const Operands& o);
at::Tensor AsStrided(const program::Statement& s, const Operands& o);
// A copy of what is not contiguous.
at::Tensor Reshape(const program::Statement& s, const Operands& o);
at::Tensor Squeeze(const program::Statement& s, const Operands& o);
at::Tensor Slice(const program::Statement& s, const Operands& o);
at::Tensor SliceScatter(const program::Statement& s, const Operands& o);
// Refusal(kUnsupported) of what is not contiguous, whose places libtorch counts by its strides.
at::Tensor AsStridedScatter(const program::Statement& s, const Operands& o);

}  // namespace twingrad::libtorch
