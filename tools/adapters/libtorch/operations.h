// Statements that compute, on libtorch's tensors: one row an opcode.
//
// Where a Program asks for something else than the libtorch function of that name (a copy from
// `cast`, a contiguous operand of `view`), the row does what the Program asks for. Safe from any
// thread.

#pragma once

#include <ATen/core/Tensor.h>

#include <set>
#include <vector>

#include "autograd/program/program.h"

namespace twingrad::libtorch {

// The results; none of statements that write in place. Throws what libtorch throws, and
// Unsupported.
std::vector<at::Tensor> Compute(const program::Statement& statement,
                                const std::vector<at::Tensor>& operands);

// What Compute knows.
std::set<program::Opcode> ComputedOps();
// Those of them that make one node in every case.
std::set<program::Opcode> SingleNodeOps();

at::ScalarType TypeOf(DType dtype);
DType DTypeOf(at::ScalarType type);

}  // namespace twingrad::libtorch
