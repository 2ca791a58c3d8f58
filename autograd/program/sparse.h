// Sparse tensors: which statements make them, and which take them.
//
//   %s = sparse_coo %v %i shape=4,2     v: f64[3,2], i: i64[1,3]
//   %c = coalesce %s count=2            if two of the three indices differ
//   %w = sparse_values %c               f64[2,2]
//
// A sparse tensor is known by its dense form, whose type is the type of the value, and by its
// indices, an i64 tensor of [dimensions that they stand for, entries]. Wherever one is an operand,
// its indices count as the operand after it: so for types and for witnesses.
//
// Pure functions.

#pragma once

#include "autograd/program/opcode.h"
#include "autograd/program/program.h"

namespace twingrad::program {

constexpr bool MakesSparse(Opcode op) {
  return op == Opcode::kSparseCoo || op == Opcode::kCoalesce;
}

constexpr bool TakesSparse(Opcode op) {
  return op == Opcode::kCoalesce || op == Opcode::kToDense || op == Opcode::kSparseValues ||
         op == Opcode::kSparseIndices;
}

// Whether a statement takes, of sparse tensors, those alone that come of coalesce.
constexpr bool TakesCoalesced(Opcode op) {
  return op == Opcode::kSparseValues || op == Opcode::kSparseIndices;
}

// The statement that gives the indices of the result of this coalesce.
inline Statement IndicesOfResult(const Statement& coalesce) {
  return {Opcode::kSparseIndices, coalesce.results, coalesce.operands, {}};
}

}  // namespace twingrad::program
