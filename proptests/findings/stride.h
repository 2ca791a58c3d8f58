// Which failures of a run are minimized, where one defect makes a third of all Programs fail.
//
// After so many minimized failures without a new finding every second one is minimized, after as
// many again every fourth, and so on; a new finding halves the stride. The others are counted. The
// first failure that looks like none before is always minimized.

#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace twingrad::findings {

// By which failures are told apart before they are minimized: the oracle, whether NaN was seen, and
// the circumstances that the verdict names.
inline std::string LooksOf(std::string_view oracle, std::string_view verdict) {
  std::string looks(oracle);
  for (const std::string_view line : absl::StrSplit(verdict, '\n')) {
    const bool tells = line == "  actual   nan" || absl::StartsWith(line, "  circumstance: ");
    if (tells) absl::StrAppend(&looks, "\n", line);
  }
  return looks;
}

class Stride {
 public:
  // Whether the next failure is minimized.
  bool Takes(const std::string& looks) {
    const bool is_new = looks_.insert(looks).second;
    if (++passed_over_ < stride_ && !is_new) return false;
    passed_over_ = 0;
    return true;
  }
  // It was; `news`: into a finding that was not known.
  void Minimized(bool news) {
    if (news) {
      stride_ = std::max(stride_ / 2, uint64_t{1});
      without_news_ = 0;
    } else if (++without_news_ == kEnough) {
      stride_ *= 2;
      without_news_ = 0;
    }
  }

 private:
  static constexpr uint64_t kEnough = 32;
  uint64_t stride_ = 1;
  uint64_t without_news_ = 0;  // since the last new finding or change of stride
  uint64_t passed_over_ = 0;   // since the last that was minimized
  std::set<std::string> looks_;
};

}  // namespace twingrad::findings
