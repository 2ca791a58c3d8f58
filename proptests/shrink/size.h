// The size of a Program as a reader perceives it, which the shrinker minimizes.
//
// Compared by statements first, then by kinds of statements, values, attributes, elements and data,
// so that every step of the shrinker can make progress and none can cycle.

#pragma once

#include <cstdint>

#include "autograd/program/program.h"

namespace twingrad::shrink {

struct Size {
  int64_t statements = 0;
  int64_t ops = 0;     // weights of the ops: a leaf is lighter than an add, an add than a matmul
  int64_t values = 0;  // operands, results and values in lists
  int64_t attributes = 0;  // without data
  int64_t elements = 0;    // of the leaves, and the dimensions they are spread over
  int64_t data = 0;        // 0 is lighter than 1, 1 than 2, an integer than a fraction

  auto operator<=>(const Size&) const = default;
};

Size SizeOf(const twingrad::program::Program& program);

// The weight of one element given by its bits.
int64_t ElementWeight(uint64_t bits, twingrad::DType dtype);

}  // namespace twingrad::shrink
