// Names and parameters of strategies; see strategies.h.
#include "proptests/interleave/strategies/strategies.h"

#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proptests/interleave/strategies/mixed_strategy.h"
#include "proptests/interleave/strategies/pct_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/starve_strategy.h"

namespace twingrad::interleave {

namespace {

struct Setting {
  int* value;
  int lowest;
  int highest;
};

absl::Status Read(std::string_view name, std::string_view text,
                  const std::map<std::string_view, Setting>& settings) {
  if (text.empty()) return absl::OkStatus();
  for (std::string_view part : absl::StrSplit(text, ',')) {
    const std::pair<std::string_view, std::string_view> words =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    const auto found = settings.find(words.first);
    int value = 0;
    if (found == settings.end() || !absl::SimpleAtoi(words.second, &value) ||
        value < found->second.lowest || value > found->second.highest) {
      std::string allowed;
      for (const auto& [key, setting] : settings) {
        absl::StrAppend(&allowed, " ", key, "=", setting.lowest, "..", setting.highest);
      }
      return absl::InvalidArgumentError(
          absl::StrCat("[interleave] `", part, "` of strategy ", name, "; allowed are", allowed));
    }
    *found->second.value = value;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Strategy>> MakeStrategy(std::string_view name) {
  const std::pair<std::string_view, std::string_view> words =
      absl::StrSplit(name, absl::MaxSplits(':', 1));
  if (words.first == "random") {
    RandomStrategy::Chances chances;
    const absl::Status status = Read("random", words.second,
                                     {{"switch", {&chances.switch_percent, 0, 100}},
                                      {"spurious", {&chances.spurious_percent, 0, 99}}});
    if (!status.ok()) return status;
    return std::make_unique<RandomStrategy>(chances);
  }
  if (words.first == "starve") {
    StarveStrategy::Chances chances;
    const absl::Status status = Read("starve", words.second,
                                     {{"starve", {&chances.starve_percent, 0, 100}},
                                      {"switch", {&chances.switch_percent, 0, 100}},
                                      {"spurious", {&chances.spurious_percent, 0, 99}}});
    if (!status.ok()) return status;
    return std::make_unique<StarveStrategy>(chances);
  }
  if (words.first == "pct") {
    PctStrategy::Parameters parameters;
    int length = 0;
    const absl::Status status = Read("pct", words.second,
                                     {{"min_depth", {&parameters.min_depth, 1, 100}},
                                      {"max_depth", {&parameters.max_depth, 1, 100}},
                                      {"length", {&length, 1, 1'000'000'000}},
                                      {"spurious", {&parameters.spurious_percent, 0, 99}}});
    if (!status.ok()) return status;
    if (parameters.max_depth < parameters.min_depth) parameters.max_depth = parameters.min_depth;
    parameters.grows = length == 0;
    if (length != 0) parameters.length = length;
    return std::make_unique<PctStrategy>(parameters);
  }
  if (name == "mixed") return std::make_unique<MixedStrategy>();
  return absl::InvalidArgumentError(
      absl::StrCat("[interleave] strategy `", name,
                   "`; mixed (which has no parameters), random, starve and pct are allowed"));
}

}  // namespace twingrad::interleave
