#include "proptests/interleave/strategies/strategies.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "proptests/interleave/strategies/buffered_strategy.h"
#include "proptests/interleave/strategies/mixed_strategy.h"
#include "proptests/interleave/strategies/pct_strategy.h"
#include "proptests/interleave/strategies/random_strategy.h"
#include "proptests/interleave/strategies/starve_strategy.h"

namespace twingrad::interleave {

namespace {

template <typename S>
struct Parameter : StrategyParameter {
  int S::Parameters::*value;
};

template <typename S>
StrategyRow Row(std::string_view name, std::string_view about,
                std::vector<Parameter<S>> parameters) {
  StrategyRow row = {name, about, {parameters.begin(), parameters.end()}, {}};
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
  using Buffered = BufferedStrategy::Parameters;
  return {
      {kDefaultStrategy,
       "the next ones in turns",
       {},
       [](const StrategyRow::Values&) {
         return std::make_unique<MixedStrategy>(MakeEachStrategy());
       }},
      Row<RandomStrategy>("random", "stays on the running thread, but for a few switches",
                          {{{"switch", 0, 100}, &Random::switch_percent},
                           {{"spurious", 0, 99}, &Random::spurious_percent}}),
      Row<StarveStrategy>("starve", "random, and holds a thread back for long now and then",
                          {{{"starve", 0, 100}, &Starve::starve_percent},
                           {{"switch", 0, 100}, &Starve::switch_percent},
                           {{"spurious", 0, 99}, &Starve::spurious_percent}}),
      Row<PctStrategy>("pct", "random priorities that drop at a few random moments",
                       {{{"min_depth", 1, 100}, &Pct::min_depth},
                        {{"max_depth", 1, 100}, &Pct::max_depth},
                        {{"length", 1, 1'000'000'000}, &Pct::length},
                        {{"spurious", 0, 99}, &Pct::spurious_percent}}),
      Row<BufferedStrategy>("buffered", "random, and loads of atomics may read old values",
                            {{{"stale", 0, 100}, &Buffered::stale_percent},
                             {{"switch", 0, 100}, &Buffered::switch_percent},
                             {{"spurious", 0, 99}, &Buffered::spurious_percent}}),
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
