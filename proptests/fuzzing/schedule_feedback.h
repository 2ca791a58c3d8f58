// ScheduleFeedback: what a run of an input has shown, in the counters that libFuzzer reads.
//
//   feedback.Begin();                                  // nothing counts that came before
//   run();
//   if (feedback.ShowsNew(locks)) feedback.Confirm(run);   // runs twice more
//   feedback.Publish(locks);                           // libFuzzer keeps the input if this is new
//
// Two kinds count: edges of the engine, and of the interleaving the ordered pairs of lock sites and
// a fingerprint of what the locks order (checker/lock_coverage.h). An edge that only one of two
// repetitions shows does not count: it would say something about what came before, not about the
// input. Used by one thread; the spans must outlive it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "proptests/interleave/checker/lock_coverage.h"

namespace twingrad::fuzzing {

class ScheduleFeedback {
 public:
  // `edges` are the 8-bit counters that the compiler has inserted, empty without instrumentation;
  // `extra` those of the interleaving, an even number.
  ScheduleFeedback(absl::Span<uint8_t> edges, absl::Span<uint8_t> extra);

  // Sets all counters of edges to zero.
  void Begin();
  // Whether the run since Begin shows what no published one has.
  bool ShowsNew(const interleave::LockCoverage& locks) const;
  // Runs twice, and keeps the counters of edges that both runs show alike.
  void Confirm(const std::function<void()>& run);
  // Sets the counters of the interleaving, and remembers all.
  void Publish(const interleave::LockCoverage& locks);

  // How many edges, pairs and fingerprints were published; for a summary.
  int64_t seen_edges() const { return seen_edges_; }
  int64_t seen_pairs() const { return seen_pairs_; }
  int64_t seen_fingerprints() const { return seen_fingerprints_; }

 private:
  // The places of what the locks show.
  void Visit(const interleave::LockCoverage& locks,
             const std::function<void(size_t place)>& visit) const;

  const absl::Span<uint8_t> edges_;
  const absl::Span<uint8_t> extra_;
  std::vector<uint8_t> known_edges_;  // a bit for each range of counts, as libFuzzer has them
  std::vector<uint8_t> known_extra_;
  int64_t seen_edges_ = 0;
  int64_t seen_pairs_ = 0;
  int64_t seen_fingerprints_ = 0;
};

}  // namespace twingrad::fuzzing
