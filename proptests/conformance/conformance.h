// Goldens on a foreign engine, held against the list of those that it is known to get wrong.
//
// The list is strict both ways: a golden that fails must be listed, by the rule that it breaks, and
// one that is listed must fail by that rule. But for the reading of goldens, pure functions.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proptests/conformance/expected_failures.h"
#include "proptests/workers/case.h"

namespace twingrad::conformance {

struct GoldenVerdict {
  std::string id;
  workers::CaseResult verdict;
};

// Judges a Program, given as text.
using JudgeProgram = std::function<absl::StatusOr<workers::CaseResult>(std::string_view)>;

// Every Program of golden/programs and golden/findings, sorted by id: below `top`, or where that is
// empty as proptests/workers/files.h finds them. Unavailable: there are none.
absl::StatusOr<std::vector<GoldenVerdict>> JudgeGoldens(const JudgeProgram& judge,
                                                        const std::string& top = "");

// A line for each golden that does not agree, and one that counts the outcomes.
std::string OutcomesText(absl::Span<const GoldenVerdict> goldens, double seconds);

// Whether the engine got it wrong, be it explained by a signature or not.
bool GotWrong(const workers::CaseResult& verdict);

// A line or more for each golden and each listed entry that is not as the list says.
std::vector<std::string> Complaints(absl::Span<const GoldenVerdict> goldens,
                                    const ExpectedFailures& failures);

// The list as it would have to be: entries that fail by another rule take it, those that no longer
// fail go, with the signatures that name them; new ones are dated `until`, and their reason says
// that nobody looked into them yet.
ExpectedFailures Revised(absl::Span<const GoldenVerdict> goldens, ExpectedFailures failures,
                         std::string_view until);

}  // namespace twingrad::conformance
