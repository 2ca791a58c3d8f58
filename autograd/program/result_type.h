// Types of results from types of operands: broadcasting, reductions, matrix products, views, casts.
//
// This is the static half of shapes; whether a view shares storage or needs a copy is known only at
// run time. Pure functions.

#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "autograd/program/fault.h"
#include "autograd/program/program.h"

namespace twingrad::program {

// Computes the shape to which two shapes broadcast; false if they do not.
bool Broadcast(absl::Span<const int64_t> a, absl::Span<const int64_t> b, Shape* result);

// Whether `from` broadcasts to exactly `to`.
bool BroadcastsTo(absl::Span<const int64_t> from, absl::Span<const int64_t> to);

// Checks the operands' element types and shapes and computes the type of the result of an
// elementwise statement, reduction, matmul, view, copy or in-place statement (for which it is
// operand 0's). `work` is what the statement adds to the Program's total beyond its result. Returns
// false and fills in `fault` if they do not fit.
bool InferType(const Statement& statement, absl::Span<const TensorType* const> operands,
               TensorType* result, int64_t* work, Fault* fault);

// Whether rank, sizes and elements are within the limits; else `why` says what is allowed.
bool WithinLimits(absl::Span<const int64_t> shape, std::string* why);

}  // namespace twingrad::program
