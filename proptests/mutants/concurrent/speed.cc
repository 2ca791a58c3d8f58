#include "proptests/mutants/concurrent/speed.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace twingrad::mutants {

int JudgeSpeed(std::string_view name, std::string_view by, std::vector<double> seconds) {
  constexpr double kMedianSeconds = 2;
  constexpr double kMostSeconds = 10;
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  const bool is_quick = median < kMedianSeconds && seconds.back() < kMostSeconds;
  absl::PrintF("%s: by %s found in %.3f s in the median of %d seeds, in %.3f s at worst: %s\n",
               name, by, median, seconds.size(), seconds.back(),
               is_quick ? "quick enough" : "TOO SLOW, it may take 2 s and 10 s");
  return is_quick ? 0 : 1;
}

}  // namespace twingrad::mutants
