// The table of operations: for each Opcode of the computing categories its function and its
// documentation, which registry.cc is to be read for.
//
//   const RegisteredOp* op = ops::Find(program::Opcode::kMul);
//   op->run({&a, &b}, statement, {&c, 1});        // in place: op writes *operands[0]
//
// Joins names of statements to functions for the runner and tests; a test fails when a statement of
// the signature table has no row, or one that contradicts it. Constant; any thread.

#pragma once

#include <string_view>

#include "autograd/base/device.h"
#include "autograd/base/span.h"
#include "autograd/program/opcode.h"
#include "autograd/program/program.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::ops {

using Operands = Span<Tensor* const>;

struct RegisteredOp {
  program::Opcode opcode = program::Opcode::kLeaf;
  // Sets as many results as the statement has. Null for statements that compute nothing.
  void (*run)(Operands operands, const program::Statement& statement,
              Span<Tensor> results) = nullptr;
  std::string_view forward;     // of the operands a, b, c
  std::string_view derivative;  // gradients of the operands, between `;`; g is that of the result r
  std::string_view domain;      // element types, and arguments refused or special
};

// Null for an opcode that is no operation.
const RegisteredOp* Find(program::Opcode opcode);
// All rows, in the order of Opcode.
Span<const RegisteredOp> RegisteredOps();

// The device that a Program means by an index: of the simulated accelerator, or of the type that
// was set, before Programs run.
Device DeviceOf(program::DeviceIndex index);
void SetDeviceType(DeviceType type);

}  // namespace twingrad::ops
