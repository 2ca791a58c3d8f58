#include "tools/oracle/worker.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "nlohmann/json.hpp"
#include "proptests/workers/files.h"
#include "proptests/workers/worker.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

using subjects::Subject;
using workers::WorkerCommand;

namespace {

constexpr std::chrono::milliseconds kTimeOfASchedule(2);
constexpr std::string_view kLimitFlags[] = {"timeout", "memory"};

absl::StatusOr<int> Work(const Arguments& arguments, Subject& subject) {
  workers::WorkerOptions options;
  options.recorder = arguments.Path("recorder").value_or("");
  options.campaign = arguments.Path("campaign").value_or("");
  options.memory = arguments.Number("memory").value_or(0);
  if (options.recorder.empty()) {
    return absl::InvalidArgumentError(
        "[oracle] `worker` is started by other verbs; allowed is `oracle check`; start that");
  }
  const auto start = [&] {
    absl::Status status = subject.Configure(OptionsOf(arguments));
    return status.ok() ? subject.Start() : status;
  };
  return RunWorker({start, subject.source(), subject.judge(), subject.drawer()}, options);
}

constexpr FlagSpec kWorkerFlags[] = {
    {"recorder", "FILE", FlagType::kPath, "none", "the flight recorder"},
    {"campaign", "FILE", FlagType::kPath, "none", "the programs not yet handed out"},
    kEngine,
    kTimeout,
    kMemory,
    kFeatures,
    kOps,
    kWeights,
    kDevice,
    kStreams,
    kElements,
    kRank,
    kWitness,
    kExpected,
    kKernels,
    kSchedules,
    kStrategy,
    kThreads,
    kProgram,
    kSchedule,
    kPlant,
};

}  // namespace

WorkerCommand MakeWorkerCommand(const Arguments& arguments, const std::string& folder,
                                const Subject& subject) {
  WorkerCommand command;
  command.read_scratch = [&subject](absl::Span<const std::byte> scratch,
                                    workers::CaseResult* result) {
    subject.ReadScratch(scratch, result);
  };
  // Not /proc/self/exe: in the child that would name the child's own file.
  command.executable = workers::ThisExecutable();
  for (const std::string_view flag : kCaseFlags) {
    const std::optional<std::string> value = arguments.Path(flag);
    if (value) command.flags.push_back(absl::StrCat("--", flag, "=", *value));
  }
  SetEngine(arguments.Path("engine").value_or(""), &command);
  command.folder = folder;
  if (arguments.verb->name == "explore") {
    // The limit is for a Program with all its schedules.
    command.limits.timeout +=
        kTimeOfASchedule *
        std::min<uint64_t>(OptionsOf(arguments).explore.schedules, 1'000'000'000);
  }
  command.limits.timeout = arguments.Duration("timeout").value_or(command.limits.timeout);
  command.limits.memory = arguments.Number("memory").value_or(command.limits.memory);
  return command;
}

findings::Origin OriginOf(const Arguments& arguments, const WorkerCommand& command) {
  findings::Origin origin;
  origin.verb = std::string(arguments.verb->name);
  origin.engine = arguments.Path("engine").value_or("");
  origin.seed = arguments.Number("seed").value_or(FreshSeed());
  origin.flags = arguments.Text(kCaseFlags);
  origin.case_flags = arguments.Text(kGeneratorFlags);
  origin.limit_flags = arguments.Text(kLimitFlags);
  origin.limits = command.limits;
  if (origin.verb == "explore") {
    const subjects::ExploreOptions options = OptionsOf(arguments).explore;
    origin.seeded = options.strategy != "replay";
    origin.settings = {{"strategy", options.strategy},
                       {"schedules", options.schedules},
                       {"threads", options.threads}};
  }
  if (const auto device = arguments.Path("device")) origin.settings["device"] = *device;
  return origin;
}

void SetEngine(const std::string& engine, WorkerCommand* command) {
  if (engine.empty()) return;
  command->flags.push_back(absl::StrCat("--engine=", engine));
  command->judges_in_child = true;
}

constinit const VerbSpec kWorker = {
    .name = "worker",
    .summary = "judges Programs for a parent process",
    .description = R"(
Started by the other verbs.
)",
    .flags = kWorkerFlags,
    .hidden = true,
    .configures = false,  // what is wrong is told to the parent
    .run = Work,
};

}  // namespace twingrad::oracle
