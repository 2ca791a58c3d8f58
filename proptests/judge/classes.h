// Classes of statements that compute: what their attributes and operands are like, as "conv2d
// stride above 1", "add empty" or "sort tie".
//
//   for (const int k : OpClassesOf(statement, operands)) ++counts[k];
//
// An op has the classes of its attributes, by its signature, and those of the operands that it
// takes. The summary of a run says how often each was judged. Pure functions; any thread.

#pragma once

#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "autograd/program/observation.h"
#include "autograd/program/opcode.h"
#include "autograd/program/program.h"

namespace twingrad::judge {

// classes.cc checks that the table of statements has as many.
inline constexpr int kNumOpClasses = 1665;

// The op, and the class.
std::string OpClassName(int op_class);
program::Opcode OpOf(int op_class);

// Those of the statement, each once. `operands`: what they hold, null where that is not known.
absl::InlinedVector<int, 16> OpClassesOf(const program::Statement& statement,
                                         absl::Span<const program::TensorData* const> operands);

}  // namespace twingrad::judge
