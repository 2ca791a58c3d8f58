// Which primitive an elementwise statement is, in place or not: what both witnesses ask.

#ifndef AUTOGRAD_REFERENCE_LOWERING_H_
#define AUTOGRAD_REFERENCE_LOWERING_H_

#include <cstdint>
#include <optional>

#include "autograd/program/opcode.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

// The statement that an in-place statement performs on the old contents; others are themselves.
program::Opcode OutOfPlace(program::Opcode op);

// Operands that a node saves although none of its primitives does: indices, and what a loss is
// computed from. Bit i: operand i; `last_tracked`: whether the last operand has a gradient.
// kResult: the result.
inline constexpr uint32_t kResult = uint32_t{1} << 30;
uint32_t AlsoSaved(program::Opcode op, bool last_tracked);
// What PyTorch saves besides, and no derivative needs.
uint32_t SavedNeedlessly(program::Opcode op);

// Nothing where the statement is not elementwise with one or two operands.
std::optional<Primitive> ElementwisePrimitive(program::Opcode op);

}  // namespace twingrad::reference

#endif  // AUTOGRAD_REFERENCE_LOWERING_H_
