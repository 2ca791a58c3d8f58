#include "proptests/interleave/engine/program_run.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "autograd/device/device_registry.h"
#include "autograd/device/sim_device.h"
#include "autograd/engine/engine.h"
#include "autograd/ops/registry.h"
#include "autograd/program/analyze.h"
#include "autograd/program/print.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "autograd/program/stream_order.h"
#include "autograd/tensor/pool.h"
#include "proptests/interleave/strategies/forced_strategy.h"
#include "proptests/judge/canary.h"
#include "proptests/judge/fingerprint.h"

namespace twingrad::interleave {

using program::Program;

namespace {

void Fail(ProgramRun& run, const ProgramJudge::Finding& finding) {
  run.detector = run.signature = finding.detector;
  run.failure = finding.text;
}

// Whether two nodes of an outermost call may be ready at once: some node has two children.
bool Branches(const program::Observation& observed) {
  return std::ranges::any_of(observed.calls, [](const program::CallRecord& call) {
    return call.outer < 0 && std::ranges::any_of(call.nodes, [](const auto& node) {
             return std::ranges::count_if(node.next_edges,
                                          [](const auto& e) { return e.node >= 0; }) > 1;
           });
  });
}

// The engine may have a helper, and be stopped beside each call, for as long as it takes and with a
// limit, where it has workers.
std::vector<Setting> SettingsOf(const Program& program, bool helpers) {
  std::vector<Setting> settings = {{}};
  if (helpers) settings.push_back({.helpers = 1});
  const bool has_device_workers = DevicesOf(program) > 0;
  for (size_t s = 0; s < program.statements.size(); ++s) {
    if (program::SignatureOf(program.statements[s].op).category != program::Category::kCall) {
      continue;
    }
    const runner::StopBeside stop = {static_cast<int32_t>(s), std::nullopt};
    if (helpers) settings.push_back({.stop = stop, .helpers = 1});
    if (!has_device_workers) continue;
    settings.push_back({.stop = stop});
    settings.push_back({.stop = runner::StopBeside{stop.call, std::chrono::milliseconds(1)}});
  }
  return settings;
}

bool IsUnsupported(const program::Observation& observed) {
  return observed.error && observed.error->error == ErrorKind::kUnsupported;
}

// Devices of Programs are of another type for a scope.
class DeviceTypeGuard {
 public:
  explicit DeviceTypeGuard(DeviceType type) : before_(ops::DeviceOf(0).type) {
    ops::SetDeviceType(type);
  }
  ~DeviceTypeGuard() { ops::SetDeviceType(before_); }
  DeviceTypeGuard(const DeviceTypeGuard&) = delete;
  DeviceTypeGuard& operator=(const DeviceTypeGuard&) = delete;

 private:
  const DeviceType before_;
};

// There are late devices for a scope of an execution. One that failed has left its own behind, with
// whatever it was at: it is never used again.
class LateDevices {
 public:
  LateDevices() {
    static_cast<void>(RemoveDeviceInterface(DeviceType::kLate).release());
    RegisterDeviceInterface(std::make_unique<SimDevice>(DeviceType::kLate));
  }
  ~LateDevices() { RemoveDeviceInterface(DeviceType::kLate); }
  LateDevices(const LateDevices&) = delete;
  LateDevices& operator=(const LateDevices&) = delete;
};

}  // namespace

bool RunsLate(const Program& program) {
  const auto is_stream = [](const program::Statement& s) {
    return s.op == program::Opcode::kStream;
  };
  return ops::DeviceOf(0).type == DeviceType::kSim &&
         std::ranges::any_of(program.statements, is_stream) &&
         program::StreamsFollowEachOther(program);
}

std::string SettingText(const Program& program, const ProgramRun& run) {
  std::string text = run.setting.helpers > 0 ? ", with a helper" : "";
  const std::optional<runner::StopBeside>& stop = run.setting.stop;
  if (stop.has_value()) {
    absl::StrAppend(&text, ", the engine stopped beside `",
                    program::PrintStatement(program, stop->call),
                    stop->limit.has_value() ? "` within a limit" : "`");
  }
  return text;
}

ProgramExplorer::ProgramExplorer(const Program& program, ProgramOptions options)
    : program_(program),
      options_(options),
      device_threads_(options.device_threads > 0 ? options.device_threads
                                                 : std::max(1, DevicesOf(program))),
      runs_late_(RunsLate(program)) {
  // On one thread there is nothing to decide, but how late work on streams runs: as late as it can.
  ForcedStrategy by_default({});
  single_ = Execute(by_default, 0, 0, false);
  if (runs_late_ && IsUnsupported(single_.observation)) {
    runs_late_ = false;  // an operation that needs the host's hands on its operands
    single_ = Execute(by_default, 0, 0, false);
  }
  if (!single_.ok()) return;
  if (IsUnsupported(single_.observation)) {
    skipped_ = single_.observation.error->message;
    return;
  }
  settings_ = SettingsOf(program_, options_.helpers && Branches(single_.observation));
  judge_.emplace(program_, device_threads_, single_.observation, options_.record_calls);
  if (const auto finding = judge_->JudgeSingle(canary_)) Fail(single_, *finding);
}

ProgramRun ProgramExplorer::Execute(Strategy& strategy, uint64_t seed, int device_threads,
                                    bool record_events) {
  ProgramRun run;
  const DeviceTypeGuard type(runs_late_ ? DeviceType::kLate : ops::DeviceOf(0).type);
  const auto body = [&] {
    std::optional<LateDevices> late_devices;
    if (runs_late_) late_devices.emplace();
    if (device_threads > 0 && settings_.size() > 1) {
      run.setting = settings_[scheduler_.ChooseSetting(static_cast<int>(settings_.size()))];
    }
    const pool::Use before = pool::UseOfProcess();
    {
      Engine engine({.device_threads = device_threads,
                     .cpu_threads = 1 + run.setting.helpers,
                     .share_after = sync::Duration::zero()});
      run.observation = runner::Run(program_, engine,
                                    {.record_calls = options_.record_calls,
                                     .check_frozen = true,
                                     .one_section_at_a_time = device_threads == 0,
                                     .stop = run.setting.stop});
      if (device_threads == 0 && run.observation.error) {
        canary_ = runner::Run(judge::CanaryProgram(), engine);
      }
    }
    const pool::Use left = pool::UseOfProcess() - before;
    run.observation.leaked_blocks = left.blocks;
    run.observation.leaked_bytes = left.bytes;
  };
  run.outcome = scheduler_.Run(body, strategy, seed,
                               {.max_steps = options_.max_steps,
                                .record_events = record_events,
                                .locks = device_threads > 0 ? options_.locks : nullptr,
                                .rules = options_.check_state ? &rules_ : nullptr,
                                .order = &order_});
  if (device_threads == 0) order_.MarkAsKnown();
  if (!run.outcome.ok()) {
    run.detector = std::string(OutcomeName(run.outcome.kind));
    run.failure = run.outcome.message;
    // The source lines of a deadlock or race are part of it; numbers of threads and steps are not.
    run.signature = absl::StrCat(run.detector, run.outcome.places.empty() ? "" : " ",
                                 absl::StrJoin(run.outcome.places, " "));
  }
  return run;
}

ProgramRun ProgramExplorer::Run(Strategy& strategy, uint64_t seed, bool record_events) {
  ProgramRun run = Execute(strategy, seed, device_threads_, record_events);
  if (!run.ok()) return run;
  run.order = judge::OrderFingerprintOf(run.observation);
  if (!judge_.has_value()) return run;
  if (const auto finding = (*judge_)(run.observation, run.setting.helpers)) Fail(run, *finding);
  return run;
}

}  // namespace twingrad::interleave
