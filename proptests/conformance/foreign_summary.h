// What a run over a foreign engine counts, and its lines of the summary.

#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proptests/conformance/expected_failures.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/judge/statistics.h"
#include "proptests/subjects/summary.h"

namespace twingrad::conformance {

// Plain numbers that add up over workers.
struct ForeignStatistics {
  judge::Statistics base;
  subjects::DrawnFeatures drawn = {};
  std::array<uint64_t, kNumOutcomes> outcomes = {};  // in programs
  // Explained programs, by the place of the entry in the list; those beyond count with the last.
  std::array<uint64_t, 256> explained = {};
  // By feature: which areas a Program of that outcome holds.
  std::array<std::array<uint64_t, kNumOutcomes>, judge::kNumTraits> areas = {};
  // Programs that the engine ran, such of them as called it, and such of these as were recounted
  // and predicted, as ForeignVerdict has it.
  uint64_t ran = 0;
  uint64_t called = 0;
  uint64_t recounted = 0;
  uint64_t predicted = 0;
  // By kink: Programs in which the engine took another element than the twin; then those with NaN
  // for 0 times an infinity, and with absent zeros.
  std::array<uint64_t, twingrad::reference::kNumKinks> kinks = {};
  uint64_t or_nan = 0;
  uint64_t absent = 0;
  uint64_t enclosed = 0;  // Programs of which intervals alone told that
  uint64_t elements = 0;  // that are right and not the twin's
  uint64_t elements_not_judged = 0;
  uint64_t restarts = 0;  // of the adapter, after whatever reason
  uint64_t killed = 0;    // of these: killed from outside, its program run again
};

void CountProgram(const twingrad::program::Program& program, const Expectation& expected,
                  const ForeignVerdict& judged, const twingrad::program::Observation& observed,
                  ForeignStatistics* statistics);

// The members of a JSON object: outcomes, and areas by outcome.
std::string ForeignReport(const ForeignStatistics& statistics);

// For each convention that was taken, a note with an example.
std::vector<std::string> NotesOf(const ConventionsTaken& taken);

// Counts a Program that an entry of the list explains; the note that a summary then needs.
std::string CountExplained(const ExpectedFailures& failures, std::string_view entry,
                           ForeignStatistics* statistics);

// Each line ends in a newline. Of the notes it takes one for each convention, and those of entries.
std::string ForeignSummary(const ForeignStatistics& statistics,
                           const std::set<std::string>& notes = {});

// Smaller samples are too noisy to judge a share.
inline constexpr uint64_t kEnoughForAShare = 2000;
// The complaint if expected failures explain more than 2 % of at least that many Programs; else
// empty.
std::string TooMuchExplained(const ForeignStatistics& statistics);

}  // namespace twingrad::conformance
