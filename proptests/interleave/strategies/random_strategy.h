// RandomStrategy: continues the running thread and occasionally switches to another one at random.
//
// Choosing uniformly at every step switches too often: a queue never fills and no thread gets far
// ahead. Ten switches in a hundred steps find far more. The seed alone determines the answers.
#pragma once

#include <cstdint>
#include <string>

#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

// A stream of 64-bit numbers from a seed: splitmix64, cheap enough to start anew for each
// execution.
class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  // A number below `bound`.
  int Below(int bound) {
    return static_cast<int>((Next() >> 32) * static_cast<uint64_t>(bound) >> 32);
  }

 private:
  uint64_t state_;
};

class RandomStrategy final : public Strategy {
 public:
  struct Parameters {
    int switch_percent = 10;  // chance that the running thread is preempted at a step
    // Chance that a wait ends without a wake-up or before its deadline, and that an operation that
    // may fail spuriously does so.
    int spurious_percent = 2;
  };

  RandomStrategy() : RandomStrategy(Parameters()) {}
  explicit RandomStrategy(Parameters parameters) : parameters_(parameters), random_(0) {}

  void Begin(uint64_t seed) override { random_ = SplitMix(seed); }
  int Choose(const Question& question) override;
  std::string name() const override;

 private:
  Parameters parameters_;
  SplitMix random_;
};

}  // namespace twingrad::interleave
