// FewPreemptions: continues the running thread except for a given number of preemptions at random
// places.
//
// Spurious wake-ups and spurious failures of operations count as preemptions. If the running thread
// cannot continue, the next one is random. Most concurrency defects show with two or three
// preemptions, and a person can read such schedules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

class FewPreemptions final : public Strategy {
 public:
  // The places are spread over the first `length` decisions.
  FewPreemptions(int preemptions, int length);

  void Begin(uint64_t seed) override;
  int Choose(const Question& question) override;
  std::string name() const override;

 private:
  const int preemptions_;
  const int length_;
  SplitMix random_;
  int asked_ = 0;
  std::vector<int> places_;
};

}  // namespace twingrad::interleave
