#include "tools/oracle/verb.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include <sys/random.h>

#include "absl/strings/str_cat.h"
#include "proptests/workers/files.h"
#include "tools/oracle/flags.h"

namespace twingrad::oracle {
namespace {

using subjects::Subject;

// Refuses flags that have no part in the run.
absl::Status CheckFlagsFit(const Arguments& arguments) {
  const bool replays = arguments.Path("strategy") == "replay";
  if (replays) {
    for (const std::string_view flag : {"schedules", "seed", "threads"}) {
      if (!arguments.Has(flag)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "[oracle]", arguments.Text({&flag, 1}),
          " has no part in --strategy=replay, which takes all from its schedule; allowed beside it "
          "are --program, --schedule and what limits or places the run; leave it out"));
    }
  }
  if (!arguments.Has("program")) return absl::OkStatus();
  for (const std::string_view flag : {"features", "ops"}) {
    if (!arguments.Has(flag)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "[oracle]", arguments.Text({&flag, 1}), " has no part in a run of --program=",
        *arguments.Path("program"), "; it is of random Programs; leave one of the two out"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Subject>> ConfiguredSubject(
    const Arguments& arguments, const subjects::SubjectFactory& make_subject) {
  absl::StatusOr<std::unique_ptr<Subject>> subject = make_subject(EngineOf(arguments));
  if (!subject.ok()) return subject.status();
  if (absl::Status status = CheckFlagsFit(arguments); !status.ok()) return status;
  if (absl::Status status = (*subject)->Configure(OptionsOf(arguments)); !status.ok()) {
    return status;
  }
  return subject;
}

absl::Status Start(Subject& subject) {
  const absl::Status status = subject.Start();
  return status.ok() ? status : absl::UnavailableError(status.message());
}

absl::Status LoadOperand(const Arguments& arguments, Subject& subject) {
  const std::string path = workers::ResolvePath(*arguments.operand);
  absl::StatusOr<std::string> text = workers::ReadInput(path);
  if (!text.ok()) return text.status();
  return subject.source().Load(*text,
                               *arguments.operand == "-" ? "standard input" : *arguments.operand);
}

uint64_t FreshSeed() {
  // 32 bits are enough, and can be typed.
  uint32_t seed = 0;
  if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) {
    seed = static_cast<uint32_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  return seed;
}

}  // namespace twingrad::oracle
