// Dependency counts, predicted and recounted.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "autograd/program/region.h"
#include "autograd/reference/recount.h"
#include "proptests/oracles/compare.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {

using reference::Recount;

namespace {

constexpr std::string_view kPredicted = "predicted";
constexpr std::string_view kRecount = "recount";

// The disagreement of either oracle about a node of the call that `statement` made.
Verdict Differs(const Evidence& evidence, std::string_view oracle, const CallRecord& call,
                const std::string& what, const std::string& expected, const std::string& actual,
                int statement, Detail detail = Detail::kNone) {
  return Disagree(oracle,
                  absl::StrCat(oracle, ": ", what, "\n  in the call of ",
                               LineOf(evidence.program, call.statement), "\n",
                               ExpectedText(expected, actual), "  ", EngineText(evidence), "\n"),
                  {call.statement, statement}, detail);
}

std::string EdgesText(const CallRecord& call, const NodeRecord& node) {
  std::vector<std::string> parts;
  for (const EdgeRecord& edge : node.next_edges) {
    parts.push_back(edge.node < 0 ? "-" : NodeText(call.nodes[edge.node].name));
  }
  return parts.empty() ? "none" : absl::StrJoin(parts, ", ");
}

std::string CountText(int32_t count) {
  return count < 0 ? "no entry" : absl::StrCat(count, count == 1 ? " dependency" : " dependencies");
}

using NameKey = std::tuple<program::NodeRole, int32_t, int32_t>;
NameKey KeyOf(const program::NodeName& name) { return {name.role, name.statement, name.index}; }

// The index of each expected node in the actual list, matched by name; -1 if it is missing.
std::vector<int32_t> Match(const CallRecord& expected, const CallRecord& actual) {
  std::vector<int32_t> at(expected.nodes.size(), -1);
  absl::flat_hash_map<NameKey, int32_t> by_name;  // the first of each; made when it is needed
  for (size_t i = 0; i < expected.nodes.size(); ++i) {
    // Usually both list their nodes in the same order.
    if (i < actual.nodes.size() && actual.nodes[i].name == expected.nodes[i].name) {
      at[i] = static_cast<int32_t>(i);
      continue;
    }
    if (by_name.empty()) {
      for (size_t j = 0; j < actual.nodes.size(); ++j) {
        by_name.try_emplace(KeyOf(actual.nodes[j].name), static_cast<int32_t>(j));
      }
    }
    const auto found = by_name.find(KeyOf(expected.nodes[i].name));
    if (found != by_name.end()) at[i] = found->second;
  }
  return at;
}

bool SameEdges(const NodeRecord& expected, const NodeRecord& actual,
               const std::vector<int32_t>& at) {
  if (expected.next_edges.size() != actual.next_edges.size()) return false;
  for (size_t i = 0; i < expected.next_edges.size(); ++i) {
    const EdgeRecord& e = expected.next_edges[i];
    const EdgeRecord& a = actual.next_edges[i];
    if (e.node < 0 ? a.node >= 0 : a.node != at[e.node]) return false;
    if (e.node >= 0 && e.input_nr != a.input_nr) return false;
  }
  return true;
}

Verdict JudgePredictedCall(const Evidence& evidence, const CallRecord& expected,
                           const CallRecord& actual) {
  const auto disagree = [&](const auto&... words) {
    return Differs(evidence, kPredicted, actual, words...);
  };
  const std::vector<int32_t> at = Match(expected, actual);
  for (size_t i = 0; i < at.size(); ++i) {
    const NodeName& name = expected.nodes[i].name;
    if (at[i] < 0) {
      return disagree(absl::StrCat("the graph lacks the ", NodeText(name)),
                      absl::StrCat(expected.nodes.size(), " nodes"),
                      absl::StrCat(actual.nodes.size(), " nodes"), name.statement);
    }
  }
  if (expected.nodes.size() != actual.nodes.size()) {
    return disagree("number of nodes", absl::StrCat(expected.nodes.size()),
                    absl::StrCat(actual.nodes.size()), actual.statement);
  }
  for (size_t i = 0; i < at.size(); ++i) {
    const NodeRecord& e = expected.nodes[i];
    const NodeRecord& a = actual.nodes[at[i]];
    if (!SameEdges(e, a, at)) {
      return disagree(absl::StrCat("edges of the ", NodeText(e.name)), EdgesText(expected, e),
                      EdgesText(actual, a), e.name.statement);
    }
    const int32_t count = actual.dependencies.empty() ? -1 : actual.dependencies[at[i]];
    if (!expected.dependencies.empty() && expected.dependencies[i] != count) {
      return disagree(absl::StrCat("dependencies of the ", NodeText(e.name)),
                      CountText(expected.dependencies[i]), CountText(count), e.name.statement);
    }
    const bool needed = !actual.needed.empty() && actual.needed[at[i]];
    if (!expected.needed.empty() && expected.needed[i] != needed) {
      return disagree(absl::StrCat("the ", NodeText(e.name)),
                      expected.needed[i] ? "needed" : "not needed",
                      needed ? "needed" : "not needed", e.name.statement);
    }
  }
  return Agree(kPredicted, {.counts_predicted = at.size()});
}

Verdict JudgeRecountedCall(const Evidence& evidence, const CallRecord& call, bool complete) {
  const Recount recount = reference::RecountCall(call);
  const auto disagree = [&](const auto&... words) {
    return Differs(evidence, kRecount, call, words...);
  };
  if (!recount.malformed.empty()) {
    return disagree("the recorded graph is malformed", "a graph without cycles", recount.malformed,
                    call.statement);
  }
  reference::ByNode<int> counts(call.nodes.size(), 0);
  const absl::Span<int> runs(counts);
  for (int32_t node : call.executed) {
    if (node < 0 || node >= static_cast<int32_t>(runs.size())) {
      return disagree("a node ran that the graph does not hold", "a recorded node",
                      absl::StrCat("node ", node), call.statement);
    }
    ++runs[node];
  }
  const absl::Span<const int32_t> dependencies(recount.dependencies);
  const absl::Span<const bool> needed(recount.needed), executed(recount.executed);
  for (size_t i = 0; i < call.nodes.size(); ++i) {
    const NodeName& name = call.nodes[i].name;
    const int32_t count = call.dependencies.empty() ? -1 : call.dependencies[i];
    if (dependencies[i] != count) {
      return disagree(absl::StrCat("dependencies of the ", NodeText(name)),
                      CountText(dependencies[i]), CountText(count), name.statement);
    }
    if (!needed.empty() && !call.needed.empty() && needed[i] != call.needed[i]) {
      return disagree(absl::StrCat("the ", NodeText(name)), needed[i] ? "needed" : "not needed",
                      call.needed[i] ? "needed" : "not needed", name.statement);
    }
    const int most = executed[i] ? 1 : 0;
    if (runs[i] > most || (complete && runs[i] < most)) {
      return disagree(absl::StrCat("runs of the ", NodeText(name)), absl::StrCat(most),
                      absl::StrCat(runs[i]), name.statement, Detail::kRuns);
    }
  }
  return Agree(kRecount, {.counts_recounted = call.nodes.size()});
}

// Whether a call stands in a `try` region or a thread section, where an error may have cut it short
// unseen.
std::vector<bool> CallsInTry(const Evidence& evidence) {
  std::vector<bool> in_try(evidence.program.statements.size(), false);
  std::vector<bool> open;
  for (size_t i = 0; i < in_try.size(); ++i) {
    const auto& statement = evidence.program.statements[i];
    if (statement.op == program::Opcode::kBegin) {
      const program::RegionKind kind = RegionKindOf(statement);
      const bool is_try = kind == program::RegionKind::kTry || kind == program::RegionKind::kThread;
      open.push_back(is_try || (!open.empty() && open.back()));
    } else if (statement.op == program::Opcode::kEnd && !open.empty()) {
      open.pop_back();
    }
    in_try[i] = !open.empty() && open.back();
  }
  return in_try;
}

}  // namespace

Verdict JudgePredictedCounts(const Evidence& evidence) {
  const auto& expected = evidence.expected.observation.calls;
  const auto& actual = evidence.observed.calls;
  if (expected.size() != actual.size()) {
    return Disagree(kPredicted, absl::StrCat("predicted: number of calls\n",
                                             ExpectedText(absl::StrCat(expected.size()),
                                                          absl::StrCat(actual.size())),
                                             "  ", EngineText(evidence), "\n"));
  }
  Compared compared;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!evidence.expected.call_predicted[i]) continue;
    Verdict verdict = JudgePredictedCall(evidence, expected[i], actual[i]);
    compared.Add(verdict.compared);
    if (verdict.outcome == Outcome::kAgree) continue;
    verdict.compared = compared;
    return verdict;
  }
  return Agree(kPredicted, compared);
}

Verdict JudgeRecount(const Evidence& evidence) {
  const std::vector<bool> in_try = CallsInTry(evidence);
  Compared compared;
  const std::vector<CallRecord>& calls = evidence.observed.calls;
  for (size_t i = 0; i < calls.size(); ++i) {
    const CallRecord& call = calls[i];
    if (call.nodes.empty()) continue;  // refused before there was a graph
    const int32_t statement = program::OutermostStatement(calls, i);
    const bool complete = !evidence.MayBeCutShort(i) && statement >= 0 && !in_try[statement];
    Verdict verdict = JudgeRecountedCall(evidence, call, complete);
    compared.Add(verdict.compared);
    if (verdict.outcome == Outcome::kAgree) continue;
    verdict.compared = compared;
    return verdict;
  }
  return Agree(kRecount, compared);
}

}  // namespace twingrad::oracles
