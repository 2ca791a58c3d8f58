// What both witnesses, and the tests of completeness, ask about an op: which primitive it is, and
// what its node saves beside what its primitives do.
//
// An elementwise op is the primitive whose row names it; every other op that computes has a rule in
// composite.h. An op that computes and has neither does not compile. An in-place statement is
// evaluated as the op that it performs: look up program::Signature::performs.

#pragma once

#include <cstdint>

#include "autograd/program/opcode.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

// The primitive of an elementwise op; kEnd: it is none.
Primitive ElementwisePrimitive(program::Opcode op);

// Of an op along a dimension that picks the greatest or the least: whether it is the least.
bool PicksLeast(program::Opcode op);

// Operands that a node saves although none of its primitives does: indices, and what a product or a
// loss is computed from. Bit i: operand i; `last_tracked`: whether the last operand has a gradient.
// kResult: the result. kOfItsOwn: something that no statement can write.
inline constexpr uint32_t kResult = uint32_t{1} << 30;
inline constexpr uint32_t kOfItsOwn = uint32_t{1} << 29;
uint32_t AlsoSaved(const program::Statement& statement, bool last_tracked);
// What PyTorch saves in addition, although no derivative needs it.
uint32_t SavedNeedlessly(program::Opcode op);
// Whether of its first operand only the size is needed, which PyTorch before 2.0 took from the
// saved operand.
bool NeedsASizeAlone(const program::Statement& statement);

}  // namespace twingrad::reference
