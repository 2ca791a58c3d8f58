#include "proptests/generators/range.h"

#include "gtest/gtest.h"

namespace twingrad::generators {
namespace {

using twingrad::program::Opcode;

TEST(Range, ProductsAddTheirWidths) {
  const Range a = {3, 0};
  const Range b = {4, -1};
  const Range product = AfterBinary(Opcode::kMul, a, b);
  EXPECT_EQ(product.high, 7);
  EXPECT_EQ(product.low, -1);
  EXPECT_TRUE(product.exact);
}

TEST(Range, SumsGrowByTheLogarithmOfTheirTerms) {
  EXPECT_EQ(AfterSum({2, 0}, 1).high, 2);
  EXPECT_EQ(AfterSum({2, 0}, 8).high, 5);
  EXPECT_EQ(AfterSum({2, 0}, 9).high, 6);
}

TEST(Range, DivisionByPowersOfTwoStaysExact) {
  const Range halves = {1, -1, true, true, true};
  EXPECT_TRUE(AfterBinary(Opcode::kDiv, {3, 0}, halves).exact);
  EXPECT_EQ(AfterBinary(Opcode::kDiv, {3, 0}, halves).high, 4);
  EXPECT_FALSE(AfterBinary(Opcode::kDiv, {3, 0}, {3, 0}).exact);
}

TEST(Range, SignsAreFollowed) {
  const Range positive = {1, 0, true, true, false};
  EXPECT_TRUE(AfterBinary(Opcode::kAdd, positive, positive).positive);
  EXPECT_FALSE(AfterBinary(Opcode::kSub, positive, positive).positive);
  EXPECT_FALSE(AfterUnary(Opcode::kNeg, positive).positive);
  EXPECT_TRUE(AfterUnary(Opcode::kExp, {2, 0}).positive);
  EXPECT_FALSE(AfterUnary(Opcode::kSin, positive).exact);
}

}  // namespace
}  // namespace twingrad::generators
