// ScheduleFeedback: what a run of an input has shown, in the counters that libFuzzer reads.
//
//   feedback.Begin();              // nothing counts that came before
//   run();
//   feedback.End(locks, run);      // runs twice more if that showed something new
//
// Two kinds count: edges of the engine, and of the interleaving the ordered pairs of lock sites and
// a fingerprint of what the locks order (checker/lock_coverage.h). An edge that only one of two
// repetitions shows does not count: it would say something about what came before, not about the
// input. Nor does it ask for repetitions again. Used by one thread; the spans must outlive it.

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
  // Ends the run that began there. The counters keep what may say something about the input: edges
  // that were known, those that two repetitions by `run` show alike, and the interleaving.
  void End(const interleave::LockCoverage& locks, const std::function<void()>& run);

  // How many edges, pairs and fingerprints were published; for a summary.
  int64_t seen_edges() const { return seen_edges_; }
  int64_t seen_pairs() const { return seen_pairs_; }
  int64_t seen_fingerprints() const { return seen_fingerprints_; }

 private:
  // A counter of edges that is not zero, and the bit of its range.
  struct Edge {
    uint32_t place;
    uint8_t range;
  };
  // In the order of their places. Room for all is allocated once.
  struct Edges {
    std::vector<Edge> room;
    size_t count = 0;
  };

  // Loops over all counters or edges, once a run. Their code is not instrumented, so they call
  // nothing: under ASan they would take a fifth of the time.
  static size_t CollectInto(const uint8_t* counters, size_t size, Edge* edges);
  static bool AnyNew(const Edge* edges, size_t count, const uint8_t* known, const uint8_t* doubted);
  // Remembers the edges and sets the counters of those that are doubted to zero. How many places
  // were not known.
  static int64_t PublishEdges(const Edge* edges, size_t count, const uint8_t* doubted,
                              uint8_t* known, uint8_t* counters);

  // Fills `edges` with those of the latest run.
  void Collect(Edges* edges) const;
  // The places of what the locks show.
  void Visit(const interleave::LockCoverage& locks,
             const std::function<void(size_t place)>& visit) const;
  bool ShowsNew(const interleave::LockCoverage& locks) const;
  // Runs twice and leaves in shown_ what both show alike; the rest is doubted.
  void Confirm(const std::function<void()>& run);
  // Remembers all, and sets the counters of the interleaving.
  void Publish(const interleave::LockCoverage& locks);

  const absl::Span<uint8_t> edges_;
  const absl::Span<uint8_t> extra_;
  // A bit for each range of counts, as libFuzzer has them.
  std::vector<uint8_t> known_edges_;
  std::vector<uint8_t> doubted_edges_;  // shown by one of two repetitions
  std::vector<uint8_t> known_extra_;
  Edges shown_;  // by the latest run
  Edges first_;  // by the first repetition
  int64_t seen_edges_ = 0;
  int64_t seen_pairs_ = 0;
  int64_t seen_fingerprints_ = 0;
};

}  // namespace twingrad::fuzzing
