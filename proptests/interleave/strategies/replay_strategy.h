// ReplayStrategy: answers from a recorded trace and checks that each question is the recorded one.
//
// If a question differs from the trace (another kind, number of alternatives or site, or one
// question too many), the execution ends with an error that names the decision. A recorded site of
// 0 matches any site: such a trace stays valid after source edits that do not change its steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

class ReplayStrategy final : public Strategy {
 public:
  // `goes_on`: the trace is of an execution that was cut off; after its end the replay follows the
  // default schedule (forced_strategy.h).
  explicit ReplayStrategy(Trace trace, bool goes_on = false)
      : trace_(std::move(trace)), goes_on_(goes_on), memory_(MemoryOf(trace_)) {}

  void Begin(uint64_t seed) override;  // the seed is not used
  int Choose(const Question& question) override;
  std::string name() const override { return "replay"; }
  Memory memory() const override { return memory_; }

  // True when every recorded decision was asked for.
  bool Finished() const { return error_.empty() && next_ == trace_.size(); }
  // The error text if the execution ended before every recorded decision was asked for.
  std::string LeftOver() const;

 private:
  Trace trace_;
  bool goes_on_;
  Memory memory_;
  size_t next_ = 0;
};

}  // namespace twingrad::interleave
