// Warnings, in the order of a run on one thread.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "autograd/program/observation_text.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using program::NodeRole;
using program::WarningRecord;
using program::WarningSource;

constexpr std::string_view kOracle = "warnings";

// Names of nodes are compared where both know one that does not depend on how create_graph works.
bool SameNode(const WarningRecord& a, const WarningRecord& b) {
  const bool known = a.node.role != NodeRole::kBackward && b.node.role != NodeRole::kBackward;
  return !known || a.node == b.node;
}

bool Same(const WarningRecord& a, const WarningRecord& b) {
  return a.call == b.call && a.source == b.source && a.statement == b.statement && SameNode(a, b);
}

std::string TextOf(const Evidence& evidence, const WarningRecord& warning) {
  const std::string call = absl::StrCat(" in the call of statement ", warning.call);
  if (warning.source != WarningSource::kHook) {
    return absl::StrCat(program::WarningSourceName(warning.source), call);
  }
  return absl::StrCat("hook of statement ", warning.statement, " at ",
                      program::NodeText(evidence.program, warning.node), call);
}

std::string ListText(const Evidence& evidence, const std::vector<WarningRecord>& warnings) {
  if (warnings.empty()) return "none";
  return absl::StrJoin(warnings, "; ", [&](std::string* out, const WarningRecord& warning) {
    absl::StrAppend(out, TextOf(evidence, warning));
  });
}

// Without those of the call that the error of the run may have cut short, where several outcomes
// are legal.
std::vector<WarningRecord> Certain(const Evidence& evidence,
                                   const std::vector<WarningRecord>& warnings) {
  std::vector<WarningRecord> certain;
  for (const WarningRecord& warning : warnings) {
    const bool cut = evidence.SeveralOutcomes() && evidence.observed.error.has_value() &&
                     evidence.observed.error->statement == warning.call;
    if (!cut) certain.push_back(warning);
  }
  return certain;
}

}  // namespace

Verdict JudgeWarnings(const Evidence& evidence) {
  if (evidence.SeveralOutcomes() && !evidence.observed.survived.empty()) {
    return Skip(kOracle, "the Program goes on after an error that may have cut a call short");
  }
  const auto expected = Certain(evidence, evidence.expected.observation.warnings);
  const auto actual = Certain(evidence, evidence.observed.warnings);
  const auto& any_order = evidence.expected.call_in_any_order;
  if (std::find(any_order.begin(), any_order.end(), true) != any_order.end()) {
    const bool same =
        std::is_permutation(expected.begin(), expected.end(), actual.begin(), actual.end(), Same);
    if (same) return Agree(kOracle);
  }
  if (std::equal(expected.begin(), expected.end(), actual.begin(), actual.end(), Same)) {
    return Agree(kOracle);
  }
  const int call = actual.empty() ? expected.front().call : actual.front().call;
  return Disagree(
      kOracle,
      absl::StrCat("warnings: ", LineOf(evidence.program, call), "\n",
                   ExpectedText(ListText(evidence, expected), ListText(evidence, actual)), "  ",
                   EngineText(evidence), "\n"),
      {call});
}

}  // namespace twingrad::oracles
