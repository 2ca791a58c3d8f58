// What `explore` counts, and the lines of its summary.
//
// Counters of several workers are added one by one, so each is a sum: pairs of lock sites are
// counted by a hash of their names, one counter a pair (two pairs seldom share one).

#ifndef TOOLS_ORACLE_EXPLORE_SUMMARY_H_
#define TOOLS_ORACLE_EXPLORE_SUMMARY_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_set>

#include "absl/types/span.h"
#include "proptests/interleave/lock_coverage.h"
#include "proptests/interleave/outcome.h"
#include "tools/oracle/subject.h"

namespace twingrad::oracle {

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
    kMicroseconds,
    kFirstPair,
  };

  ExploreStatistics();

  // To be fed by the schedules of all Programs.
  interleave::LockCoverage& locks() { return locks_; }
  void AddSkipped() { ++counters_[kSkipped]; }
  void AddSchedule(const interleave::Outcome& outcome, uint64_t order);
  void EndProgram(std::chrono::nanoseconds time);
  absl::Span<const uint64_t> counters() const { return counters_; }

 private:
  Counters counters_;
  std::unordered_set<uint64_t> orders_;  // of the current Program
  uint64_t decisions_ = 0;               // of the current Program
  uint64_t schedules_ = 0;
  interleave::LockCoverage locks_;
};

std::string ExploreSummary(absl::Span<const uint64_t> counters);

}  // namespace twingrad::oracle

#endif  // TOOLS_ORACLE_EXPLORE_SUMMARY_H_
