// Warnings, in the order of a run on one thread where that follows from the Program.

#include <algorithm>
#include <cstdint>
#include <iterator>
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

std::vector<WarningRecord> OfCall(const std::vector<WarningRecord>& warnings, int32_t call) {
  std::vector<WarningRecord> of_call;
  std::ranges::copy_if(warnings, std::back_inserter(of_call),
                       [call](const WarningRecord& warning) { return warning.call == call; });
  return of_call;
}

// Whether the nodes of this statement's calls may run in several orders: so with helpers, and over
// nodes that create_graph made, whose edges are the engine's own.
bool InAnyOrder(const Evidence& evidence, int32_t statement) {
  const auto& calls = evidence.expected.observation.calls;
  for (size_t i = 0; i < calls.size(); ++i) {
    const bool in_order =
        evidence.expected.call_predicted[i] && !evidence.expected.call_in_any_order[i];
    if (program::OutermostStatement(calls, i) == statement && !in_order) return true;
  }
  return false;
}

// Of one call: those that are expected, in their order or, where that is open, in any.
bool AgreeOnCall(const Evidence& evidence, const std::vector<WarningRecord>& expected,
                 const std::vector<WarningRecord>& actual, int32_t call) {
  const auto of_twin = OfCall(expected, call), of_engine = OfCall(actual, call);
  return InAnyOrder(evidence, call) ? std::ranges::is_permutation(of_twin, of_engine, Same)
                                    : std::ranges::equal(of_twin, of_engine, Same);
}

}  // namespace

Verdict JudgeWarnings(const Evidence& evidence) {
  if (evidence.SeveralOutcomes() && !evidence.observed.survived.empty()) {
    return Skip(kOracle, "the Program goes on after an error that may have cut a call short");
  }
  const auto expected = Certain(evidence, evidence.expected.observation.warnings);
  const auto actual = Certain(evidence, evidence.observed.warnings);
  bool agree = expected.size() == actual.size();
  for (const WarningRecord& warning : actual) {
    agree = agree && AgreeOnCall(evidence, expected, actual, warning.call);
  }
  if (agree) return Agree(kOracle);
  const int call = actual.empty() ? expected.front().call : actual.front().call;
  return Disagree(
      kOracle,
      absl::StrCat("warnings: ", LineOf(evidence.program, call), "\n",
                   ExpectedText(ListText(evidence, expected), ListText(evidence, actual)), "  ",
                   EngineText(evidence), "\n"),
      {call});
}

}  // namespace twingrad::oracles
