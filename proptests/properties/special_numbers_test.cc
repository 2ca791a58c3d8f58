// The special numbers come first; others come in all sizes, and beside what they are asked for.

#include "proptests/properties/special_numbers.h"

#include <cmath>
#include <cstddef>

#include "autograd/base/float_format.h"
#include "gtest/gtest.h"

namespace twingrad::properties {
namespace {

TEST(SpecialNumbers, BeginWithEachOfThem) {
  for (const DType type : {DType::kF64, DType::kF32, DType::kF16, DType::kBF16}) {
    SpecialNumbers numbers(type, 1);
    int zeros = 0, infinities = 0, nans = 0, subnormals = 0;
    for (size_t i = 0; i < numbers.all().size(); ++i) {
      const double x = numbers.Next();
      zeros += x == 0 ? 1 : 0;
      infinities += std::isinf(x) ? 1 : 0;
      nans += std::isnan(x) ? 1 : 0;
      subnormals += std::fabs(x) > 0 && std::fabs(x) < FormatOf(type).smallest_normal;
    }
    EXPECT_EQ(zeros, 2);
    EXPECT_EQ(infinities, 2);
    EXPECT_EQ(nans, 1);
    EXPECT_EQ(subnormals, type == DType::kF16 ? 6 : 4);
  }
}

TEST(SpecialNumbers, FitTheType) {
  for (const DType type : {DType::kF32, DType::kF16, DType::kBF16}) {
    SpecialNumbers numbers(type, 1);
    for (int i = 0; i < 5000; ++i) {
      EXPECT_TRUE(IsRepresentable(numbers.Beside(numbers.Next()), FormatOf(type)));
    }
  }
}

TEST(SpecialNumbers, HaveTiesAndNeighbours) {
  SpecialNumbers numbers(DType::kF64, 1);
  int ties = 0, opposites = 0, neighbours = 0;
  for (int i = 0; i < 1000; ++i) {
    const double x = numbers.Beside(1.5);
    ties += x == 1.5 ? 1 : 0;
    opposites += x == -1.5 ? 1 : 0;
    neighbours += x != 1.5 && std::fabs(x - 1.5) < 1e-14 ? 1 : 0;
  }
  EXPECT_GT(ties, 50);
  EXPECT_GT(opposites, 50);
  EXPECT_GT(neighbours, 50);
}

}  // namespace
}  // namespace twingrad::properties
