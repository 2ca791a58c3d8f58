// The order in which nodes ran.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

constexpr std::string_view kOracle = "order";

Verdict Differs(const Evidence& evidence, const CallRecord& call, const std::string& what,
                int statement) {
  return Disagree(
      kOracle,
      absl::StrCat("order: ", what, "\n  in the call of ", LineOf(evidence.program, call.statement),
                   "\n  ", EngineText(evidence), "\n"),
      {call.statement, statement});
}

Verdict JudgeCall(const Evidence& evidence, const CallRecord& call) {
  std::vector<int> place(call.nodes.size(), -1);
  for (size_t i = 0; i < call.executed.size(); ++i) {
    const int32_t node = call.executed[i];
    if (node < 0 || node >= static_cast<int32_t>(place.size())) continue;  // the recount's business
    const auto& name = call.nodes[node].name;
    if (place[node] >= 0) {
      return Differs(evidence, call, absl::StrCat("the ", NodeText(name), " ran twice"),
                     name.statement);
    }
    place[node] = static_cast<int>(i);
  }
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    if (place[i] < 0) continue;
    for (const EdgeRecord& edge : call.nodes[i].next_edges) {
      if (edge.node < 0 || place[edge.node] < 0 || place[edge.node] > place[i]) continue;
      const auto& late = call.nodes[i].name;
      const auto& early = call.nodes[edge.node].name;
      return Differs(evidence, call,
                     absl::StrCat("the ", NodeText(early), " ran before the ", NodeText(late),
                                  ", which delivers to it"),
                     early.statement);
    }
  }
  return Agree(kOracle);
}

// Names in the order of execution.
Verdict JudgePredictedOrder(const Evidence& evidence, const CallRecord& expected,
                            const CallRecord& actual) {
  const size_t count = std::min(expected.executed.size(), actual.executed.size());
  for (size_t i = 0; i < count; ++i) {
    const auto& e = expected.nodes[expected.executed[i]].name;
    const auto& a = actual.nodes[actual.executed[i]].name;
    if (e == a) continue;
    return Differs(
        evidence, actual,
        absl::StrCat("place ", i, "\n  expected ", NodeText(e), "\n  actual   ", NodeText(a)),
        a.statement);
  }
  if (expected.executed.size() != actual.executed.size()) {
    return Differs(evidence, actual,
                   absl::StrCat("number of nodes that ran\n  expected ", expected.executed.size(),
                                "\n  actual   ", actual.executed.size()),
                   actual.statement);
  }
  return Agree(kOracle);
}

}  // namespace

Verdict JudgeOrder(const Evidence& evidence) {
  const auto& expected = evidence.expected.observation.calls;
  const auto& actual = evidence.observed.calls;
  for (size_t i = 0; i < actual.size(); ++i) {
    Verdict verdict = JudgeCall(evidence, actual[i]);
    if (verdict.outcome == Outcome::kDisagree) return verdict;
    const bool predicted = i < expected.size() && evidence.expected.call_predicted[i];
    if (!predicted || evidence.RunsInAnyOrder(i) || evidence.LosesGraph(actual[i])) continue;
    verdict = JudgePredictedOrder(evidence, expected[i], actual[i]);
    if (verdict.outcome == Outcome::kDisagree) return verdict;
  }
  return Agree(kOracle);
}

}  // namespace twingrad::oracles
