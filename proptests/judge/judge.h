// The Judge: runs one Program on the engine and on both witnesses and judges it by the table of
// oracles (table.h).
//
// The command-line tool, the fuzz target, the property tests and the mutants all use it, so that a
// finding of one is a finding of all. A Judge is used by one thread at a time; it
// owns its engines and their device threads. It never throws. Judging the same Program twice gives
// the same Judgement, bit for bit, unless the engine is not deterministic, which is itself a
// disagreement.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/ball/ball_result.h"
#include "autograd/reference/twin.h"
#include "proptests/judge/ball_sample.h"  // IWYU pragma: export
#include "proptests/judge/statistics.h"
#include "proptests/oracles/verdict.h"

namespace twingrad::judge {

// Runs a Program on some engine: what a Judge judges. `device_threads` is 0 for the caller's thread
// alone.
using RunFunction = std::function<twingrad::program::Observation(const twingrad::program::Program&,
                                                                 int device_threads)>;

using BallFunction =
    std::function<twingrad::reference::ball::BallResult(const twingrad::program::Program&)>;

// Which of the oracles that cost more than the others are asked.
struct Further {
  bool laws = true;  // the metamorphic laws, which need further runs (seeded_runs.h)
  bool ball = true;  // the ball witness, if there is one
  // Engines with device threads have helpers for CPU nodes too, so that each call in which two
  // nodes are ready runs on several threads.
  bool helpers = true;
  // An engine with device threads also runs what has nothing for them: no device, no thread
  // section, no helpers. It can only repeat the run of the engine without.
  bool repeats = true;
};

// Whether the engines that judge the Program generated from `seed` have helpers: of one in sixteen.
bool HasHelpers(uint64_t seed);

// Whether runs that can only repeat are made of the Program generated from `seed`: of one in
// sixteen.
bool IsRepeatSample(uint64_t seed);
inline constexpr int kRepeatSample = 16;

struct JudgeOptions {
  // The engine runs once for each entry, with that many device threads.
  std::vector<int> device_threads = {0, 2};
  // How often each of these runs is made; results must have the same bits.
  int repeats = 1;
  bool dual = true;     // the dual-number witness, to second order
  bool recount = true;  // dependencies, execution sets and order from the recorded graph
  bool canary = true;   // a trivial Program right after each error
  // The ball witness (autograd/reference/ball), which not every program links; null: none.
  BallFunction ball;
  // Null: the repository's engine, through autograd/runner. Else the engine under test.
  RunFunction run;
  // Changes what the engine has shown, as a planted defect would; null: nothing.
  std::function<void(const twingrad::program::Program&, int device_threads,
                     twingrad::program::Observation&)>
      tamper;
};

struct Judgement {
  std::vector<oracles::Verdict> verdicts;  // one for each oracle that had something to judge
  // The twin's prediction and the engine's Observations in the order of device_threads (the first
  // of each repeat); what a report prints as expected and actual.
  twingrad::reference::TwinResult expected;
  std::vector<twingrad::program::Observation> observed;
  // Set when the Program could not be judged at all: the reason.
  std::optional<std::string> skipped;

  // The first disagreement, or null.
  const oracles::Verdict* Failure() const;
};

// In the order in which they are taken.
enum class Step : uint8_t {
  kExpect,       // ask the twin
  kAskOthers,    // the dual numbers and the balls
  kRun,          // run it on the first engine
  kJudgeRun,     // and judge that run
  kRunElsewhere  // run it on the other engines, judge those runs, and count it
};
inline constexpr int kNumSteps = static_cast<int>(Step::kRunElsewhere) + 1;

// A Program on its way through them (trial.h).
struct Trial;

class Judge {
 public:
  // `statistics` is where Programs are counted; null: in the Judge.
  explicit Judge(JudgeOptions options = {}, Statistics* statistics = nullptr);
  ~Judge();
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  // Judges the Program and adds to the statistics.
  Judgement operator()(const twingrad::program::Program& program, const Further& further = {});

  // The same, a step at a time, so that several Programs can take each before any takes the next
  // (proptests/workers/case.h says why). All steps are taken of each Trial that was begun; then its
  // Judgement is complete. The Program must outlive the Trial.
  Trial Begin(const twingrad::program::Program& program, const Further& further);
  void Take(Step step, Trial& trial);

  // Whether the Program makes some oracle disagree, without touching the statistics: for shrinking.
  bool Fails(const twingrad::program::Program& program);

  const Statistics& statistics() const { return *statistics_; }

 private:
  struct Impl;
  Judgement Of(Trial trial);

  std::unique_ptr<Impl> impl_;
  Statistics own_;
  Statistics* const statistics_;
};

}  // namespace twingrad::judge
