// Which primitive an elementwise statement is, in place or not: what both witnesses ask.

#ifndef AUTOGRAD_REFERENCE_LOWERING_H_
#define AUTOGRAD_REFERENCE_LOWERING_H_

#include <optional>

#include "autograd/program/opcode.h"
#include "autograd/reference/primitives.h"

namespace autograd::reference {

// The statement that an in-place statement performs on the old contents; others are themselves.
program::Opcode OutOfPlace(program::Opcode op);

// Nothing where the statement is not elementwise with one or two operands.
std::optional<Primitive> ElementwisePrimitive(program::Opcode op);

}  // namespace autograd::reference

#endif  // AUTOGRAD_REFERENCE_LOWERING_H_
