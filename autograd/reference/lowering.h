// How each statement is evaluated: the one place where both witnesses look up an op.
//
// The table in lowering.cc names every Opcode, so an op without a row does not compile. An in-place
// statement is evaluated as the op that it performs: look up program::Signature::performs.

#pragma once

#include <cstdint>

#include "autograd/program/opcode.h"
#include "autograd/reference/primitives.h"

namespace twingrad::reference {

struct Lowering {
  enum class Kind : uint8_t {
    kPrimitive,    // one elementwise primitive on one or two operands, broadcast
    kWhere,        // a selection between two broadcast operands
    kReduction,    // sum, mean
    kMatmul,       // a matrix product
    kCopy,         // the same elements (reshape: in another shape)
    kCast,         // the same elements as another type
    kComposite,    // several primitives: composite.h
    kNotComputed,  // no value follows from the operands' values alone
  };
  Kind kind = Kind::kNotComputed;
  Primitive primitive = Primitive::kAdd;  // of kPrimitive
};

Lowering LoweringOf(program::Opcode op);

// Operands that a node saves although none of its primitives does: indices, and what a product or a
// loss is computed from. Bit i: operand i; `last_tracked`: whether the last operand has a gradient.
// kResult: the result.
inline constexpr uint32_t kResult = uint32_t{1} << 30;
uint32_t AlsoSaved(program::Opcode op, bool last_tracked);
// What PyTorch saves in addition, although no derivative needs it.
uint32_t SavedNeedlessly(program::Opcode op);

}  // namespace twingrad::reference
