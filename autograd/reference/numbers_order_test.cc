// Numbers that engines may add up, multiply and regroup in any order.

#include <limits>
#include <vector>

#include "autograd/reference/numbers.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

constexpr const FloatFormat& kDouble = kF64Format;
constexpr const FloatFormat& kSingle = kF32Format;
constexpr double kEndless = std::numeric_limits<double>::infinity();

// (3 + u) * 2 is exact where 3 * 2 + u * 2 is; else the bound holds what the products round.
TEST(NumbersTest, RegroupedTerms) {
  const auto sum = [](double a, double b) {
    return Regrouped(Add({a, 0}, {b, 0}, kDouble), {a, 0}, {b, 0}, /*sums=*/true, false, kDouble);
  };
  const auto product = [](double a, double b, bool may_underflow) {
    return Regrouped(Multiply({a, 0}, {b, 0}, kDouble), {a, 0}, {b, 0}, false, may_underflow,
                     kDouble);
  };
  EXPECT_EQ(sum(3, -2).e, 0);
  EXPECT_EQ(product(3, -7, false).e, 0);
  EXPECT_GE(sum(1 + 0x1p-52, -1).e, 0x1p-52);  // 3 times each term rounds
  EXPECT_GT(product(1 + 0x1p-52, 2, false).e, 0);
  EXPECT_EQ(product(0x1p-40, 3, false).e, 0);
  EXPECT_GE(product(0x1p-40, 3, true).e, 3 * 0x1p-1074);  // the other factors may underflow first
}

Number Sum(const std::vector<double>& terms, const FloatFormat& f) {
  SumInAnyOrder sum(f);
  for (const double t : terms) sum.Add({t, 0});
  return sum.Total();
}

TEST(SumInAnyOrderTest, ExactWhereEveryOrderIs) {
  EXPECT_EQ(Sum({}, kSingle).v, 0);
  EXPECT_EQ(Sum({1, -2, 3, 0.5}, kSingle).e, 0);
  EXPECT_EQ(Sum({1e8, -1e8, 64}, kSingle).e, 0);  // all multiples of 64
  EXPECT_GT(Sum({1e8, 1, -1e8}, kSingle).e, 1);   // 0 or 1, by the order
  EXPECT_EQ(Sum({1e8, 1, -1e8}, kDouble).e, 0);
  EXPECT_EQ(Sum({0x1p51, 0.5}, kDouble).e, 0);
  EXPECT_GT(Sum({0x1p52, 0.5}, kDouble).e,
            0);  // of 54 digits, which 0x1p52 in a sum of sizes hides
  EXPECT_EQ(Sum({kEndless, 1, 2}, kDouble).e, 0);
  EXPECT_EQ(Sum({3e38, 3e38, -3e38}, kSingle).e, kUnknown);  // overflows in some order
}

}  // namespace
}  // namespace twingrad::reference
