// What `explore` counts, and the lines of its summary.
//
// Counters of several workers are added one by one, so each is a sum. Ordered pairs of lock sites
// are notes: which ones were not seen is worth as much as how many.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "absl/types/span.h"
#include "proptests/interleave/checker/lock_coverage.h"
#include "proptests/interleave/checker/lock_order.h"
#include "proptests/interleave/checker/outcome.h"
#include "proptests/interleave/strategies/strategy.h"
#include "proptests/workers/case.h"

namespace twingrad::subjects {

class ExploreStatistics {
 public:
  // The places of the counters.
  enum Counter : size_t {
    kSchedules,
    kDecisions,
    kSteps,
    kOrders,    // distinct orders of execution, summed over the Programs
    kSkipped,   // Programs that the engine does not run
    kOneOrder,  // Programs with one interleaving
    kDiverged,  // schedules to be followed that did not fit
    kMicroseconds,
    kBuffered,              // schedules under the buffered memory
    kBufferedMicroseconds,  // that they took
    kLate,                  // schedules in which work on streams runs late
    kLateMicroseconds,      // that they took
    kLateDecisions,         // on what goes on of that work
    kCounters,
  };

  ExploreStatistics() : counters_(kCounters, 0) {}

  // To be fed by the schedules of all Programs.
  interleave::LockCoverage& locks() { return locks_; }
  void AddSkipped() { ++counters_[kSkipped]; }
  // `where` says where execution and schedule diverged; one line.
  void AddDiverged(std::string_view where);
  void AddSchedule(const interleave::ExecutionOutcome& outcome, uint64_t order,
                   interleave::Memory memory, bool runs_late, std::chrono::nanoseconds time);
  // Of one Program, which `seed` makes.
  void AddLockOrder(const interleave::LockOrder& order, std::optional<uint64_t> seed);
  void EndProgram(std::chrono::nanoseconds time);
  absl::Span<const uint64_t> counters() const { return counters_; }
  // A note for each pair of the engine's lock sites that has become possible, for each that was
  // seen, for each site that took a lock, for each mutex that was taken while another was held, and
  // for each schedule that did not fit, since the last call.
  std::vector<std::string> TakeNotes();

 private:
  workers::Counters counters_;
  std::unordered_set<uint64_t> orders_;  // of the current Program
  uint64_t decisions_ = 0;               // of the current Program
  uint64_t schedules_ = 0;
  std::chrono::nanoseconds buffered_ = {};  // the current Program's time under that memory
  std::chrono::nanoseconds late_ = {};      // and its time with work that runs late
  interleave::LockCoverage locks_;
  std::set<std::string> told_;         // notes
  std::set<std::string> pairs_;        // of mutexes, by names
  std::vector<std::string> ordered_;   // notes not yet told
  std::vector<std::string> diverged_;  // notes not yet told
};

std::string ExploreSummary(absl::Span<const uint64_t> counters);
// How many of the possible pairs were seen, and which were not; which sites are in no pair.
std::string LockSitesSummary(const std::set<std::string>& notes);
// In how many pairs a mutex was taken while another was held, and whether all Programs together
// keep to one order: two Programs may contradict one another, and each be in order alone.
std::string LockOrderSummary(const std::set<std::string>& notes);
// The orders that contradict one another, each with a seed whose Program shows it; empty: none do.
std::string LockOrderObjection(const std::set<std::string>& notes);
// Where schedules did not fit; empty: all did.
std::string DivergedSummary(const std::set<std::string>& notes);

}  // namespace twingrad::subjects
