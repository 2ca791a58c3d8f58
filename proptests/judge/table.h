// The table of oracles: which there are, in which order they speak, and what each needs.
//
//   std::vector<oracles::Verdict> verdicts;
//   const bool all_agree = JudgeByTable({.evidence = evidence, .shown = need::kTwin}, verdicts);
//
// All judges iterate it: the Judge of the repository's engine (judge.h), the explored engine's
// (interleave/engine/program_judge.h), and that of foreign engines (conformance/foreign_judge.h).
// They differ only in what they lay before the oracles; a row whose needs are not met is passed
// over. So a new oracle is one row here. Pure functions, but for the further runs that a judge
// makes when a row asks for them.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/observation.h"
#include "autograd/reference/ball/ball_result.h"
#include "autograd/reference/dual.h"
#include "proptests/judge/seeded_runs.h"
#include "proptests/oracles/evidence.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::judge {

using Needs = uint32_t;
namespace need {
// Said by the judge (Exhibits::shown).
inline constexpr Needs kTwin = 1 << 0;          // the twin can say what is right
inline constexpr Needs kErrorClasses = 1 << 1;  // errors have this repository's classes
inline constexpr Needs kSurvived = 1 << 2;      // and so have errors that are survived
inline constexpr Needs kCalls = 1 << 3;         // calls are recorded: nodes, edges and counts
inline constexpr Needs kGraph = 1 << 4;         // ... those that create_graph made included
inline constexpr Needs kPrediction = 1 << 5;    // each statement makes the nodes that the twin says
inline constexpr Needs kOrder = 1 << 6;         // the order in which nodes ran is shown
inline constexpr Needs kHooks = 1 << 7;         // what hooks saw is shown
inline constexpr Needs kWarnings = 1 << 8;      // warnings are shown
inline constexpr Needs kInside = 1 << 9;        // what only this repository's engine shows is
// Follow from the other exhibits.
inline constexpr Needs kNoError = 1 << 10;     // the run did not end in an error
inline constexpr Needs kAnError = 1 << 11;     // it did
inline constexpr Needs kDual = 1 << 12;        // the dual numbers
inline constexpr Needs kBall = 1 << 13;        // the balls
inline constexpr Needs kOtherRun = 1 << 14;    // another run of the same Program
inline constexpr Needs kSeededRuns = 1 << 15;  // runs with other seeds
inline constexpr Needs kCanary = 1 << 16;      // the canary's run on the same engine, afterwards
}  // namespace need

// Another run of the Program, with which the run at hand must agree bit by bit.
struct OtherRun {
  const twingrad::program::Observation* observed = nullptr;
  bool threads = false;  // whether several threads ran one of the two
  std::string names;     // which two runs they are, for people
};

// What a judge lays before the oracles: one run of a Program and what belongs to it.
struct Exhibits {
  const oracles::Evidence& evidence;
  Needs shown = 0;
  const twingrad::reference::DualResult* dual = nullptr;
  const twingrad::reference::ball::BallResult* ball = nullptr;
  std::optional<OtherRun> other = {};
  // Runs that are made only if the table comes to a row that needs them; empty: there are none. Of
  // seeded runs there may be none for this Program: null.
  std::function<const SeededRuns*()> seeded = {};
  std::function<twingrad::program::Observation()> canary = {};
};

struct OracleRow {
  std::string_view word;  // what Verdicts, findings and summaries call it
  Needs needs = 0;
  oracles::Verdict (*judge)(const Exhibits&);
};

// In the order in which they speak; table.cc says why that one.
absl::Span<const OracleRow> Oracles();

// Appends the Verdict of each row whose needs are met, up to the first disagreement, whose
// consequences the rows below would repeat. True if there was none. `but` names a row to leave out.
bool JudgeByTable(const Exhibits& exhibits, std::vector<oracles::Verdict>& verdicts,
                  std::string_view but = "");

}  // namespace twingrad::judge
