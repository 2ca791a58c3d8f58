// Text to Program. The grammar is in README.md.
//
// A pure function, linear in the text; for any text, the result is a valid Program or an error.

#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "autograd/program/program.h"

namespace twingrad::program {

// Parses and validates. Error: `[program] LINE:COLUMN what is wrong; what is allowed`, both counted
// from 1, columns in bytes.
absl::StatusOr<Program> Parse(std::string_view text);

}  // namespace twingrad::program
