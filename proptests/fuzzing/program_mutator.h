// Mutations of Programs: each makes a valid Program of a valid one, in the steps of a generator
// (a statement of a new Program is added, an op, an attribute, data, a shape or an operand is
// changed, entries of a sparse tensor too, statements of another Program are spliced in) or of the
// shrinker; a third is a new one.
//
// Statements are edited without regard to validity; the shrinker's Rebuilder makes a Program of
// them. So a change that does not fit costs a statement or two and not the whole. All choices come
// from a seed; pure functions.

#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "proptests/fuzzing/schedule_input.h"

namespace twingrad::fuzzing {

// Another Program within the limits of program_input.h, or the same one if several tries made none.
// It states no expectations: a mutation breaks them.
program::Program MutateProgram(const program::Program& program, uint64_t seed);
// `program` with statements of `other` spliced in, their values renamed: some become values of the
// same type that `program` has, some come along.
program::Program CrossPrograms(const program::Program& program, const program::Program& other,
                               uint64_t seed);

// The same for inputs of a fuzzer: what they stand for is mutated and printed. An input that is no
// Program becomes one of the generators'; where the text has no room, the input stays as it is.
Bytes MutateProgramText(absl::Span<const uint8_t> input, size_t max_size, uint64_t seed);
Bytes CrossProgramTexts(absl::Span<const uint8_t> a, absl::Span<const uint8_t> b, size_t max_size,
                        uint64_t seed);

}  // namespace twingrad::fuzzing
