// PctStrategy: probabilistic concurrency testing. Threads have random priorities, the highest one
// that can go on does, and at d - 1 random moments the running thread drops below all others.
//
// A run of k decisions among n threads finds a bug that needs d orderings with a chance of at least
// 1 / (n * k^(d-1)). Depths rotate with the seed from 1 on: a depth finds shallower bugs less often
// than their own does. The moments are drawn from the length k: unless it is given, a guess at
// first, then the longest run so far. It is part of the name, since seed and length fix a schedule.
#ifndef PROPTESTS_INTERLEAVE_STRATEGIES_PCT_STRATEGY_H_
#define PROPTESTS_INTERLEAVE_STRATEGIES_PCT_STRATEGY_H_

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
    int spurious_percent = 2;  // as RandomStrategy's
  };

  PctStrategy() : PctStrategy(Parameters()) {}
  // A max_depth below min_depth counts as min_depth.
  explicit PctStrategy(Parameters parameters);

  void Begin(uint64_t seed) override;
  int Choose(const Question& question) override;
  // With the length of the execution at hand: made anew from it, the strategy repeats that one.
  std::string name() const override;

 private:
  int ChooseThread(const Question& question);

  const Parameters parameters_;
  int length_;
  SplitMix random_;
  int asked_ = 0;           // thread decisions of this execution
  std::vector<int> drops_;  // at which of them the running thread drops; ascending
  size_t next_drop_ = 0;
  std::vector<uint64_t> priorities_;  // by thread
};

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_STRATEGIES_PCT_STRATEGY_H_
