// PctStrategy: probabilistic concurrency testing (PCT). Threads have random priorities, the
// runnable thread with the highest priority runs, and at d - 1 random moments the running thread
// drops below all others.
//
// A run of k decisions among n threads finds a bug of depth d (one that needs d orderings) with
// probability at least 1 / (n * k^(d-1)). The depth rotates with the seed, from 1 upwards, because
// a depth finds shallower bugs less often than their own depth does. The moments are drawn from the
// first k decisions. If the length k is not given, it is a guess at first and then that of the
// longest run so far. Seed and length determine a schedule, so the name contains the length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

class PctStrategy final : public Strategy {
 public:
  struct Parameters {
    int min_depth = 1;
    int max_depth = 3;
    int length = 0;            // decisions of an execution; 0: a guess, then the longest so far
    int spurious_percent = 2;  // as in RandomStrategy
  };

  PctStrategy() : PctStrategy(Parameters()) {}
  // A max_depth below min_depth counts as min_depth.
  explicit PctStrategy(Parameters parameters);

  void Begin(uint64_t seed) override;
  int Choose(const Question& question) override;
  // Contains the length used for the current execution: a strategy made from it repeats that one.
  std::string name() const override;

 private:
  int ChooseWork(const Question& question);
  uint64_t WorkPriority(int member);

  const Parameters parameters_;
  int length_;
  SplitMix random_;
  int asked_ = 0;           // thread decisions of this execution
  std::vector<int> drops_;  // the decisions at which the running thread drops; ascending
  size_t next_drop_ = 0;
  std::vector<uint64_t> priorities_;       // by thread
  uint64_t lowest_ = 0;                    // so far
  std::vector<uint64_t> work_priorities_;  // of work beside the threads, kHost for none of it
};

}  // namespace twingrad::interleave
