// `oracle replay`: repeats a finding.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/campaign/plan.h"
#include "fuzz/campaign/targets/try_input.h"
#include "proptests/findings/case_text.h"
#include "proptests/findings/description.h"
#include "proptests/findings/finding.h"
#include "proptests/interleave/checker/schedule_file.h"
#include "proptests/workers/files.h"
#include "proptests/workers/prober.h"
#include "tools/oracle/fuzz_job.h"
#include "tools/oracle/verb.h"
#include "tools/oracle/worker.h"

namespace twingrad::oracle {

using findings::Description;
using findings::JoinCase;
using workers::CaseResult;
using workers::ReadInput;
using workers::TemporaryFolder;
using workers::WorkerCommand;

namespace {

// What the finding in `folder` says of itself; a folder need not say anything.
absl::StatusOr<Description> DescriptionIn(const std::string& folder) {
  const std::string path = folder + "/finding.json";
  if (access(path.c_str(), F_OK) != 0) return Description();
  const absl::StatusOr<std::string> text = ReadInput(path);
  if (!text.ok()) return text.status();
  return findings::ParseDescription(*text, path);
}

// The case that is to be judged again: a Program, of `explore` with its schedule or, where that was
// not kept, with the seed of all schedules, which `command` is told how to take.
absl::StatusOr<std::string> CaseIn(const std::string& folder, const Description& known,
                                   WorkerCommand* command) {
  absl::StatusOr<std::string> program = ReadInput(folder + "/program.txt");
  if (!program.ok()) return program.status();
  if (absl::StatusOr<std::string> schedule = ReadInput(folder + "/schedule.txt"); schedule.ok()) {
    const absl::Status read =
        interleave::ParseSchedule(*schedule, folder + "/schedule.txt").status();
    if (!read.ok()) return read;
    return JoinCase({*program, std::nullopt, false, *schedule});
  }
  if (known.verb != "explore" || !known.seed) return program;
  if (!known.strategy.empty()) command->flags.push_back("--strategy=" + known.strategy);
  if (known.schedules > 0) {
    command->flags.push_back(absl::StrCat("--schedules=", known.schedules));
  }
  if (known.threads > 0) command->flags.push_back(absl::StrCat("--threads=", known.threads));
  return JoinCase({*program, *known.seed, false, ""});
}

// What has to run before it in the same process.
std::vector<std::string> CasesBefore(const std::string& folder) {
  std::vector<std::string> before;
  while (true) {
    absl::StatusOr<std::string> text =
        ReadInput(absl::StrCat(folder, "/", findings::FileBefore(before.size() + 1)));
    if (!text.ok()) return before;
    before.push_back(*std::move(text));
  }
}

int PrintResult(const CaseResult& result, const std::string& folder, const std::string& found_as) {
  if (result.outcome == "explained") {
    absl::PrintF("the finding still shows, as an expected failure\n%s", result.text);
    return kFound;
  }
  if (result.outcome == workers::kDiverged) {
    absl::PrintF(
        "nothing is known of the finding: its schedule is of an engine that asks other questions\n"
        "replay diverged: %s\n"
        "look for it anew: tools/bazel run //tools/oracle -- explore --program=%s\n",
        result.text, workers::ShellWord(folder + "/program.txt"));
    return kUnknown;
  }
  if (!result.failed) {
    absl::PrintF("the finding no longer shows\n%s", result.text);
    return kNothingFound;
  }
  absl::PrintF("the finding still shows: %s\n%s\nexpected:\n%s\nactual:\n%s", result.oracle,
               result.text, result.expected, result.actual);
  if (!found_as.empty() && found_as != result.oracle) {
    absl::PrintF("\nit was found as: %s\n", found_as);
  }
  return kFound;
}

// A finding of a fuzz target: its input, given to the target again.
absl::StatusOr<int> ReplayTarget(const std::string& folder, const Description& known) {
  const absl::StatusOr<std::string> input = ReadInput(folder + "/program.txt");
  if (!input.ok()) return input.status();
  absl::StatusOr<TemporaryFolder> temporary = TemporaryFolder::Make("oracle");
  if (!temporary.ok()) return temporary.status();
  const auto said = campaign::TryInput(TargetOf(known), *input, temporary->path() + "/try");
  if (!said.ok()) return said.status();
  return PrintResult(said->value_or(CaseResult()), folder, known.oracle);
}

absl::StatusOr<int> Replay(const Arguments& arguments, subjects::Subject& subject) {
  const std::string folder = workers::ResolvePath(*arguments.operand);
  const absl::StatusOr<Description> known = DescriptionIn(folder);
  if (!known.ok()) return known.status();
  if (known->verb == campaign::kFuzz) return ReplayTarget(folder, *known);
  absl::StatusOr<TemporaryFolder> temporary = TemporaryFolder::Make("oracle");
  if (!temporary.ok()) return temporary.status();
  WorkerCommand command = MakeWorkerCommand(arguments, temporary->path(), subject);
  SetEngine(known->engine, &command);
  if (known->plant) command.flags.push_back(absl::StrCat("--plant=", *known->plant));
  // Where it was found, unless another place is given.
  if (!known->device.empty() && !arguments.Has("device")) {
    command.flags.push_back(absl::StrCat("--device=", known->device));
  }
  // The limits under which it was found, unless others are given.
  const uint64_t timeout = std::min<uint64_t>(known->timeout_ms, 1u << 30);
  const uint64_t memory = std::min<uint64_t>(known->memory_mib, 1u << 30);
  if (timeout > 0 && !arguments.Has("timeout")) {
    command.limits.timeout = std::chrono::milliseconds(timeout);
  }
  if (memory > 0 && !arguments.Has("memory")) command.limits.memory = memory << 20;
  absl::StatusOr<std::string> text = CaseIn(folder, *known, &command);
  if (!text.ok()) return text.status();
  workers::Prober prober(command);
  const std::vector<std::string> before = CasesBefore(folder);
  absl::StatusOr<CaseResult> result =
      before.empty() ? prober.Judge(*text) : prober.JudgeAfter(before, *text);
  if (!result.ok()) return result.status();
  return PrintResult(*result, folder, known->oracle);
}

constexpr FlagSpec kReplayFlags[] = {
    kKernels,
    {"device", "WORD", FlagType::kWord, "as found", "what devices are: sim:N or cuda:N"},
    kTimeout,
    kMemory};

}  // namespace

bool IsOfExplore(const std::string& folder) {
  return ReadInput(folder + "/schedule.txt").ok() ||
         DescriptionIn(folder).value_or(Description()).verb == "explore";
}

constinit const VerbSpec kReplay = {
    .name = "replay",
    .operand = "DIR",
    .summary = "repeats a finding",
    .description = R"(
DIR is the folder of a finding. Judges its Program again, in a fresh worker, after those that
the finding says must run before it. A finding of `explore` is repeated decision by decision;
one of a fuzz target is given to that again.
Exit status 0: it no longer fails; 1: it still does; 4: its schedule does not fit this engine,
so nothing is known.
)",
    .flags = kReplayFlags,
    .examples = R"(
replay findings/twin-0000000000000007
)",
    .configures = false,
    .run = Replay,
};

}  // namespace twingrad::oracle
