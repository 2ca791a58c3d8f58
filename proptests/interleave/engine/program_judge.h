// ProgramJudge: judges the Observation of a Program under one schedule.
//
// The table of oracles (proptests/judge/table.h) judges each Observation and also compares it bit
// by bit with the engine's own single-threaded run. That run is judged once, in addition by the
// dual numbers and, after an error, by the canary. The canary does not run under schedules: by then
// their engines have ended their workers, to look for late writes.
//
// Most schedules differ only in the order of execution, and orders repeat. So an Observation that
// was judged before is recognised by its fingerprint. Used by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/twin.h"
#include "proptests/judge/expectation.h"
#include "proptests/judge/table.h"

namespace twingrad::interleave {

class ProgramJudge {
 public:
  struct Finding {
    std::string detector;  // the oracle that disagrees
    std::string text;
  };

  // `single` is the engine's run without workers. `with_calls`: Observations have records of calls.
  // The Program must outlive the judge.
  ProgramJudge(const program::Program& program, int device_threads, program::Observation single,
               bool with_calls = true);

  // `helpers`: see Evidence.
  std::optional<Finding> operator()(const program::Observation& observed, int helpers = 0);
  // What is wrong with the single-threaded run itself. If that run ended in an error, `canary` is
  // the canary's run on the same engine.
  std::optional<Finding> JudgeSingle(
      const std::optional<program::Observation>& canary = std::nullopt);

  const program::Observation& single() const { return single_; }
  const reference::TwinResult& expected() const { return expected_.usual(); }

 private:
  // What the oracles are given of any run with that many device threads.
  judge::Needs Shown(const reference::TwinResult& expected, int device_threads) const;

  const program::Program& program_;
  const int device_threads_;
  const bool with_calls_;
  const program::Observation single_;
  judge::Expectation expected_;
  std::optional<judge::Expectation> in_any_order_;  // with helpers; made at first use
  std::unordered_set<uint64_t> right_;  // fingerprints of Observations judged right, plus helpers
};

}  // namespace twingrad::interleave
