// Whether a Program is well-formed. See analyze.h for the rules and for what else the analysis
// tells.

#pragma once

#include "absl/status/status.h"
#include "autograd/program/program.h"

namespace twingrad::program {

// Errors have the form of Parse's, with the place in the canonical text.
absl::Status Validate(const Program& program);

}  // namespace twingrad::program
