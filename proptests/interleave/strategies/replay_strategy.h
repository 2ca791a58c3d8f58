// ReplayStrategy: answers from a recorded trace and checks that each question is the recorded one.
//
// Where an execution asks something else than the trace holds (another kind, number of alternatives
// or site, or more questions), it ends with an error that names the decision. A recorded site of 0
// fits any: such a trace outlives edits of the sources that leave its steps as they are.
#ifndef PROPTESTS_INTERLEAVE_STRATEGIES_REPLAY_STRATEGY_H_
#define PROPTESTS_INTERLEAVE_STRATEGIES_REPLAY_STRATEGY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

class ReplayStrategy final : public Strategy {
 public:
  // `goes_on`: the trace is that of an execution that was cut off, so what comes after its end
  // goes straight on.
  explicit ReplayStrategy(Trace trace, bool goes_on = false)
      : trace_(std::move(trace)), goes_on_(goes_on) {}

  void Begin(uint64_t seed) override;  // the seed plays no part
  int Choose(const Question& question) override;
  std::string name() const override { return "replay"; }

  // True when every recorded decision was asked for.
  bool Finished() const { return error_.empty() && next_ == trace_.size(); }
  // What there is to say when an execution has come to its end before.
  std::string LeftOver() const;

 private:
  Trace trace_;
  bool goes_on_;
  size_t next_ = 0;
};

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_STRATEGIES_REPLAY_STRATEGY_H_
