// For tests: a Program from text, and what the ball witness says of its values by name.

#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/parse.h"
#include "autograd/reference/ball/ball.h"
#include "gtest/gtest.h"  // IWYU pragma: export

namespace twingrad::reference::ball {

class BallRun {
 public:
  explicit BallRun(std::string_view text) {
    auto parsed = program::Parse(absl::StrCat("twingrad 1\n", text));
    if (!parsed.ok()) throw std::invalid_argument(std::string(parsed.status().message()));
    program_ = *std::move(parsed);
    result_ = RunBall(program_);
  }

  const BallResult& result() const { return result_; }
  const std::vector<Enclosure>& Value(std::string_view name) const {
    return result_.values.at(Index(name)).elements;
  }
  const std::vector<Enclosure>& Grad(std::string_view name) const {
    return result_.grads.at(Index(name)).elements;
  }

 private:
  size_t Index(std::string_view name) const {
    const auto at = std::find(program_.names.begin(), program_.names.end(), name);
    if (at == program_.names.end()) throw std::invalid_argument(std::string(name));
    return static_cast<size_t>(at - program_.names.begin());
  }

  program::Program program_;
  BallResult result_;
};

// Each ball is as narrow as its 128 bits let one expect, and holds the number, which is known to
// `error` (0: it is exact).
inline void ExpectNumbers(const std::vector<Enclosure>& balls, const std::vector<double>& numbers,
                          std::string_view of, double error = 0) {
  ASSERT_EQ(balls.size(), numbers.size()) << of;
  for (size_t i = 0; i < balls.size(); ++i) {
    EXPECT_TRUE(balls[i].IsKnown()) << of << " element " << i;
    EXPECT_LE(balls[i].radius, 1e-25 * (1 + std::fabs(numbers[i]))) << of << " element " << i;
    EXPECT_LE(balls[i].Distance(numbers[i]), error * (1 + std::fabs(numbers[i])))
        << of << " element " << i << ": " << balls[i].nearest << " is not " << numbers[i];
  }
}

}  // namespace twingrad::reference::ball
