#include "proptests/fuzzing/schedule_finding.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/program/print.h"
#include "proptests/interleave/checker/schedule_file.h"
#include "proptests/interleave/engine/program_shrink.h"
#include "proptests/interleave/strategies/forced_strategy.h"

namespace twingrad::fuzzing {
namespace {

using interleave::ProgramExplorer;
using interleave::ProgramRun;
using std::chrono::steady_clock;

std::string ScheduleText(const program::Program& program, const ProgramRun& run, int threads) {
  interleave::ScheduleFile file = {.program_hash = program::Hash(program),
                                   .device_threads = threads,
                                   .strategy = "bytes",
                                   .seed = 0,
                                   .detector = run.detector,
                                   .decisions = run.outcome.decisions};
  for (interleave::Decision& decision : file.decisions) decision.site = 0;
  return interleave::PrintSchedule(file);
}

bool Write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  return file.good();
}

}  // namespace

ScheduleFinding MakeFinding(const ProgramExplorer& explorer,
                            const interleave::ProgramOptions& options, const ProgramRun& run,
                            std::chrono::seconds time) {
  if (run.outcome.decisions.empty()) return {explorer.program(), run, ""};
  const int threads = explorer.device_threads();
  const std::function<bool()> interrupt = [deadline = steady_clock::now() + time] {
    return steady_clock::now() > deadline;
  };
  interleave::ProgramOptions same = options;
  same.device_threads = threads;
  interleave::SmallFinding small =
      interleave::ShrinkProgramFinding(explorer.program(), same, run, {.interrupt = interrupt});
  std::string schedule = ScheduleText(small.program, small.run, threads);
  return {std::move(small.program), std::move(small.run), std::move(schedule)};
}

std::string DescribeFinding(const ScheduleFinding& finding, const std::string& folder) {
  const ProgramRun& run = finding.run;
  std::string text = absl::StrCat(
      "[fuzz] ", run.detector,
      finding.schedule.empty()
          ? " on one thread"
          : absl::StrCat(" under a schedule of ", interleave::PreemptionsOf(run.outcome.decisions),
                         " preemptions, ", run.outcome.decisions.size(), " decisions",
                         interleave::SettingText(finding.program, run)),
      "\n", run.failure, "\n", program::Print(finding.program), finding.schedule);
  const std::filesystem::path path(folder);
  std::error_code error;
  std::filesystem::create_directories(path, error);
  bool written = !error && Write(path / "program.txt", program::Print(finding.program));
  std::string flags = absl::StrCat(" --program=", (path / "program.txt").string());
  if (!finding.schedule.empty()) {
    written = written && Write(path / "schedule.txt", finding.schedule);
    absl::StrAppend(&flags, " --strategy=replay --schedule=", (path / "schedule.txt").string());
  }
  if (!written) {
    return absl::StrCat(text, "[fuzz] cannot write to ", folder,
                        "; allowed is a folder that can be made; set TMPDIR, or copy the texts\n");
  }
  return absl::StrCat(text, "replay: tools/bazel run //tools/oracle -- explore", flags, "\n");
}

}  // namespace twingrad::fuzzing
