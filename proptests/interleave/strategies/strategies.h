// Strategies by name, as on command lines and in schedule files.
//
//   absl::StatusOr<std::unique_ptr<Strategy>> strategy = MakeStrategy("pct:max_depth=5");
//
//   random   switch= spurious=                               percent
//   starve   starve= switch= spurious=                       percent
//   pct      min_depth= max_depth= length= spurious=         a length that is given does not grow
//   mixed                                                    the three in turns
//
// What a strategy calls itself (Strategy::name) makes one that repeats its last execution from the
// same seed.
#ifndef PROPTESTS_INTERLEAVE_STRATEGIES_STRATEGIES_H_
#define PROPTESTS_INTERLEAVE_STRATEGIES_STRATEGIES_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "proptests/interleave/strategies/strategy.h"

namespace twingrad::interleave {

absl::StatusOr<std::unique_ptr<Strategy>> MakeStrategy(std::string_view name);

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_STRATEGIES_STRATEGIES_H_
