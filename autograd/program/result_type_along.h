// Types of results along a dimension: joins, gathers, sorts, scans, losses; and the limits of
// clamp.
//
// The part of result_type.h for statements that name a dimension or hold indices. Pure functions.

#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "autograd/program/fault.h"
#include "autograd/program/program.h"

namespace twingrad::program {

// Categories kRearrange, kScan and kLoss, max, min, argmax and argmin. Element types have been
// checked; the result's is set.
bool InferAlong(const Statement& statement, absl::Span<const TensorType* const> operands,
                TensorType* result, int64_t* work, Fault* fault);

// Checks that at least one of clamp's min= and max= is given, that they are numbers of the
// operand's type, and that they are in order.
bool CheckClamp(const Statement& statement, DType dtype, Fault* fault);

}  // namespace twingrad::program
