// StarveStrategy: random choices, but occasionally one thread is held back for a long time.
//
// Under random choices all threads advance at about the same pace, so one practically never stands
// still while others go through a whole phase. Here a random victim among the runnable threads is
// held back for 1, 2, 4, ... or 1024 decisions. All lengths are equally likely, so short delays
// are frequent and long ones occur. Between delays it behaves like RandomStrategy. The seed alone
// determines the answers.
#pragma once

#include <cstdint>
#include <string>

#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

class StarveStrategy final : public Strategy {
 public:
  struct Parameters {
    int starve_percent = 5;  // chance that a decision begins a delay, if none is in progress
    int switch_percent = 10;
    int spurious_percent = 2;
  };

  StarveStrategy() : StarveStrategy(Parameters()) {}
  explicit StarveStrategy(Parameters parameters)
      : parameters_(parameters),
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
