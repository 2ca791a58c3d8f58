// Hooks, in the order and with the gradients that the twin says.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

constexpr std::string_view kOracle = "hooks";

Verdict Differs(const Evidence& evidence, const CallRecord& call, int hook,
                const std::string& what) {
  return Disagree(
      kOracle,
      absl::StrCat("hooks: ", LineOf(evidence.program, hook), "\n", what, "  in the call of ",
                   LineOf(evidence.program, call.statement), "\n  ", EngineText(evidence), "\n"),
      {hook, call.statement});
}

Verdict JudgeRecord(const Evidence& evidence, const CallRecord& call, const HookRecord& expected,
                    const HookRecord& actual, absl::Span<const double> bounds) {
  if (expected.gradient_defined != actual.gradient_defined) {
    const auto text = [](bool defined) { return defined ? "a gradient" : "no gradient"; };
    return Differs(evidence, call, actual.statement,
                   ExpectedText(absl::StrCat("to see ", text(expected.gradient_defined)),
                                text(actual.gradient_defined)));
  }
  // What it read is for JudgeSharedReads to judge.
  const bool shared = evidence.expected.IsSharedRead(call.statement, actual.statement);
  if (!expected.gradient_defined || shared) return Agree(kOracle);
  if (const Difference difference = Compare(expected.gradient, actual.gradient, bounds)) {
    return Differs(evidence, call, actual.statement,
                   DifferenceText(difference, expected.gradient, actual.gradient));
  }
  return Agree(kOracle);
}

absl::Span<const double> BoundsOf(const Evidence& evidence, size_t call, size_t record) {
  const auto& bounds = evidence.expected.hook_bounds;
  if (call >= bounds.size() || record >= bounds[call].size()) return {};
  return bounds[call][record].bound;
}

std::string LogText(const std::vector<const HookRecord*>& log) {
  std::string text;
  for (const HookRecord* record : log) {
    absl::StrAppend(&text, text.empty() ? "" : ",", record->statement);
  }
  return text.empty() ? "no hook" : absl::StrCat("hooks of statements ", text);
}

// The logs of one call, expected with its bounds and actual, without what timing decides.
struct Logs {
  const CallRecord& call;  // as observed
  // Its nodes have the same names; null where only the engine knows them.
  const CallRecord* predicted;
  std::vector<const HookRecord*> expected, actual;
  std::vector<absl::Span<const double>> bounds;
};

// In one order: record by record.
Verdict JudgeLog(const Evidence& evidence, const Logs& logs) {
  const auto& [call, predicted, expected, actual, bounds] = logs;
  bool same = expected.size() == actual.size();
  for (size_t i = 0; same && i < expected.size(); ++i) {
    same = expected[i]->statement == actual[i]->statement;
  }
  if (!same) {
    const int hook = !actual.empty() ? actual.front()->statement : expected.front()->statement;
    return Differs(evidence, call, hook, ExpectedText(LogText(expected), LogText(actual)));
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    Verdict verdict = JudgeRecord(evidence, call, *expected[i], *actual[i], bounds[i]);
    if (verdict.outcome == Outcome::kDisagree) return verdict;
  }
  return Agree(kOracle);
}

// Whether both are of one hook on one node, as far as nodes are known. A hook on saved tensors is
// on many.
bool MayBeOne(const Logs& logs, const HookRecord& expected, const HookRecord& actual) {
  if (expected.statement != actual.statement) return false;
  if (logs.predicted == nullptr || expected.node < 0 || actual.node < 0) return true;
  return logs.predicted->nodes[expected.node].name == logs.call.nodes[actual.node].name;
}

// Such a hook stands on many nodes, any other on one.
bool IsOnSavedTensors(const Evidence& evidence, const HookRecord& record) {
  return evidence.program.statements[static_cast<size_t>(record.statement)].op ==
         program::Opcode::kBegin;
}

// The first expected record that this one may be, of those that are not used. What a hook on saved
// tensors saw of nodes that are not known says which of them it is.
size_t MatchFor(const Evidence& evidence, const Logs& logs, const std::vector<bool>& used,
                const HookRecord& record) {
  size_t first = used.size();
  for (size_t k = 0; k < used.size(); ++k) {
    if (used[k] || !MayBeOne(logs, *logs.expected[k], record)) continue;
    if (logs.predicted != nullptr || !IsOnSavedTensors(evidence, record)) return k;
    first = std::min(first, k);
    const Verdict same =
        JudgeRecord(evidence, logs.call, *logs.expected[k], record, logs.bounds[k]);
    if (same.outcome == Outcome::kAgree) return k;
  }
  return first;
}

// In any order of nodes: each hook fires as often as expected and sees the same gradients; hooks of
// one node keep their order.
Verdict JudgeByNode(const Evidence& evidence, const Logs& logs) {
  const auto& [call, predicted, expected, actual, bounds] = logs;
  if (expected.size() != actual.size()) return JudgeLog(evidence, logs);
  std::vector<bool> used(expected.size(), false);
  // The last expected record that was matched on each node.
  std::vector<int> last(call.nodes.size(), -1);
  for (const HookRecord* record : actual) {
    const size_t match = MatchFor(evidence, logs, used, *record);
    if (match == used.size()) {
      return Differs(evidence, call, record->statement, "  fired more often than expected\n");
    }
    used[match] = true;
    // Of a hook on nodes that are not known, which of them it was is a guess.
    const bool known = predicted != nullptr || !IsOnSavedTensors(evidence, *record);
    if (known && record->node >= 0 && record->node < static_cast<int32_t>(last.size())) {
      if (last[record->node] > static_cast<int>(match)) {
        return Differs(evidence, call, record->statement,
                       "  fired after a hook of the same node that comes later\n");
      }
      last[record->node] = static_cast<int>(match);
    }
    Verdict verdict = JudgeRecord(evidence, call, *expected[match], *record, bounds[match]);
    if (verdict.outcome == Outcome::kDisagree) return verdict;
  }
  return Agree(kOracle);
}

Logs LogsOf(const Evidence& evidence, size_t at) {
  const CallRecord& call = evidence.expected.observation.calls[at];
  const CallRecord* const predicted = evidence.expected.call_predicted[at] ? &call : nullptr;
  Logs logs{evidence.observed.calls[at], predicted, {}, {}, {}};
  const auto& expected = call.hooks;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (evidence.IsUncertain(expected[i], at)) continue;
    logs.expected.push_back(&expected[i]);
    logs.bounds.push_back(BoundsOf(evidence, at, i));
  }
  for (const HookRecord& record : logs.call.hooks) {
    if (!evidence.IsUncertain(record, at)) logs.actual.push_back(&record);
  }
  return logs;
}

}  // namespace

// The order of nodes that create_graph made is the engine's own.
Verdict JudgeHooks(const Evidence& evidence) {
  const auto& expected = evidence.expected.observation.calls;
  const auto& actual = evidence.observed.calls;
  for (size_t i = 0; i < actual.size() && i < expected.size(); ++i) {
    if (expected[i].hooks.empty() && actual[i].hooks.empty()) continue;
    if (evidence.SeveralOutcomes() && evidence.MayBeCutShort(i)) continue;
    const Logs logs = LogsOf(evidence, i);
    const bool in_order = evidence.expected.call_predicted[i] && !evidence.RunsInAnyOrder(i);
    Verdict verdict = in_order ? JudgeLog(evidence, logs) : JudgeByNode(evidence, logs);
    if (verdict.outcome == Outcome::kDisagree) return verdict;
  }
  return Agree(kOracle);
}

}  // namespace twingrad::oracles
