// `oracle run`: executes one Program.

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "tools/oracle/verb.h"

namespace twingrad::oracle {

using subjects::Subject;

namespace {

absl::StatusOr<int> Run(const Arguments& arguments, Subject& subject) {
  if (absl::Status status = StartWithOperand(arguments, subject); !status.ok()) return status;
  if (subject.runner() == nullptr) {
    return absl::InvalidArgumentError(
        "[oracle] this program runs Programs under many schedules only; allowed is `explore`; for "
        "`run` start tools/oracle/oracle");
  }
  const subjects::Runner::Seen seen = subject.runner()->Run();
  absl::PrintF("%s", seen.text);
  return seen.all_met ? kNothingFound : kFound;
}

constexpr FlagSpec kRunFlags[] = {
    kEngine,
    {"device", "WORD", FlagType::kWord, "sim:8",
     "what devices are: so many simulated accelerators, or with cuda:N GPUs"},
    // The repository's own engine runs in this process, where Ctrl-C is at hand.
    {"timeout", "TIME", FlagType::kDuration, "10s",
     "with --engine: a Program that runs longer is a hang"},
    {"memory", "SIZE", FlagType::kSize, "2G", "with --engine: one that grows beyond is a finding"},
};

}  // namespace

constinit const VerbSpec kRun = {
    .name = "run",
    .operand = "FILE",
    .summary = "executes one Program and prints its Observation",
    .description = R"(
FILE holds a Program; `-` is standard input. Prints every value and its .grad, and for each
call of the engine the nodes, the dependency counts and the order of execution; on the
repository's engine then the `expect` statements that are not met. Exit status 1: some are
not.
)",
    .flags = kRunFlags,
    .examples = R"(
run program.txt
run - < program.txt
)",
    .run = Run,
};

}  // namespace twingrad::oracle
