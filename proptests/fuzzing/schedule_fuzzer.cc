#include "proptests/fuzzing/schedule_fuzzer.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/program/print.h"
#include "proptests/fuzzing/program_input.h"
#include "proptests/fuzzing/schedule_finding.h"
#include "proptests/fuzzing/schedule_input.h"
#include "proptests/interleave/strategies/bytes_strategy.h"
#include "proptests/judge/fingerprint.h"

namespace twingrad::fuzzing {
namespace {

using interleave::BytesStrategy;
using interleave::ProgramExplorer;
using interleave::ProgramRun;

constexpr std::chrono::seconds kShrinkTime(20);

std::string FolderOf(const program::Program& program) {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) parent = "/tmp";
  return (parent / absl::StrCat("twingrad-schedule-", absl::Hex(program::Hash(program)))).string();
}

}  // namespace

ScheduleFuzzer::ScheduleFuzzer(FuzzerOptions options)
    : options_(std::move(options)), feedback_(options_.edges, options_.extra) {}

ProgramExplorer* ScheduleFuzzer::Find(absl::Span<const uint8_t> program) {
  std::string bytes(reinterpret_cast<const char*>(program.data()), program.size());
  if (const auto known = by_bytes_.find(bytes); known != by_bytes_.end()) {
    kept_.splice(kept_.begin(), kept_, known->second);
    return kept_.front().second.get();
  }
  const std::optional<program::Program> decoded = ShortProgramOf(program);
  if (!decoded) return nullptr;
  if (kept_.size() >= options_.explorers) {
    by_bytes_.erase(kept_.back().first);
    kept_.pop_back();
  }
  kept_.emplace_front(bytes, std::make_unique<ProgramExplorer>(
                                 *decoded, interleave::ProgramOptions{.locks = &locks_}));
  by_bytes_[std::move(bytes)] = kept_.begin();
  return kept_.front().second.get();
}

void ScheduleFuzzer::Say(const std::string& text) const {
  if (options_.report) return options_.report(text);
  std::fputs(text.c_str(), stderr);
}

void ScheduleFuzzer::Report(ProgramExplorer& explorer, const ProgramRun& run) {
  Say(absl::StrFormat("[fuzz] found: %s, after %d runs in %.1f s of processor time\n", run.detector,
                      runs_, static_cast<double>(std::clock()) / CLOCKS_PER_SEC));
  const ScheduleFinding finding = MakeFinding(explorer, {}, run, kShrinkTime);
  Say(DescribeFinding(finding, FolderOf(finding.program)));
  if (!options_.report) std::abort();
}

void ScheduleFuzzer::Repeat(ProgramExplorer& explorer, absl::Span<const uint8_t> schedule) {
  const uint64_t order = locks_.fingerprint();
  BytesStrategy strategy(schedule);
  const ProgramRun again = explorer.Run(strategy, 0);
  if (again.ok() && again.outcome.decisions == run_.outcome.decisions &&
      locks_.fingerprint() == order &&
      judge::FingerprintOf(again.observation) == judge::FingerprintOf(run_.observation)) {
    return;
  }
  ProgramRun other = again;
  other.detector = "uncontrolled";
  other.failure =
      "[fuzz] the same Program and schedule gave another run: it depends on something besides them";
  Report(explorer, other);
}

bool ScheduleFuzzer::Run(absl::Span<const uint8_t> input) {
  const ScheduleInput parts = SplitInput(input);
  ProgramExplorer* const explorer = Find(parts.program);
  if (explorer == nullptr || explorer->skipped()) return false;
  if (!explorer->single().ok()) {
    Report(*explorer, explorer->single());
    return false;
  }
  if (explorer->single().outcome.steps > options_.most_steps) return false;
  BytesStrategy strategy(parts.schedule);
  run_ = {};  // The end of the run before is no part of this one.
  feedback_.Begin();
  run_ = explorer->Run(strategy, 0);
  if (!run_.ok()) {
    Report(*explorer, run_);
    return true;
  }
  if (run_.outcome.decisions.empty()) return false;
  ++runs_;
  feedback_.End(locks_, [&] { Repeat(*explorer, parts.schedule); });
  return true;
}

}  // namespace twingrad::fuzzing
