#include "proptests/interleave/engine/program_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/engine/engine.h"
#include "autograd/runner/run.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/judge/canary.h"
#include "proptests/judge/fingerprint.h"

namespace twingrad::interleave {

using program::Key;
using program::Program;
using program::Statement;

namespace {

// The source lines of a deadlock or race are part of it; numbers of threads and steps are not.
std::string SignatureOf(const ExecutionOutcome& outcome) {
  std::string signature(OutcomeName(outcome.kind));
  for (const std::string& place : outcome.places) absl::StrAppend(&signature, " ", place);
  return signature;
}

}  // namespace

int DevicesOf(const Program& program) {
  int64_t devices = 0;
  for (const Statement& statement : program.statements) {
    devices = std::max(devices, statement.Get<int64_t>(Key::kDevice, program::kCpu) + int64_t{1});
  }
  return static_cast<int>(devices);
}

ProgramExplorer::ProgramExplorer(const Program& program, Options options)
    : program_(program),
      options_(options),
      device_threads_(options.device_threads > 0 ? options.device_threads
                                                 : std::max(1, DevicesOf(program))) {
  RandomStrategy nobody_asks;
  single_ = Execute(nobody_asks, 0, 0, false);
  if (!single_.ok()) return;
  const auto& error = single_.observation.error;
  if (error && error->error == ErrorKind::kUnsupported) {
    skipped_ = error->message;
    return;
  }
  judge_.emplace(program_, device_threads_, single_.observation, options_.record_calls);
  if (const auto finding = judge_->JudgeSingle(canary_)) {
    single_.detector = single_.signature = finding->detector;
    single_.failure = finding->text;
  }
}

ProgramExplorer::~ProgramExplorer() = default;

ProgramRun ProgramExplorer::Execute(Strategy& strategy, uint64_t seed, int device_threads,
                                    bool record_events) {
  ProgramRun run;
  const auto body = [&] {
    EngineOptions engine_options;
    engine_options.device_threads = device_threads;
    Engine engine(engine_options);
    runner::RunOptions run_options;
    run_options.record_calls = options_.record_calls;
    run_options.check_frozen = true;
    run.observation = runner::Run(program_, engine, run_options);
    if (device_threads == 0 && run.observation.error) {
      canary_ = runner::Run(judge::CanaryProgram(), engine);
    }
  };
  run.outcome = scheduler_.Run(body, strategy, seed,
                               {.max_steps = options_.max_steps,
                                .record_events = record_events,
                                .locks = device_threads > 0 ? options_.locks : nullptr,
                                .rules = options_.check_state ? &rules_ : nullptr});
  if (!run.outcome.ok()) {
    run.detector = std::string(OutcomeName(run.outcome.kind));
    run.failure = run.outcome.message;
    run.signature = SignatureOf(run.outcome);
  }
  return run;
}

ProgramRun ProgramExplorer::Run(Strategy& strategy, uint64_t seed, bool record_events) {
  ProgramRun run = Execute(strategy, seed, device_threads_, record_events);
  if (!run.ok()) return run;
  run.order = judge::OrderFingerprintOf(run.observation);
  if (!judge_.has_value()) return run;
  if (auto finding = (*judge_)(run.observation)) {
    run.detector = run.signature = finding->detector;
    run.failure = std::move(finding->text);
  }
  return run;
}

}  // namespace twingrad::interleave
