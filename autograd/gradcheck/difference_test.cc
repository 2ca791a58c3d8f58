// Differences: errors stay within their bounds, kinks and jumps are seen, edges
// of the domain too.

#include "autograd/gradcheck/difference.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "gtest/gtest.h"

namespace twingrad {
namespace {

using State = Difference::State;

Difference Of(const std::function<double(double)>& f, double x) {
  return Differentiate([&](double at, double* y) { y[0] = f(at); }, x, 1)[0];
}

TEST(Difference, FindsSlopesWithinTheirErrors) {
  struct Case {
    std::function<double(double)> f;
    double x;
    double slope;
  };
  const Case kCases[] = {
      {[](double x) { return std::sin(x); }, 1, std::cos(1)},
      {[](double x) { return x * x * x; }, 0, 0},
      {[](double x) { return 7 * x; }, 1e6, 7},
      {[](double x) { return std::exp(x); }, 5, std::exp(5)},
      {[](double x) { return std::log(x); }, 0.01, 100},
      {[](double x) { return std::sqrt(x); }, 1e-3, 0.5 / std::sqrt(1e-3)},
      {[](double x) { return 1 / x; }, -300, -1.0 / 90000},
      {[](double) { return 3; }, 2, 0},
      {[](double x) { return std::tanh(10 * x); }, 0.1, 10 / std::pow(std::cosh(1), 2)},
      {[](double x) { return std::abs(x); }, 0.001, 1},  // a kink within the larger steps
      {[](double x) { return 1e10 + x; }, 0, 1},         // rounded at every step
  };
  for (const Case& c : kCases) {
    const Difference d = Of(c.f, c.x);
    EXPECT_EQ(d.state, State::kSmooth) << c.x << " " << c.slope << " " << d.left << " " << d.right;
    EXPECT_LE(std::abs(d.slope - c.slope), 4 * d.error + 1e-300) << c.x << " " << c.slope;
  }
  EXPECT_LT(Of([](double x) { return std::sin(x); }, 1).error, 1e-10);
}

TEST(Difference, SeesKinksAndJumps) {
  const Difference kink = Of([](double x) { return std::abs(x); }, 0);
  EXPECT_EQ(kink.state, State::kKink);
  EXPECT_EQ(kink.left, -1);
  EXPECT_EQ(kink.right, 1);
  EXPECT_EQ(Of([](double x) { return std::max(x, 2.0); }, 2).state, State::kKink);
  EXPECT_EQ(Of([](double x) { return std::floor(x); }, 2).state, State::kKink);
  // Smooth where its slope is 0 from both sides.
  EXPECT_EQ(Of([](double x) { return x * std::abs(x); }, 0).state, State::kSmooth);
}

TEST(Difference, IsUnclearWhereThereAreNoValues) {
  EXPECT_EQ(Of([](double x) { return std::sqrt(x); }, 0).state, State::kUnclear);
  EXPECT_EQ(Of([](double) { return NAN; }, 0).state, State::kUnclear);
  EXPECT_EQ(Of([](double x) { return 1 / x; }, 0).state, State::kUnclear);
}

TEST(Difference, TakesEveryOutput) {
  const auto d = Differentiate(
      [](double x, double* y) {
        y[0] = x * x;
        y[1] = std::abs(x - 1);
      },
      1, 2);
  EXPECT_NEAR(d[0].slope, 2, 1e-10);
  EXPECT_EQ(d[1].state, State::kKink);
}

}  // namespace
}  // namespace twingrad
