// Which failures of a run are minimized, where one defect makes a third of all Programs fail.
//
// After so many minimized failures without a new finding every second one is minimized, after as
// many again every fourth, and so on; a new finding halves the stride. The others are counted.

#pragma once

#include <algorithm>
#include <cstdint>

namespace twingrad::findings {

class Stride {
 public:
  // Whether the next failure is minimized.
  bool Takes() {
    if (++passed_over_ < stride_) return false;
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
};

}  // namespace twingrad::findings
