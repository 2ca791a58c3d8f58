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
  explicit SplitMix(uint64_t seed = 0) : state_(seed) {}
  uint64_t Next();
  // A number below `bound`.
  int Below(int bound) {
    return static_cast<int>((Next() >> 32) * static_cast<uint64_t>(bound) >> 32);
  }
  // A number below `bound` other than `one`, which is below it too.
  int OtherThan(int one, int bound) {
    const int other = Below(bound - 1);
    return other < one ? other : other + 1;
  }
  // The answer to a question that is not about threads: each waiter is as likely, what may happen
  // without a reason does so in that many cases of a hundred, three executions of four run in the
  // plain setting, and where a thread need not wait work beside it goes on in one case of four.
  int NotAThread(const Question& question, int spurious_percent) {
    if (question.kind == DecisionKind::kWaiter) return Below(question.alternatives);
    if (question.kind == DecisionKind::kSetting) {
      return Below(100) < kOtherSettingPercent ? OtherThan(0, question.alternatives) : 0;
    }
    if (question.kind == DecisionKind::kStream) {
      const bool waits = (question.runnable >> kHost & 1) == 0;
      if (waits) return Below(question.alternatives);
      return Below(100) < kWorkPercent ? OtherThan(0, question.alternatives) : 0;
    }
    return Below(100) < spurious_percent ? 1 : 0;
  }

 private:
  static constexpr int kOtherSettingPercent = 25;
  static constexpr int kWorkPercent = 25;

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
  explicit RandomStrategy(Parameters parameters) : parameters_(parameters) {}

  void Begin(uint64_t seed) override { random_ = SplitMix(seed); }
  int Choose(const Question& question) override;
  std::string name() const override;

 private:
  Parameters parameters_;
  SplitMix random_;
};

}  // namespace twingrad::interleave
