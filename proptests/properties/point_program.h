// Programs of one op at many points: its values, its first and its second derivatives, mixed ones
// too.
//
//   SpecialNumbers numbers(DType::kF64, /*seed=*/1);
//   const PointProgram made = MakePointProgram(SignatureOf(Opcode::kPow), DType::kF64, numbers);
//   made.program;         // x, w; y = pow x w; g = grad y; h = grad g
//   made.orders[2];       // the second derivatives: the results of h
//
// Of an op that computes element by element, or moves elements, each element is a point; of others
// each row (each result of a product of matrices), whose derivatives are those of a weighted sum.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "autograd/base/dtype.h"
#include "autograd/program/builder.h"
#include "autograd/program/program.h"
#include "autograd/program/signature.h"
#include "proptests/properties/special_numbers.h"

namespace twingrad::properties {

struct PointProgram {
  program::Program program;
  int points = 0;
  bool elementwise = false;
  // By order of the derivative, 0 for the value of the op.
  std::array<std::vector<program::ValueId>, 3> orders;
  // By which is differentiated: the values, and the numbers of the operands that they are. Entry
  // i * size + k of orders[2] is by inputs[i] and then by inputs[k].
  std::vector<program::ValueId> inputs;
  std::vector<int> by;
  // Elements of the first two operands, conditions left out.
  std::array<std::vector<double>, 2> operands;
};

PointProgram MakePointProgram(const program::Signature& signature, DType type,
                              SpecialNumbers& numbers);

// Of unbind, split or chunk: the parts of x along dimension 1, put together again.
program::ValueId PartsJoined(program::ProgramBuilder& builder, program::Opcode op,
                             program::ValueId x);

// An op of sparse tensors (program/sparse.h): what it makes of one with the values x, or of these,
// for which the indices are, in a dimension of this size; dense.
program::ValueId MadeOfSparse(program::ProgramBuilder& builder, program::Opcode op,
                              program::ValueId x, const std::vector<int64_t>& indices,
                              int64_t size);

}  // namespace twingrad::properties
