#include "proptests/interleave/strategies/buffered_strategy.h"

#include "absl/strings/str_cat.h"

namespace twingrad::interleave {

std::string BufferedStrategy::name() const {
  return absl::StrCat("buffered:stale=", parameters_.stale_percent,
                      ",switch=", parameters_.switch_percent,
                      ",spurious=", parameters_.spurious_percent);
}

}  // namespace twingrad::interleave
