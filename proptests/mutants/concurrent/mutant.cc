#include "proptests/mutants/concurrent/mutant.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace twingrad::mutants {
namespace {

constexpr std::string_view kErrors =
    "chain,fan_out,diamond,several_roots,view,in_place,devices,error";

constexpr std::pair<std::string_view, ProgramHunt> kHunts[] = {
    {"any", {}},
    // Sections that make calls at the same time.
    {"callers", {.features = "chain,fan_out,diamond,calls,threads", .sections = true}},
    // And meet at leaves whose hooks read `.grad`.
    {"hooked_callers", {.features = "chain,fan_out,diamond,calls,hook,threads", .sections = true}},
    // And at views whose base was written.
    {"viewing_callers", {.features = "chain,calls,view,in_place,threads", .sections = true}},
    // Programs in which a call fails on one thread.
    {"failing", {.features = kErrors, .failing = true}},
    // What shows under few schedules of a call that fails.
    {"rare_failing",
     {.programs = 20'000,
      .schedules = 100,
      .features = kErrors,
      .failing = true,
      .schedules_to_shrink = 500}}};

absl::Status Unknown(std::string_view word, std::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat("[mutants] `", word, "` in the row of a mutant; ",
                                                 allowed, "; mend the row in BUILD.bazel"));
}

}  // namespace

absl::StatusOr<Mutant> ParseMutant(absl::Span<const std::string_view> words) {
  if (words.empty()) return Unknown("", "its name comes first");
  Mutant mutant;
  uint64_t seed = mutant.programs.hunt.seed;
  mutant.name = std::string(words[0]);
  for (std::string_view word : words.subspan(1)) {
    const std::pair<std::string_view, std::string_view> parts =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    const auto& [key, value] = parts;
    if (key == "scenario") {
      mutant.scenario = FindScenario(value);
      if (mutant.scenario != nullptr || value.empty()) continue;
      const auto name = [](std::string* out, const Scenario& scenario) {
        absl::StrAppend(out, scenario.name);
      };
      return Unknown(word,
                     absl::StrCat("scenarios.cc has ", absl::StrJoin(Scenarios(), ", ", name)));
    }
    if (key == "programs.hunt") {
      const auto hunt = std::find_if(std::begin(kHunts), std::end(kHunts),
                                     [&value](const auto& row) { return row.first == value; });
      if (hunt == std::end(kHunts))
        return Unknown(
            word,
            "allowed are any, callers, hooked_callers, viewing_callers, failing, rare_failing");
      mutant.programs.hunt = hunt->second;
      continue;
    }
    if (key == "programs.seed") {
      if (absl::SimpleAtoi(value, &seed)) continue;
      return Unknown(word, "a seed is a number");
    }
    std::string* text = key == "detector"                 ? &mutant.detector
                        : key == "rule"                   ? &mutant.rule
                        : key == "strategy"               ? &mutant.strategy
                        : key == "programs.detector"      ? &mutant.programs.detector
                        : key == "programs.without_rules" ? &mutant.programs.without_rules
                                                          : nullptr;
    if (text == nullptr) {
      return Unknown(word,
                     "allowed are scenario, detector, rule, strategy, programs.detector, "
                     "programs.without_rules, programs.hunt and programs.seed");
    }
    *text = std::string(value);
  }
  mutant.programs.hunt.seed = seed;
  return mutant;
}

}  // namespace twingrad::mutants
