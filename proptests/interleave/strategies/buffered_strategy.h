// BufferedStrategy: random choices over a memory in which loads may read old values.
//
// For defects that a sequentially consistent memory cannot show: an order that is too weak, which
// x86 forgives and ARM does not. Each load that may read several stores, and each store that may
// take several places, does so at random now and then. The seed alone determines the answers.
#pragma once

#include <cstdint>
#include <string>

#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

class BufferedStrategy final : public Strategy {
 public:
  struct Parameters {
    int stale_percent = 30;  // chance that a load reads an older store, if it may
    int switch_percent = 10;
    int spurious_percent = 2;
  };

  BufferedStrategy() : BufferedStrategy(Parameters()) {}
  explicit BufferedStrategy(Parameters parameters)
      : parameters_(parameters),
        others_({.switch_percent = parameters.switch_percent,
                 .spurious_percent = parameters.spurious_percent}) {}

  void Begin(uint64_t seed) override {
    random_ = SplitMix(seed);
    others_.Begin(random_.Next());
  }
  int Choose(const Question& question) override {
    if (!OfMemory(question.kind)) return others_.Choose(question);
    if (random_.Below(100) >= parameters_.stale_percent) return 0;
    return random_.OtherThan(0, question.alternatives);
  }
  std::string name() const override;
  Memory memory() const override { return Memory::kBuffered; }

 private:
  Parameters parameters_;
  SplitMix random_;
  RandomStrategy others_;
};

}  // namespace twingrad::interleave
