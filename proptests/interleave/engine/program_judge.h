// ProgramJudge: whether what one schedule of a Program showed is right.
//
// An Observation is compared bit by bit with the engine's own single-threaded run, on whatever
// data, and by the oracles of proptests/oracles with the twin: errors, values by exactness or
// bound, counts predicted and recounted, each node once and after its producers, hooks. Where
// several outcomes are legal (which of two errors, .grad after one), those and no others are.
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

namespace twingrad::interleave {

// 64 bits of everything an Observation holds but the texts of errors.
uint64_t FingerprintOf(const twingrad::program::Observation& observation);
// The same of the order in which nodes ran, over all calls.
uint64_t OrderFingerprintOf(const twingrad::program::Observation& observation);

class ProgramJudge {
 public:
  struct Finding {
    std::string detector;  // "frozen", "bits", or the oracle that disagrees
    std::string text;
  };

  // `single` is the engine's run without workers; the Program outlives the judge. `with_calls`:
  // Observations have records of calls.
  ProgramJudge(const twingrad::program::Program& program, int device_threads,
               twingrad::program::Observation single, bool with_calls = true);

  std::optional<Finding> operator()(const twingrad::program::Observation& observed);
  // What is wrong with the single-threaded run itself.
  std::optional<Finding> JudgeSingle() const;

  const twingrad::program::Observation& single() const { return single_; }
  const twingrad::reference::TwinResult& expected() const { return expected_; }

 private:
  std::optional<Finding> Judge(const twingrad::program::Observation& observed,
                               int device_threads) const;

  const twingrad::program::Program& program_;
  const int device_threads_;
  const bool with_calls_;
  const twingrad::program::Observation single_;
  const twingrad::reference::TwinResult expected_;
  std::unordered_set<uint64_t> right_;  // fingerprints
};

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_ENGINE_PROGRAM_JUDGE_H_
