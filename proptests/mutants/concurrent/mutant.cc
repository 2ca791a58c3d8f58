#include "proptests/mutants/concurrent/mutant.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace twingrad::mutants {
namespace {

constexpr std::pair<std::string_view, HuntKind> kHunts[] = {
    {"any", HuntKind::kAny},
    {"failing", HuntKind::kFailing},
    {"rare_failing", HuntKind::kRareFailing}};

absl::Status Unknown(std::string_view word, std::string_view allowed) {
  return absl::InvalidArgumentError(absl::StrCat("[mutants] `", word, "` in the row of a mutant; ",
                                                 allowed, "; mend the row in BUILD.bazel"));
}

bool ReadHunt(std::string_view value, HuntKind* hunt) {
  for (const auto& [name, kind] : kHunts) {
    if (name != value) continue;
    *hunt = kind;
    return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<Mutant> ParseMutant(absl::Span<const std::string_view> words) {
  if (words.empty()) return Unknown("", "its name comes first");
  Mutant mutant;
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
      if (!ReadHunt(value, &mutant.programs.hunt)) {
        return Unknown(word, "allowed are any, failing, rare_failing");
      }
      continue;
    }
    std::string* text = key == "detector"                 ? &mutant.detector
                        : key == "rule"                   ? &mutant.rule
                        : key == "programs.detector"      ? &mutant.programs.detector
                        : key == "programs.without_rules" ? &mutant.programs.without_rules
                                                          : nullptr;
    if (text == nullptr) {
      return Unknown(word,
                     "allowed are scenario, detector, rule, programs.detector, "
                     "programs.without_rules and programs.hunt");
    }
    *text = std::string(value);
  }
  return mutant;
}

}  // namespace twingrad::mutants
