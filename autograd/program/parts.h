// What the results of a statement with several of them are.
//
//   %a, %b, %c = split %x dim=0 count=2      x: [5,3]
//   CountParts(split, {5, 3})                // 3
//   PartAlone(split, {5, 3}, 2)              // %c = slice %x dim=0 start=4 stop=5
//
//   %v, %i = sort %x dim=0
//   ResultAlone(sort, 1)                     // %i = argsort %x dim=0
//
// Parts are what unbind, split and chunk make of a value, as views one after the other along dim=.
// Ops that pick elements may give the indices of these as a second result. Statements have a valid
// dim= and count= unless said otherwise, and `k` is below CountParts. Pure functions.

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

// Whether a statement of the op may have indices as a second result, and whether this one has.
bool MayGiveIndices(Opcode op);
bool GivesIndices(const Statement& statement);

// Of a statement that gives indices: the one that gives its values (k = 0) or its indices (1).
Statement ResultAlone(const Statement& statement, size_t k);

}  // namespace twingrad::program
