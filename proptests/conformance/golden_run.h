// All goldens on an engine: which Programs they are, and what a person reads of the run.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proptests/conformance/conformance.h"

namespace twingrad::conformance {

// Judges a Program, given as text.
using JudgeProgram = std::function<absl::StatusOr<workers::CaseResult>(std::string_view)>;

// Every Program of golden/programs and golden/findings, sorted by id: below `top`, or where that is
// empty as proptests/workers/repository_files.h finds them. Unavailable: there are none.
absl::StatusOr<std::vector<GoldenVerdict>> JudgeGoldens(const JudgeProgram& judge,
                                                        const std::string& top = "");

// A line for each golden that does not agree, and one that counts the outcomes.
std::string OutcomesText(absl::Span<const GoldenVerdict> goldens, double seconds);

}  // namespace twingrad::conformance
