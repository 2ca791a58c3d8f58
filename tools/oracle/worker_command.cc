#include "tools/oracle/worker_command.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "proptests/workers/files.h"
#include "tools/oracle/flags.h"

namespace twingrad::oracle {

using subjects::Subject;
using workers::CaseResult;
using workers::WorkerCommand;

namespace {

constexpr std::chrono::milliseconds kTimeOfASchedule(2);

}  // namespace

WorkerCommand MakeWorkerCommand(const Arguments& arguments, const std::string& folder,
                                const Subject& subject) {
  WorkerCommand command;
  command.read_scratch = [&subject](absl::Span<const std::byte> scratch, CaseResult* result) {
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

void SetEngine(const std::string& engine, WorkerCommand* command) {
  if (engine.empty()) return;
  command->flags.push_back(absl::StrCat("--engine=", engine));
  command->judges_in_child = true;
}

}  // namespace twingrad::oracle
