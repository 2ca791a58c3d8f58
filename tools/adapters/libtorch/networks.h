// Linear layers, attention, norms and dropout. Safe from any thread.

#pragma once

#include <ATen/core/Tensor.h>

#include "autograd/program/program.h"
#include "tools/adapters/libtorch/indexed.h"

namespace twingrad::libtorch {

at::Tensor Linear(const program::Statement& s, const Operands& o);
at::Tensor Attention(const program::Statement& s, const Operands& o);
at::Tensor LayerNorm(const program::Statement& s, const Operands& o);
at::Tensor GroupNorm(const program::Statement& s, const Operands& o);
at::Tensor BatchNorm(const program::Statement& s, const Operands& o);
at::Tensor Dropout(const program::Statement& s, const Operands& o);

}  // namespace twingrad::libtorch
