// The table of named strategies. Command lines, schedule files, help texts, error messages, the
// mixed strategy and the tests read it.
//
//   absl::StatusOr<std::unique_ptr<Strategy>> strategy =
//   MakeStrategy("pct:max_depth=5,spurious=0");
//
// A new strategy is a class in NAME_strategy.h with a `struct Parameters`, and a row in
// strategies.cc. Its name() must return a text from which MakeStrategy makes a strategy that
// repeats the last execution when given the same seed; strategies_test checks this for each row.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

// Takes all other strategies of the table in turns; the default of `oracle explore`.
inline constexpr std::string_view kDefaultStrategy = "mixed";

struct StrategyParameter {
  std::string_view name;
  int lowest = 0;
  int highest = 0;
};

struct StrategyRow {
  // One entry per parameter; nullopt: the strategy's own default.
  using Values = std::vector<std::optional<int>>;

  std::string_view name;
  std::string_view about;  // a few words
  std::vector<StrategyParameter> parameters;
  std::function<std::unique_ptr<Strategy>(const Values& values)> make;
};

// The default one comes first.
const std::vector<StrategyRow>& Strategies();

// From `NAME` or `NAME:PARAMETER=NUMBER,...`.
absl::StatusOr<std::unique_ptr<Strategy>> MakeStrategy(std::string_view text);
std::unique_ptr<Strategy> MakeDefaultStrategy();
// One strategy per row with default parameters, in the order of the table, without `mixed`.
std::vector<std::unique_ptr<Strategy>> MakeEachStrategy();

// "mixed (the next ones in turns), random, ...": for help texts and error messages.
std::string_view StrategyNames();

}  // namespace twingrad::interleave
