// Parts: what unbind, split and chunk make of a value, as views one after the other along dim=.
//
//   %a, %b, %c = split %x dim=0 count=2      x: [5,3]
//   CountParts(split, {5, 3})                // 3
//   PartAlone(split, {5, 3}, 2)              // %c = slice %x dim=0 start=4 stop=5
//
// Statements have a valid dim= and count= unless said otherwise, and `k` is below CountParts. Pure
// functions.

#pragma once

#include <cstddef>
#include <cstdint>

#include "autograd/program/program.h"

namespace twingrad::program {

// Whether it is one of the three.
bool HasParts(Opcode op);

// Of a value of shape `from`; 0 of a dimension without entries that is unbound.
int64_t CountParts(const Statement& statement, const Shape& from);
// How many results to give a statement, whatever its dim= and count=: CountParts, as far as a
// statement may have so many, and at least 1.
size_t FittingResults(const Statement& statement, const Shape& from);
Shape PartShape(const Statement& statement, const Shape& from, size_t k);

// The view statement, a select or a slice, whose one result is the k-th of `statement`.
Statement PartAlone(const Statement& statement, const Shape& from, size_t k);

}  // namespace twingrad::program
