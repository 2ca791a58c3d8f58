// For tests: a Program from text, and what the ball witness says of its values by name.

#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/parse.h"
#include "autograd/reference/ball/ball.h"
#include "gtest/gtest.h"  // IWYU pragma: export

namespace twingrad::reference::ball {

// A leaf of three numbers.
inline constexpr char kX[] = "%x = leaf type=f64[3] data=1,2,3 grad=1\n";

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
  bool KnowsGrad(std::string_view name) const { return result_.grads.at(Index(name)).known; }

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

inline constexpr double kError = 1e-14;  // of closed forms in f64

// y, y', y'' and y''' at x, where `op` is what comes behind `%y =`.
inline void ExpectDerivatives(const std::string& op, double x, const std::vector<double>& expected,
                              double error = kError) {
  const BallRun run(absl::StrCat("%x = leaf type=f64[] data=", x, " grad=1\n%y = ", op,
                                 "\n%d = grad %y inputs=%x create_graph=1\n"
                                 "%e = grad %d inputs=%x create_graph=1 materialize=1\n"
                                 "backward %e\n"));
  ASSERT_EQ(run.result().refusal, Refusal::kNone) << op;
  EXPECT_EQ(run.result().order, 3);
  ExpectNumbers(run.Value("y"), {expected[0]}, op, error);
  ExpectNumbers(run.Value("d"), {expected[1]}, op, error);
  ExpectNumbers(run.Value("e"), {expected[2]}, op, error);
  ExpectNumbers(run.Grad("x"), {expected[3]}, op, error);
}

// Of each f(a, b) the first derivatives, and the mixed one as the gradient of da with respect to b.
inline void ExpectMixed(const std::string& op, double a, double b, double da, double db,
                        double dadb, double error = kError) {
  const BallRun run(absl::StrCat("%a = leaf type=f64[] data=", a, " grad=1\n",
                                 "%b = leaf type=f64[] data=", b, " grad=1\n%y = ", op,
                                 " %a %b\n%da,%db = grad %y inputs=%a,%b create_graph=1\n"
                                 "backward %da\n"));
  ASSERT_EQ(run.result().refusal, Refusal::kNone) << op;
  ExpectNumbers(run.Value("da"), {da}, op, error);
  ExpectNumbers(run.Value("db"), {db}, op, error);
  ExpectNumbers(run.Grad("b"), {dadb}, op, error);
}

// One gradient of sum(weights * op), at points where it is unique.
struct LinearCase {
  std::string leaves;  // %x and what else there is
  std::string op;
  std::string weights;  // of the result: a leaf's type and data
  std::vector<double> value;
  std::vector<double> gradient;  // to %x
};

inline void ExpectLinear(const LinearCase& c) {
  const BallRun run(absl::StrCat(c.leaves, "%r = ", c.op, "\n%w = leaf type=", c.weights,
                                 "\n%p = mul %r %w\n%s = sum %p\nbackward %s\n"));
  ASSERT_EQ(run.result().refusal, Refusal::kNone) << c.op;
  ExpectNumbers(run.Value("r"), c.value, c.op);
  ExpectNumbers(run.Grad("x"), c.gradient, c.op);
}

inline constexpr char kMatrix[] = "%x = leaf type=f64[2,3] data=3,1,2,6,5,4 grad=1\n";

}  // namespace twingrad::reference::ball
