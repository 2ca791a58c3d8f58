#include "proptests/judge/table.h"

#include <utility>

#include "proptests/judge/canary.h"
#include "proptests/oracles/metamorphic.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::judge {

using oracles::Evidence;
using oracles::Verdict;

namespace {

template <Verdict (*judge)(const Evidence&)>
Verdict OfEvidence(const Exhibits& e) {
  return judge(e.evidence);
}

template <Verdict (*judge)(const twingrad::program::Program&,
                           const twingrad::program::Observation&)>
Verdict OfRun(const Exhibits& e) {
  return judge(e.evidence.program, e.evidence.observed);
}

Verdict Determinism(const Exhibits& e) {
  return oracles::JudgeDeterminism(e.evidence.program, *e.other->observed, e.evidence.observed,
                                   e.other->threads, e.other->names, &e.evidence.expected);
}

Verdict Dual(const Exhibits& e) { return oracles::JudgeDual(e.evidence, *e.dual); }

Verdict Ball(const Exhibits& e) { return oracles::JudgeBall(e.evidence, *e.ball, e.dual); }

// Of the laws that need runs with other seeds.
template <Verdict (*judge)(const SeededRuns&)>
Verdict OfSeeded(const Exhibits& e) {
  return judge(*e.seeded());
}

Verdict Twice(const SeededRuns& runs) {
  return oracles::JudgeTwice(runs.seeded, runs.once.observed, runs.twice);
}

Verdict ZeroSeed(const SeededRuns& runs) { return oracles::JudgeZeroSeed(runs.seeded, runs.zero); }

Verdict Sum(const SeededRuns& runs) {
  const auto run = [](const SeededRuns::Predicted& predicted) {
    return oracles::SeededRun{predicted.observed, predicted.expected};
  };
  return oracles::JudgeSum(runs.seeded, run(runs.once), run(runs.pattern), run(runs.sum));
}

Verdict Canary(const Exhibits& e) { return JudgeCanary(e.canary()); }

// The first row that disagrees names the finding, so what says most of a fault comes first:
// - frozen and internal: the run was cut short, and all that follows would only show that.
// - thread state: whatever comes after the call would run in the wrong modes.
// - determinism: the engine contradicts itself. No witness is needed to tell, and one would name
//   only one of the two results.
// - errors, survived: where the run and its parts ended decides what can be compared at all.
// - gradient type: elements are compared only where types are the same.
// - recount: what ran, and why, says more of a fault than the values that came of it.
// - threads, callbacks, sharing, writes: where and when something ran, and on what, explains wrong
//   values.
// - streams, stream waits: an access that nothing orders gives right values in the order that it
//   happened to have, and so does work that waits too long.
// - twin before dual: it judges all values, versions and flags; the dual numbers find what engine
//   and twin have in common.
// - ball after dual: it judges those two as well, and finds what all three have in common.
// - accessors: gradients are right as they are first read.
// - predicted, order, hooks, shared reads, warnings: from what the twin says of nodes, the most
// particular last.
// - leaks: of a run that is right in all else.
// - metamorphic: costs runs of its own, made only if all is right so far.
// - canary: speaks of the engine's state after this run, not of the run.
constexpr OracleRow kRows[] = {
    {"frozen", 0, OfRun<oracles::JudgeFrozen>},
    {"internal", need::kErrorClasses, OfRun<oracles::JudgeInternalError>},
    {"thread state", need::kInside, OfRun<oracles::JudgeThreadState>},
    {"determinism", need::kOtherRun, Determinism},
    {"errors", need::kTwin, OfEvidence<oracles::JudgeErrors>},
    {"survived", need::kTwin | need::kSurvived, OfEvidence<oracles::JudgeSurvivedErrors>},
    {"gradient type", 0, OfRun<oracles::JudgeGradientTypes>},
    {"recount", need::kGraph, OfEvidence<oracles::JudgeRecount>},
    {"threads", need::kInside | need::kCalls, OfEvidence<oracles::JudgeThreads>},
    {"callbacks", need::kInside | need::kCalls | need::kHooks, OfRun<oracles::JudgeCallbacks>},
    {"sharing", need::kInside | need::kTwin, OfEvidence<oracles::JudgeSharing>},
    {"writes", need::kInside | need::kCalls, OfRun<oracles::JudgeWrites>},
    {"streams", need::kInside, OfRun<oracles::JudgeStreams>},
    {"stream waits", need::kInside, OfRun<oracles::JudgeStreamWaits>},
    {"twin", need::kTwin, OfEvidence<oracles::JudgeValues>},
    {"dual", need::kTwin | need::kDual, Dual},
    {"ball", need::kTwin | need::kBall | need::kNoError, Ball},
    {"accessors", 0, OfRun<oracles::JudgeAccessors>},
    {"predicted", need::kTwin | need::kCalls | need::kPrediction,
     OfEvidence<oracles::JudgePredictedCounts>},
    {"order", need::kTwin | need::kCalls | need::kOrder, OfEvidence<oracles::JudgeOrder>},
    {"hooks", need::kTwin | need::kCalls | need::kHooks, OfEvidence<oracles::JudgeHooks>},
    {"shared reads", need::kTwin | need::kCalls | need::kHooks,
     OfEvidence<oracles::JudgeSharedReads>},
    {"warnings", need::kTwin | need::kCalls | need::kWarnings, OfEvidence<oracles::JudgeWarnings>},
    {"leaks", need::kInside, OfRun<oracles::JudgeLeaks>},
    {"metamorphic twice", need::kSeededRuns | need::kNoError, OfSeeded<Twice>},
    {"metamorphic zero", need::kSeededRuns | need::kNoError, OfSeeded<ZeroSeed>},
    {"metamorphic sum", need::kSeededRuns | need::kNoError, OfSeeded<Sum>},
    {"canary", need::kCanary | need::kAnError, Canary},
};

Needs Met(const Exhibits& exhibits) {
  Needs met = exhibits.shown;
  met |= exhibits.evidence.observed.error ? need::kAnError : need::kNoError;
  if (exhibits.dual != nullptr) met |= need::kDual;
  if (exhibits.ball != nullptr) met |= need::kBall;
  if (exhibits.other) met |= need::kOtherRun;
  if (exhibits.seeded) met |= need::kSeededRuns;
  if (exhibits.canary) met |= need::kCanary;
  return met;
}

}  // namespace

absl::Span<const OracleRow> Oracles() { return kRows; }

bool JudgeByTable(const Exhibits& exhibits, std::vector<Verdict>& verdicts, std::string_view but) {
  const Needs met = Met(exhibits);
  for (const OracleRow& row : kRows) {
    if ((row.needs & ~met) != 0 || row.word == but) continue;
    if ((row.needs & need::kSeededRuns) != 0 && exhibits.seeded() == nullptr) continue;
    verdicts.push_back(row.judge(exhibits));
    if (verdicts.back().outcome == oracles::Outcome::kDisagree) return false;
  }
  return true;
}

}  // namespace twingrad::judge
