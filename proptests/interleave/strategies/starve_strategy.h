// StarveStrategy: random choices, but now and then one thread is held back for long.
//
// Under random choices each thread gets on at about the same pace: that one does nothing while
// others go through a whole phase is as good as never seen. Here a random victim among the runnable
// threads is left out for 1, 2, 4, ... or 1024 decisions, each length as likely as the others, so
// that short delays are frequent and long ones happen. Between delays it is RandomStrategy. The
// answers follow from the seed alone.
#ifndef PROPTESTS_INTERLEAVE_STRATEGIES_STARVE_STRATEGY_H_
#define PROPTESTS_INTERLEAVE_STRATEGIES_STARVE_STRATEGY_H_

#include <cstdint>
#include <string>

#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

class StarveStrategy final : public Strategy {
 public:
  struct Parameters {
    int starve_percent = 5;  // that a decision begins a delay, where none is under way
    int switch_percent = 10;
    int spurious_percent = 2;
  };

  StarveStrategy() : StarveStrategy(Parameters()) {}
  explicit StarveStrategy(Parameters parameters)
      : parameters_(parameters),
        random_(0),
        others_({.switch_percent = parameters.switch_percent,
                 .spurious_percent = parameters.spurious_percent}) {}

  void Begin(uint64_t seed) override;
  int Choose(const Question& question) override;
  std::string name() const override;

 private:
  static constexpr int kLengths = 11;  // 2^0 to 2^10

  Parameters parameters_;
  SplitMix random_;
  RandomStrategy others_;
  int victim_ = 0;  // a thread
  int left_ = 0;    // decisions for which it is still held back
};

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_STRATEGIES_STARVE_STRATEGY_H_
