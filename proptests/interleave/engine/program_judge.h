// ProgramJudge: whether what one schedule of a Program showed is right.
//
// Each Observation is judged by the table of oracles (proptests/judge/table.h), which also compares
// it bit by bit with the engine's own run on one thread. That run is judged once, with the dual
// numbers and, after an error, the canary besides. The canary is not run under schedules: their
// engines have ended their workers by then, to look for late writes.
//
// Schedules differ mostly in the order of execution alone, and repeat it: an Observation that was
// judged before is recognised by its fingerprint. One thread.
#ifndef PROPTESTS_INTERLEAVE_ENGINE_PROGRAM_JUDGE_H_
#define PROPTESTS_INTERLEAVE_ENGINE_PROGRAM_JUDGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/twin.h"
#include "proptests/judge/table.h"

namespace twingrad::interleave {

class ProgramJudge {
 public:
  struct Finding {
    std::string detector;  // the oracle that disagrees
    std::string text;
  };

  // `single` is the engine's run without workers; the Program outlives the judge. `with_calls`:
  // Observations have records of calls.
  ProgramJudge(const twingrad::program::Program& program, int device_threads,
               twingrad::program::Observation single, bool with_calls = true);

  std::optional<Finding> operator()(const twingrad::program::Observation& observed);
  // What is wrong with the single-threaded run itself. `canary` is the canary's run on its engine,
  // if it ended in an error.
  std::optional<Finding> JudgeSingle(
      const std::optional<twingrad::program::Observation>& canary = std::nullopt) const;

  const twingrad::program::Observation& single() const { return single_; }
  const twingrad::reference::TwinResult& expected() const { return expected_; }

 private:
  // What is laid before the oracles of any run with that many device threads.
  judge::Needs Shown(int device_threads) const;

  const twingrad::program::Program& program_;
  const int device_threads_;
  const bool with_calls_;
  const twingrad::program::Observation single_;
  const twingrad::reference::TwinResult expected_;
  std::unordered_set<uint64_t> right_;  // fingerprints
};

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_ENGINE_PROGRAM_JUDGE_H_
