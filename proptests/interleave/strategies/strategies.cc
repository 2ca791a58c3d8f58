#include "proptests/interleave/strategies/strategies.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "proptests/interleave/strategies/mixed_strategy.h"
#include "proptests/interleave/strategies/pct_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/starve_strategy.h"

namespace twingrad::interleave {

namespace {

template <typename S>
struct Parameter {
  std::string_view name;
  int S::Parameters::*value;
  int lowest;
  int highest;
};

template <typename S>
StrategyRow Row(std::string_view name, std::string_view about,
                std::vector<Parameter<S>> parameters) {
  StrategyRow row = {name, about, {}, {}};
  for (const Parameter<S>& parameter : parameters) {
    row.parameters.push_back({parameter.name, parameter.lowest, parameter.highest});
  }
  row.make = [parameters = std::move(parameters)](const StrategyRow::Values& values) {
    typename S::Parameters chosen;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (values[i].has_value()) chosen.*parameters[i].value = *values[i];
    }
    return std::make_unique<S>(chosen);
  };
  return row;
}

std::vector<StrategyRow> MakeTable() {
  using Random = RandomStrategy::Parameters;
  using Starve = StarveStrategy::Parameters;
  using Pct = PctStrategy::Parameters;
  return {
      {kDefaultStrategy,
       "the next ones in turns",
       {},
       [](const StrategyRow::Values&) {
         return std::make_unique<MixedStrategy>(MakeEachStrategy());
       }},
      Row<RandomStrategy>("random", "stays on the running thread, but for a few switches",
                          {{"switch", &Random::switch_percent, 0, 100},
                           {"spurious", &Random::spurious_percent, 0, 99}}),
      Row<StarveStrategy>("starve", "random, and holds a thread back for long now and then",
                          {{"starve", &Starve::starve_percent, 0, 100},
                           {"switch", &Starve::switch_percent, 0, 100},
                           {"spurious", &Starve::spurious_percent, 0, 99}}),
      Row<PctStrategy>("pct", "random priorities that drop at a few random moments",
                       {{"min_depth", &Pct::min_depth, 1, 100},
                        {"max_depth", &Pct::max_depth, 1, 100},
                        {"length", &Pct::length, 1, 1'000'000'000},
                        {"spurious", &Pct::spurious_percent, 0, 99}}),
  };
}

std::string AllowedParameters(const StrategyRow& row) {
  if (row.parameters.empty()) return "it has no parameters";
  const auto print = [](std::string* out, const StrategyParameter& parameter) {
    absl::StrAppend(out, parameter.name, "=", parameter.lowest, "..", parameter.highest);
  };
  return absl::StrCat("allowed are ", absl::StrJoin(row.parameters, " ", print));
}

// Reads `PARAMETER=NUMBER` into its place among the values.
bool ReadParameter(const StrategyRow& row, std::string_view text, StrategyRow::Values* values) {
  const std::pair<std::string_view, std::string_view> words =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  for (size_t i = 0; i < row.parameters.size(); ++i) {
    const StrategyParameter& parameter = row.parameters[i];
    if (parameter.name != words.first) continue;
    int value = 0;
    if (!absl::SimpleAtoi(words.second, &value)) return false;
    (*values)[i] = value;
    return value >= parameter.lowest && value <= parameter.highest;
  }
  return false;
}

}  // namespace

const std::vector<StrategyRow>& Strategies() {
  static const std::vector<StrategyRow> table = MakeTable();
  return table;
}

absl::StatusOr<std::unique_ptr<Strategy>> MakeStrategy(std::string_view text) {
  const std::pair<std::string_view, std::string_view> words =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  for (const StrategyRow& row : Strategies()) {
    if (row.name != words.first) continue;
    StrategyRow::Values values(row.parameters.size());
    for (std::string_view part : absl::StrSplit(words.second, ',', absl::SkipEmpty())) {
      if (ReadParameter(row, part, &values)) continue;
      return absl::InvalidArgumentError(absl::StrCat("[interleave] `", part, "` of strategy ",
                                                     row.name, "; ", AllowedParameters(row)));
    }
    return row.make(values);
  }
  return absl::InvalidArgumentError(absl::StrCat("[interleave] no strategy is called `",
                                                 words.first, "`; allowed are ", StrategyNames()));
}

std::unique_ptr<Strategy> MakeDefaultStrategy() { return *MakeStrategy(kDefaultStrategy); }

std::vector<std::unique_ptr<Strategy>> MakeEachStrategy() {
  std::vector<std::unique_ptr<Strategy>> each;
  for (const StrategyRow& row : Strategies()) {
    if (row.name == kDefaultStrategy) continue;
    each.push_back(row.make(StrategyRow::Values(row.parameters.size())));
  }
  return each;
}

std::string_view StrategyNames() {
  static const std::string names =
      absl::StrJoin(Strategies(), ", ", [](std::string* out, const StrategyRow& row) {
        absl::StrAppend(out, row.name);
        if (row.name == kDefaultStrategy) absl::StrAppend(out, " (", row.about, ")");
      });
  return names;
}

}  // namespace twingrad::interleave
