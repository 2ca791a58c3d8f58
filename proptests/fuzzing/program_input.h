// The Program that an input of a fuzzer stands for: the text of a small one, or bytes that steer
// the generators. Pure functions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "proptests/generators/options.h"

namespace twingrad::fuzzing {

// A Program of more is no input: it takes the time of many others.
inline constexpr size_t kMostStatements = 64;
inline constexpr int64_t kMostElements = 4096;

// Whether the bytes are meant as the text of a Program: they begin with its header.
bool IsText(absl::Span<const uint8_t> bytes);

// Nothing if a text is no Program or a large one. Bytes always give a Program, the same one.
std::optional<program::Program> ProgramOf(absl::Span<const uint8_t> bytes,
                                          const generators::GeneratorOptions& options = {});
// Where a Program runs under many schedules, those of bytes are a third as long as usual and name
// two devices at most: a defect of concurrency needs few nodes and threads, and time goes by steps.
std::optional<program::Program> ShortProgramOf(absl::Span<const uint8_t> bytes);

}  // namespace twingrad::fuzzing
