#include "proptests/interleave/engine/program_shrink.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "proptests/interleave/checker/schedule_shrink.h"
#include "proptests/interleave/strategies/forced_strategy.h"
#include "proptests/interleave/strategies/pct_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/shrink/shrink.h"

namespace twingrad::interleave {

using program::Program;

namespace {

// A Program and a schedule of it that fails as the finding does.
class Finding {
 public:
  Finding(const Program& program, const ProgramOptions& options, const ProgramRun& failing,
          const FindingLimits& limits)
      : program_(program),
        options_(options),
        limits_(limits),
        signature_(failing.signature),
        trace_(failing.outcome.decisions) {}

  void ShrinkSchedule() {
    ProgramExplorer explorer(program_, options_);
    const auto run = [&](Strategy& strategy, uint64_t seed) {
      return Fails(explorer, strategy, seed);
    };
    trace_ = interleave::ShrinkSchedule(trace_, run, limits_.schedule).trace;
  }

  // True if the Program got smaller.
  bool ShrinkProgram() {
    Trace last = trace_;
    const auto still_fails = [&](const Program& candidate) {
      std::optional<Trace> trace = FindFailure(candidate);
      if (!trace.has_value()) return false;
      last = *std::move(trace);
      return true;
    };
    const shrink::ShrinkResult result =
        shrink::Shrink(program_, still_fails,
                       {.max_attempts = limits_.program_attempts, .interrupt = limits_.interrupt});
    if (result.steps == 0) return false;
    program_ = result.program;
    trace_ = std::move(last);  // of the last candidate that failed, which is the result
    return true;
  }

  SmallFinding Result() {
    ProgramExplorer explorer(program_, options_);
    ForcedStrategy strategy(ForcedChoicesOf(trace_));
    ProgramRun run = explorer.Run(strategy, 0, /*record_events=*/true);
    const int preemptions = PreemptionsOf(run.outcome.decisions);
    return {program_, std::move(run), preemptions};
  }

 private:
  std::optional<Trace> Fails(ProgramExplorer& explorer, Strategy& strategy, uint64_t seed) const {
    if (limits_.interrupt && limits_.interrupt()) return std::nullopt;
    ProgramRun run = explorer.Run(strategy, seed);
    if (run.ok() || run.signature != signature_) return std::nullopt;
    return std::move(run.outcome.decisions);
  }

  std::optional<Trace> FindFailure(const Program& candidate) const {
    ProgramExplorer explorer(candidate, options_);
    if (explorer.skipped().has_value() || !explorer.single().ok()) return std::nullopt;
    ForcedStrategy as_before(ForcedChoicesOf(trace_));
    if (auto trace = Fails(explorer, as_before, 0)) return trace;
    RandomStrategy random;
    PctStrategy pct({.min_depth = 1, .max_depth = 4, .length = 200});
    FewPreemptions few(PreemptionsOf(trace_), static_cast<int>(trace_.size()));
    const std::array<Strategy*, 3> strategies = {&random, &pct, &few};
    for (int i = 0; i < limits_.schedules_a_program; ++i) {
      Strategy& strategy = *strategies[static_cast<size_t>(i) % strategies.size()];
      if (auto trace = Fails(explorer, strategy, static_cast<uint64_t>(i))) return trace;
    }
    return std::nullopt;
  }

  Program program_;
  const ProgramOptions options_;
  const FindingLimits& limits_;
  const std::string signature_;
  Trace trace_;
};

}  // namespace

SmallFinding ShrinkProgramFinding(const Program& program, const ProgramOptions& options,
                                  const ProgramRun& failing, const FindingLimits& limits) {
  Finding finding(program, options, failing, limits);
  finding.ShrinkSchedule();
  for (int turn = 0; turn < limits.turns && finding.ShrinkProgram(); ++turn) {
    finding.ShrinkSchedule();
  }
  return finding.Result();
}

}  // namespace twingrad::interleave
