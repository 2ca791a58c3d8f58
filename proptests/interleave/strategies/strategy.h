// Strategy: answers the questions of an execution and so decides the interleaving.
//
// A strategy serves one execution after another; Begin is called before each. Each implementation
// is in a file NAME_strategy.h; strategies.h has the table of those that can be chosen by name.
#pragma once

#include <cstdint>
#include <string>

#include "proptests/interleave/strategies/decision.h"

namespace twingrad::interleave {

struct Question {
  DecisionKind kind = DecisionKind::kThread;
  int alternatives = 2;  // at least 2
  // For kThread: the index of the running thread among the runnable ones, or -1 if it cannot
  // continue.
  int current = -1;
  uint32_t site = 0;
  int thread = 0;         // the running thread
  int step = 0;           // its steps so far; (kind, thread, step) is unique in an execution
  uint64_t runnable = 0;  // for kThread: bit i is thread i
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual void Begin(uint64_t seed) = 0;
  // A number from 0 to alternatives - 1.
  virtual int Choose(const Question& question) = 0;
  // With parameters. From it, MakeStrategy of strategies.h makes a strategy that repeats the
  // execution.
  virtual std::string name() const = 0;
  // Why the execution must end; set once the strategy cannot answer any more.
  const std::string& error() const { return error_; }
  // If a replay set the error: the site of the decision that was recorded here; 0: none.
  uint32_t expected_site() const { return expected_site_; }

 protected:
  std::string error_;
  uint32_t expected_site_ = 0;
};

}  // namespace twingrad::interleave
