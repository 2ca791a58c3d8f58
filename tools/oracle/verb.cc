#include "tools/oracle/verb.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <sys/random.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proptests/workers/files.h"
#include "proptests/workers/plant.h"

namespace twingrad::oracle {
namespace {

using subjects::CaseOptions;
using subjects::ForeignEngine;
using subjects::Subject;
using workers::ResolvePath;

// Refuses flags that have no part in the run.
absl::Status CheckFlagsFit(const Arguments& arguments) {
  if (arguments.Path("strategy") == "replay") {
    for (const std::string_view flag : {"schedules", "seed", "threads"}) {
      if (!arguments.Has(flag)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "[oracle]", arguments.Text({&flag, 1}),
          " has no part in --strategy=replay, which takes all from its schedule; allowed beside it "
          "are --program, --schedule and what limits or places the run; leave it out"));
    }
  }
  if (const auto witness = arguments.Path("witness"); witness && witness != WitnessNames()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "[oracle] --witness=", *witness, " is no witness that takes a sample; allowed is ",
        std::string(WitnessNames()), "; the others judge every Program"));
  }
  if (const auto expected = arguments.Path("expected")) {
    if (*expected != ExpectedNames()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "[oracle] --expected=", *expected, " is no choice of expected failures; allowed is ",
          std::string(ExpectedNames()),
          "; without the flag the list of the engine's version counts"));
    }
    if (!arguments.Has("engine")) {
      return absl::InvalidArgumentError(
          "[oracle] --expected has no part in a run of the repository's own engine, of which no "
          "failure is expected; allowed is it beside --engine; leave it out");
    }
  }
  if (const auto kernels = arguments.Path("kernels")) {
    const auto& names = subjects::kKernelNames;
    if (std::find(std::begin(names), std::end(names), *kernels) == std::end(names)) {
      return absl::InvalidArgumentError(
          absl::StrCat("[oracle] --kernels=", *kernels, " is no kind of kernels; allowed are ",
                       absl::StrJoin(names, ", "), "; best is the default"));
    }
    if (arguments.Has("engine")) {
      return absl::InvalidArgumentError(
          "[oracle] --kernels has no part in a run of another engine, which brings its own; "
          "allowed "
          "is it with the repository's own engine; leave it out");
    }
  }
  if (!arguments.Has("program")) return absl::OkStatus();
  for (const std::string_view flag : {"features", "ops", "weights", "device", "streams"}) {
    if (!arguments.Has(flag)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "[oracle]", arguments.Text({&flag, 1}), " has no part in a run of --program=",
        *arguments.Path("program"), "; it is of random Programs; leave one of the two out"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string_view WitnessNames() { return "ball"; }
std::string_view ExpectedNames() { return "none"; }

CaseOptions OptionsOf(const Arguments& arguments) {
  CaseOptions options;
  options.features = arguments.List("features");
  options.ops = arguments.List("ops");
  options.weights = arguments.Path("weights").value_or(options.weights);
  if (const auto n = arguments.Number("elements")) options.elements = static_cast<int>(*n);
  if (const auto n = arguments.Number("rank")) options.rank = static_cast<int>(*n);
  options.device = arguments.Path("device").value_or(options.device);
  if (const auto n = arguments.Number("streams")) options.streams = static_cast<int>(*n);
  options.every_ball = arguments.Path("witness") == "ball";
  options.kernels = arguments.Path("kernels").value_or(options.kernels);
  options.expect_failures = !arguments.Has("expected");
  if (arguments.Has("plant")) options.planted = workers::DefectOf(*arguments.Number("plant"));
  options.plant_draw = workers::DrawOf(arguments.Number("plant").value_or(0));
  options.explore.strategy =
      arguments.Path("strategy").value_or(std::string(interleave::kDefaultStrategy));
  options.explore.schedules = arguments.Number("schedules").value_or(1000);
  options.explore.threads = static_cast<int>(arguments.Number("threads").value_or(0));
  if (const auto path = arguments.Path("program")) options.explore.program = ResolvePath(*path);
  if (const auto path = arguments.Path("schedule")) options.explore.schedule = ResolvePath(*path);
  return options;
}

absl::StatusOr<std::unique_ptr<Subject>> SubjectOf(const Arguments& arguments,
                                                   const subjects::SubjectFactory& make_subject) {
  subjects::EngineChoice choice;
  choice.engine = arguments.Path("engine").value_or("");
  choice.timeout = arguments.Duration("timeout").value_or(choice.timeout);
  choice.memory = arguments.Number("memory").value_or(choice.memory);
  absl::StatusOr<std::unique_ptr<Subject>> subject = make_subject(choice);
  if (!subject.ok() || !arguments.verb->configures) return subject;
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

absl::Status StartWithOperand(const Arguments& arguments, Subject& subject) {
  absl::StatusOr<std::string> text = workers::ReadInput(ResolvePath(*arguments.operand));
  if (!text.ok()) return text.status();
  const std::string name = *arguments.operand == "-" ? "standard input" : *arguments.operand;
  if (absl::Status status = subject.source().Load(*text, name); !status.ok()) return status;
  return Start(subject);
}

absl::StatusOr<ForeignEngine*> StartForeign(const Arguments& arguments, Subject& subject,
                                            std::string_view instead) {
  if (subject.foreign() == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("[oracle] `", arguments.verb->name,
                                                   "` is for the engines of others; allowed are ",
                                                   adapters::kForeignEngines, "; ", instead));
  }
  if (absl::Status status = Start(subject); !status.ok()) return status;
  return subject.foreign();
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
