// Ops on square matrices, or of such a matrix and others.
//
//   IsOfSquares(Opcode::kDet)
//
// Pure function.

#pragma once

#include "autograd/program/opcode.h"

namespace twingrad::program {

constexpr bool IsOfSquares(Opcode op) {
  return op == Opcode::kInverse || op == Opcode::kDet || op == Opcode::kSolveTriangular ||
         op == Opcode::kCholesky;
}

}  // namespace twingrad::program
