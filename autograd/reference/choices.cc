#include "autograd/reference/choices.h"

#include <array>
#include <limits>

namespace twingrad::reference {
namespace {

constexpr std::array<std::string_view, kNumKinks> kNames = {"relu at 0",
                                                            "abs at 0",
                                                            "sgn at 0",
                                                            "maximum at a tie",
                                                            "minimum at a tie",
                                                            "clamp at a limit",
                                                            "amax or amin at a tie",
                                                            "max or min at a tie",
                                                            "sort at a tie",
                                                            "norm of zeros",
                                                            "an undefined point"};

}  // namespace

std::string_view KinkName(Kink kink) { return kNames[static_cast<size_t>(kink)]; }

int32_t Choices::Digit(Kink kink, int32_t extremes) {
  const size_t at = points_.size();
  points_.push_back({kink, statement_, extremes});
  return at < digits_.size() ? digits_[at] : 0;
}

Slope Choices::Between(Kink kink, double low, double own, double high, bool near) {
  const bool between = with_own_ && low < own && own < high;
  const int32_t digit = Digit(kink, between ? 3 : 2);
  if (rule_ == Rule::kEnclosure) return {{(low + high) / 2, 0}, (high - low) / 2};
  if (rule_ == Rule::kVertex) return {{digit == 0 ? low : digit == 1 ? high : own, 0}};
  return {near ? Number{0, kUnknown} : Number{own, 0}};
}

Slope Choices::OfJump(bool near) {
  const int32_t digit = Digit(Kink::kSgn, 2);
  if (rule_ == Rule::kEnclosure) return {{std::numeric_limits<double>::quiet_NaN(), kUnknown}};
  if (rule_ == Rule::kVertex) return {{digit == 0 ? 0 : kUnknown, 0}};
  return {near ? Number{0, kUnknown} : Number{0, 0}};
}

int32_t Choices::OneOf(Kink kink, int32_t count, bool shared) {
  const int32_t digit = Digit(kink, shared && with_own_ ? count + 1 : count);
  if (rule_ == Rule::kEnclosure) return -2;
  if (rule_ == Rule::kVertex) return digit == count ? -1 : digit;
  return shared ? -1 : 0;
}

}  // namespace twingrad::reference
