// Entries of a sparse tensor in a Program: what the shrinker drops and mutations change.
//
//   TakeEntries(program, at, {0, 2})   // without the second of three
//
// Pure functions.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "autograd/program/program.h"

namespace twingrad::shrink {

// How many entries the sparse_coo that is statement `at` lists; nothing where that is another
// statement, or its values or indices are no leaves.
std::optional<int64_t> EntriesOf(const program::Program& program, int at);

// The Program in which it lists these of its entries, in this order, some perhaps twice, and each
// coalesce of it says how many indices differ. The leaves get other sizes for all who take them.
std::optional<program::Program> TakeEntries(const program::Program& program, int at,
                                            const std::vector<int64_t>& entries);

}  // namespace twingrad::shrink
