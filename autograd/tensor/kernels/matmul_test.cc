#include "autograd/tensor/kernels/matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/tensor/kernels/test_values.h"

namespace twingrad::kernels {
namespace {

TEST(Matmul, Matrices) {
  const Tensor a = Make<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Make<double>({3, 2}, {1, 0, 0, 1, 1, 1});
  EXPECT_EQ(Elements<double>(Matmul(a, b)), (Doubles{4, 5, 10, 11}));
  EXPECT_EQ(Elements<double>(Matmul(a, Transposed(a))), (Doubles{14, 32, 32, 77}));
}

TEST(Matmul, Vectors) {
  const Tensor m = Make<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor x = Make<double>({3}, {1, 1, 1}), y = Make<double>({2}, {1, 10});
  EXPECT_EQ(Elements<double>(Matmul(m, x)), (Doubles{6, 15}));
  EXPECT_EQ(SizesOf(Matmul(m, x)), (Integers{2}));
  EXPECT_EQ(Elements<double>(Matmul(y, m)), (Doubles{41, 52, 63}));
  EXPECT_EQ(Elements<double>(Matmul(x, x)), (Doubles{3}));
  EXPECT_TRUE(SizesOf(Matmul(x, x)).empty());
}

TEST(Matmul, BatchesBroadcast) {
  const Tensor a = Make<double>({2, 1, 1, 2}, {1, 2, 3, 4});
  const Tensor b = Make<double>({3, 2, 1}, {1, 0, 0, 1, 1, 1});
  const Tensor c = Matmul(a, b);
  EXPECT_EQ(SizesOf(c), (Integers{2, 3, 1, 1}));
  EXPECT_EQ(Elements<double>(c), (Doubles{1, 2, 3, 3, 4, 7}));
  EXPECT_EQ(SizesOf(Matmul(Make<double>({2}, {1, 1}), b)), (Integers{3, 1}));
}

TEST(Matmul, EmptyInnerDimensionGivesZeros) {
  const Tensor c = Matmul(Make<double>({2, 0}, {}), Make<double>({0, 2}, {}));
  EXPECT_EQ(Elements<double>(c), (Doubles{0, 0, 0, 0}));
  EXPECT_EQ(Matmul(Make<double>({0, 2}, {}), Make<double>({2, 2}, {1, 2, 3, 4})).numel(), 0);
}

// Rules: R1.
TEST(Matmul, IntegersWrap) {
  const int64_t max = std::numeric_limits<int64_t>::max();
  const Tensor c = Matmul(Make<int64_t>({1, 2}, {max, max}), Make<int64_t>({2, 1}, {1, 1}));
  EXPECT_EQ(Elements<int64_t>(c), (Integers{-2}));
}

// Large products go another way; with small integers every order gives the same bits.
TEST(Matmul, LargeProductsMatchSmallOnes) {
  constexpr int64_t kSize = 33;
  std::vector<double> x, y;
  for (int64_t i = 0; i < kSize * kSize; ++i) {
    x.push_back(static_cast<double>((i * 7) % 9 - 4));
    y.push_back(static_cast<double>((i * 5) % 11 - 5));
  }
  const Tensor a = Tensor::FromData<double>({kSize, kSize}, x);
  const Tensor b = Tensor::FromData<double>({kSize, kSize}, y);
  const auto at = [](const std::vector<double>& m, int64_t i, int64_t j, bool transposed) {
    return transposed ? m[j * kSize + i] : m[i * kSize + j];
  };
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const Doubles c = Elements<double>(Matmul(ta ? Transposed(a) : a, tb ? Transposed(b) : b));
      for (int64_t i = 0; i < kSize; ++i) {
        for (int64_t j = 0; j < kSize; ++j) {
          double sum = 0;
          for (int64_t k = 0; k < kSize; ++k) sum += at(x, i, k, ta) * at(y, k, j, tb);
          ASSERT_EQ(c[i * kSize + j], sum) << i << "," << j << " " << ta << tb;
        }
      }
    }
  }
}

// What a triangle leaves out is NaN, in both operands.
TEST(Matmul, TrianglesReadNothingElse) {
  const Tensor lower = Make<double>({3, 2}, {1, kNan, 2, 3, 4, 5});
  const Tensor b = Make<double>({2, 2}, {6, 7, 8, 9});
  EXPECT_EQ(Elements<double>(TriangularMatmul(lower, b, false)), (Doubles{6, 7, 36, 41, 64, 73}));
  const Tensor hidden = Make<double>({2, 2}, {6, 7, kNan, kNan});
  const Doubles seen = Elements<double>(TriangularMatmul(lower, hidden, false));
  EXPECT_EQ((Doubles{seen[0], seen[1]}), (Doubles{6, 7}));
  EXPECT_TRUE(std::isnan(seen[2]));
  // The transposed one: row r from column r on.
  const Tensor c = Make<double>({3, 1}, {kNan, 1, 10});
  const Doubles across = Elements<double>(TriangularMatmul(Transposed(lower), c, true));
  EXPECT_TRUE(std::isnan(across[0]));
  EXPECT_EQ(across[1], 53);
  const Tensor wide = Make<float>({2, 1, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor tall = Make<float>({2, 3, 1}, {1, 10, 100, 1, 10, 100});
  EXPECT_EQ(Elements<float>(TriangularMatmul(wide, tall, false)), (std::vector<float>{1, 4}));
  EXPECT_EQ(Elements<float>(TriangularMatmul(wide, tall, true)), (std::vector<float>{321, 654}));
  EXPECT_EQ(TriangularMatmul(Make<double>({0, 2}, {}), b, false).numel(), 0);
  EXPECT_THROW(TriangularMatmul(lower, c, false), Error);
}

TEST(Matmul, RefusesShapesThatDoNotFit) {
  const Tensor a = Make<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THROW(Matmul(a, a), Error);
  EXPECT_THROW(Matmul(a, Tensor::Scalar(1)), Error);
  EXPECT_THROW(Matmul(a, Make<int64_t>({3}, {1, 2, 3})), Error);
}

}  // namespace
}  // namespace twingrad::kernels
