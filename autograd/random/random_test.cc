// Random tensors: what a seed fixes, limits and moments, and what is refused. Bounds on moments are
// six standard errors of the fixed sample.

#include "autograd/random/random.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "autograd/base/error.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

std::vector<double> Numbers(const Tensor& a) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < a.numel(); ++i) {
    numbers.push_back(a.dtype() == DType::kF32 ? a.data<float>()[i] : a.data<double>()[i]);
  }
  return numbers;
}

TEST(Random, IsFixedBySeedAndPosition) {
  Generator a(7);
  Generator b(7);
  Generator other(8);
  const Tensor first = Uniform({3}, 0, 1, a);
  EXPECT_EQ(Numbers(first), Numbers(Uniform({3}, 0, 1, b)));
  EXPECT_NE(Numbers(first), Numbers(Uniform({3}, 0, 1, other)));
  EXPECT_EQ(a.position(), 2u);  // a block gives two numbers
  const Tensor second = Uniform({3}, 0, 1, a);
  EXPECT_NE(Numbers(first), Numbers(second));
  b.set_position(2);
  EXPECT_EQ(Numbers(second), Numbers(Uniform({3}, 0, 1, b)));
  // The first block of key 0 is the published 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
  Generator zero(0);
  const std::vector<double> unit = Numbers(Uniform({2}, 0, 1, zero));
  EXPECT_EQ(unit[0], static_cast<double>(0x6627e8d5e169c58d >> 11) * 0x1p-53);
  EXPECT_EQ(unit[1], static_cast<double>(0xbc57ac4c9b00dbd8 >> 11) * 0x1p-53);
}

TEST(Random, UniformStaysBelowItsUpperLimit) {
  Generator generator(1);
  const std::vector<double> numbers = Numbers(Uniform({20000}, -2, 3, generator));
  double sum = 0;
  for (double x : numbers) {
    EXPECT_GE(x, -2);
    EXPECT_LT(x, 3);
    sum += x;
  }
  EXPECT_NEAR(sum / 20000, 0.5, 6 * 5 / std::sqrt(12.0 * 20000));
  // One step apart: rounding would give the upper limit half of the time.
  for (double x : Numbers(Uniform({100}, 1, std::nextafter(1.0, 2.0), generator))) EXPECT_EQ(x, 1);
  const float above = std::nextafter(1.0f, 2.0f);
  for (double x : Numbers(Uniform({100}, 1, above, generator, DType::kF32))) EXPECT_EQ(x, 1);
}

TEST(Random, NormalHasItsMoments) {
  Generator generator(2);
  const int kCount = 40000;
  const Tensor sample = Normal({kCount}, 3, 2, generator);
  double sum = 0, squares = 0, fourth = 0;
  for (double x : Numbers(sample)) {
    const double z = (x - 3) / 2;
    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
  }
  const double error = 1 / std::sqrt(static_cast<double>(kCount));
  EXPECT_NEAR(sum / kCount, 0, 6 * error);
  EXPECT_NEAR(squares / kCount, 1, 6 * std::sqrt(2.0) * error);
  EXPECT_NEAR(fourth / kCount, 3, 6 * std::sqrt(96.0) * error);
  for (double x : Numbers(Normal({5}, 3, 0, generator, DType::kF32))) EXPECT_EQ(x, 3);
}

TEST(Random, PermutationsAreOrdersAndEquallyLikely) {
  Generator generator(3);
  std::map<std::vector<int64_t>, int> counts;
  for (int i = 0; i < 6000; ++i) ++counts[Permutation(3, generator)];
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [order, count] : counts) {
    EXPECT_TRUE(
        std::is_permutation(order.begin(), order.end(), std::vector<int64_t>{0, 1, 2}.begin()));
    EXPECT_NEAR(count, 1000, 6 * std::sqrt(6000 * 5.0 / 36));
  }
  EXPECT_TRUE(Permutation(0, generator).empty());
}

TEST(Random, RefusesWhatItCannotGive) {
  Generator g(1);
  const std::vector<std::pair<ErrorKind, std::function<void()>>> kWrong = {
      {ErrorKind::kDType, [&] { Uniform({1}, 0, 1, g, DType::kI64); }},
      {ErrorKind::kDType, [&] { Normal({1}, 0, 1, g, DType::kBool); }},
      {ErrorKind::kInvalidArgument, [&] { Uniform({1}, 1, 1, g); }},
      {ErrorKind::kInvalidArgument, [&] { Uniform({1}, -1e308, 1e308, g); }},
      {ErrorKind::kInvalidArgument, [&] { Normal({1}, 0, -1, g); }},
      {ErrorKind::kInvalidArgument, [&] { Normal({1}, NAN, 1, g); }},
      {ErrorKind::kInvalidArgument, [&] { Uniform({-1}, 0, 1, g); }},
      {ErrorKind::kInvalidArgument, [&] { Permutation(-1, g); }},
  };
  for (const auto& [kind, call] : kWrong) {
    try {
      call();
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
    }
  }
}

}  // namespace
}  // namespace twingrad
