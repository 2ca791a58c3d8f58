#include "tools/golden/schedule_entry.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/program/observation.h"
#include "autograd/program/print.h"
#include "autograd/program/region.h"
#include "autograd/program/signature.h"
#include "proptests/interleave/checker/schedule_shrink.h"
#include "proptests/interleave/engine/program_run.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/replay_strategy.h"
#include "proptests/interleave/strategies/strategies.h"
#include "tools/golden/entry_text.h"

namespace twingrad::golden {
namespace {

namespace fs = std::filesystem;
using interleave::ProgramExplorer;
using interleave::ProgramRun;
using interleave::ScheduleFile;
using program::NodeRole;
using program::Program;

constexpr uint64_t kSeed = 1;

// The value that the statement makes or, as a write does, changes.
std::string ValueOf(const Program& program, int32_t index) {
  const program::Statement& statement = program.statements[static_cast<size_t>(index)];
  if (statement.results.empty() && statement.operands.empty()) return absl::StrCat("@", index);
  const bool writes = statement.results.empty();
  return absl::StrCat("%", program.names[writes ? statement.operands[0] : statement.results[0]]);
}

std::string NameOf(const Program& program, const program::NodeRecord& node) {
  switch (node.name.role) {
    case NodeRole::kGraphRoot:
      return "root";
    case NodeRole::kAccumulateGrad:
      return ValueOf(program, node.name.statement) + ".grad";
    case NodeRole::kBackward:  // made by a call: the number tells it from others of that call
      return absl::StrCat("made", node.name.index);
    default:
      return ValueOf(program, node.name.statement);
  }
}

// Sites depend on lines of the sources.
void ForgetSites(interleave::Trace* trace) {
  for (interleave::Decision& decision : *trace) decision.site = 0;
}

// The first number that each hook saw.
void AppendReads(const program::Observation& observation, std::string* text) {
  std::string reads;
  for (const program::CallRecord& call : observation.calls) {
    for (const program::HookRecord& hook : call.hooks) {
      const bool is_number = hook.gradient_defined && IsFloating(hook.gradient.dtype);
      absl::StrAppend(&reads, " ",
                      is_number ? std::bit_cast<double>(hook.gradient.bits.at(0)) : 0.0);
    }
  }
  if (!reads.empty()) absl::StrAppend(text, "; hooks", reads);
}

}  // namespace

absl::StatusOr<ScheduleEntry> ParseScheduleEntry(std::string_view path, std::string_view text) {
  ScheduleEntry entry;
  entry.path = std::string(path);
  absl::StatusOr<Program> program =
      ParseHeaded(entry.path, text,
                  {{"id", &entry.id}, {"reason", &entry.reason}, {"shows", &entry.shows}}, false);
  if (!program.ok()) return program.status();
  entry.program = *std::move(program);
  return entry;
}

absl::StatusOr<std::vector<ScheduleEntry>> LoadScheduleEntries(const std::string& folder) {
  const auto programs = FilesBelow(folder, ".twin");
  if (!programs.ok()) return programs.status();
  std::vector<ScheduleEntry> entries;
  for (const fs::path& path : *programs) {
    absl::StatusOr<ScheduleEntry> entry = ParseScheduleEntry(path.string(), ReadText(path));
    if (!entry.ok()) return entry.status();
    entries.push_back(*std::move(entry));
  }
  const auto schedules = FilesBelow(folder, ".schedule");
  if (!schedules.ok()) return schedules.status();
  for (fs::path path : *schedules) {
    const std::string schedule = path.string();
    if (!fs::exists(path.replace_extension(".twin"))) {
      return Fault(schedule, "it has no .twin beside it");
    }
  }
  return entries;
}

std::string SchedulePath(const ScheduleEntry& entry) {
  return fs::path(entry.path).replace_extension(".schedule").string();
}

std::string ShowsOf(const Program& program, const ProgramRun& run) {
  const program::Observation& observation = run.observation;
  std::string text;
  for (const program::CallRecord& call : observation.calls) {
    if (!text.empty()) absl::StrAppend(&text, " |");
    for (const int32_t node : call.executed) {
      absl::StrAppend(&text, text.empty() ? "" : " ",
                      NameOf(program, call.nodes[static_cast<size_t>(node)]));
    }
  }
  absl::StrAppend(&text, "; grad");
  for (size_t i = 0; i < observation.values.size(); ++i) {
    if (observation.values[i].grad_defined) absl::StrAppend(&text, " %", program.names[i]);
  }
  if (observation.error) {
    absl::StrAppend(&text, "; error ", ErrorKindName(observation.error->error));
  }
  if (program::HasSections(program)) {
    for (const program::ErrorRecord& error : observation.survived) {
      absl::StrAppend(&text, "; survived ", ErrorKindName(error.error), " at ", error.statement);
    }
    AppendReads(observation, &text);
  }
  if (run.setting.helpers > 0) absl::StrAppend(&text, "; a helper");
  if (run.setting.stop.has_value()) {
    absl::StrAppend(&text, "; stopped beside ", run.setting.stop->call);
  }
  return text;
}

absl::Status ReplaySchedule(const ScheduleEntry& entry, const ScheduleFile& schedule) {
  const auto fault = [&entry](std::string_view what) {
    return Fault(entry.path,
                 absl::StrCat(what,
                              "\nrecord it anew, if the engine is meant to take other steps: "
                              "tools/bazel run //tools/golden:record_schedules"));
  };
  if (schedule.program_hash != program::Hash(entry.program)) {
    return fault("its schedule is that of another Program");
  }
  ProgramExplorer explorer(entry.program, {.device_threads = schedule.device_threads});
  if (!explorer.single().ok()) return fault("the run on one thread fails");
  interleave::ReplayStrategy replay(schedule.decisions);
  const ProgramRun run = explorer.Run(replay, kSeed);
  if (!run.ok()) return fault(absl::StrCat(run.detector, ": ", run.failure));
  if (!replay.Finished()) return fault("the run ended before its schedule did");
  const std::string shows = ShowsOf(entry.program, run);
  if (shows != entry.shows) {
    return fault(absl::StrCat("it shows `", shows, "`, not `", entry.shows, "`"));
  }
  return absl::OkStatus();
}

absl::StatusOr<ScheduleFile> RecordSchedule(const ScheduleEntry& entry, int schedules) {
  ProgramExplorer explorer(entry.program);
  const auto run = [&](interleave::Strategy& strategy,
                       uint64_t seed) -> std::optional<interleave::Trace> {
    ProgramRun its = explorer.Run(strategy, seed);
    if (!its.ok() || ShowsOf(entry.program, its) != entry.shows) return std::nullopt;
    return std::move(its.outcome.decisions);
  };
  const auto strategy = interleave::MakeDefaultStrategy();
  interleave::SplitMix seeds(kSeed);
  for (int i = 0; i < schedules; ++i) {
    const std::optional<interleave::Trace> found = run(*strategy, seeds.Next());
    if (!found) continue;
    ScheduleFile file;
    file.program_hash = program::Hash(entry.program);
    file.device_threads = explorer.device_threads();
    file.strategy = "forced";
    file.decisions = interleave::ShrinkSchedule(*found, run).trace;
    ForgetSites(&file.decisions);
    return file;
  }
  return Fault(entry.path, absl::StrCat("none of ", schedules, " schedules shows `", entry.shows,
                                        "`; record_schedules with the file's name lists what they "
                                        "do"));
}

std::map<std::string, int> AllShown(const Program& program, int schedules) {
  ProgramExplorer explorer(program);
  const auto strategy = interleave::MakeDefaultStrategy();
  interleave::SplitMix seeds(kSeed);
  std::map<std::string, int> shown;
  for (int i = 0; i < schedules; ++i) {
    const ProgramRun run = explorer.Run(*strategy, seeds.Next());
    ++shown[run.ok() ? ShowsOf(program, run) : "FOUND " + run.detector];
  }
  return shown;
}

}  // namespace twingrad::golden
