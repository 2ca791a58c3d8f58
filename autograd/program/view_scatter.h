// Ops that put one tensor in place of a view of another: which view.
//
//   ViewWrittenBy(Opcode::kSliceScatter)   // Opcode::kSlice, with the same attributes
//
// Pure function.

#pragma once

#include <optional>

#include "autograd/program/opcode.h"

namespace twingrad::program {

constexpr std::optional<Opcode> ViewWrittenBy(Opcode op) {
  if (op == Opcode::kSelectScatter) return Opcode::kSelect;
  if (op == Opcode::kSliceScatter) return Opcode::kSlice;
  if (op == Opcode::kDiagonalScatter) return Opcode::kDiagonal;
  if (op == Opcode::kAsStridedScatter) return Opcode::kAsStrided;
  return std::nullopt;
}

}  // namespace twingrad::program
