// The legal answers of Programs at kinks, by hand.

#include "autograd/reference/legal.h"

#include <cmath>
#include <string>
#include <vector>

#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

LegalAnswers Of(const std::string& text) { return FindLegalAnswers(ParseOrThrow(text)); }

// Of the first element of %x's .grad, the Program's first value.
void ExpectRange(const LegalAnswers& legal, double low, double high, size_t index = 0) {
  const LegalRange range = legal.RangeOf(0, true, index);
  ASSERT_TRUE(range.known);
  EXPECT_NEAR(range.low, low, 1e-12);
  EXPECT_NEAR(range.high, high, 1e-12);
  EXPECT_EQ(range.chosen, low != high);
}

constexpr const char* kX = "%x = leaf type=f64[] grad=1\n";

TEST(LegalTest, OneElementForEachNodeKeptInAllUses) {
  // relu(x) - relu(-x): two nodes.
  const LegalAnswers two = Of(std::string(kX) +
                              "%a = relu %x\n%n = neg %x\n%b = relu %n\n"
                              "%y = sub %a %b\nbackward %y\n");
  EXPECT_EQ(two.vertices.size(), 4u);
  ExpectRange(two, 0, 2);
  // relu(x) - relu(x): one node, used twice.
  ExpectRange(Of(std::string(kX) + "%a = relu %x\n%y = sub %a %a\nbackward %y\n"), 0, 0);
  ExpectRange(Of(std::string(kX) + "%a = abs %x\n%y = mul %a %a\nbackward %y\n"), 0, 0);
  ExpectRange(Of(std::string(kX) + "%y = maximum %x %x\nbackward %y\n"), 1, 1);
  ExpectRange(Of(std::string(kX) + "%y = abs %x\nbackward %y\n"), -1, 1);
  ExpectRange(Of(std::string(kX) + "%y = clamp %x min=0\nbackward %y\n"), 0, 1);
}

// What comes to a value in a call, and a .grad as the call leaves it.
TEST(LegalTest, WhatIsWatchedHasAnswersOfItsOwn) {
  const auto program = ParseOrThrow(std::string(kX) +
                                    "%v = mul %x %x\n%a = relu %v\n%t = add %a %v\n"
                                    "backward %t retain_graph=1\nbackward %a\n");
  const LegalAnswers legal = FindLegalAnswers(
      program, {}, std::vector<Watch>{{4, 1, false}, {5, 1, false}, {4, 0, true}, {3, 1, false}});
  const LegalRange first = legal.RangeOfWatched(0, 0), second = legal.RangeOfWatched(1, 0);
  EXPECT_TRUE(first.known && first.chosen);
  EXPECT_EQ(first.low, 1);
  EXPECT_EQ(first.high, 2);
  EXPECT_TRUE(second.known);
  EXPECT_EQ(second.low, 0);
  EXPECT_EQ(second.high, 1);
  EXPECT_TRUE(legal.RangeOfWatched(2, 0).known);
  EXPECT_EQ(legal.RangeOfWatched(2, 0).high, 0);
  EXPECT_FALSE(legal.RangeOfWatched(3, 0).known);  // of no call
  EXPECT_FALSE(legal.RangeOfWatched(0, 1).known);
  EXPECT_FALSE(legal.RangeOfWatched(4, 0).known);
  ExpectRange(legal, 0, 0);
}

// The form of exp's derivative decides what comes to its result, and a write makes it another.
TEST(LegalTest, WhatIsWatchedIsKnownWhereItIsAPropertyOfTheFunction) {
  const auto known = [](const std::string& text, const Watch& watch) {
    return FindLegalAnswers(ParseOrThrow(kX + text), {}, std::vector<Watch>{watch})
        .RangeOfWatched(0, 0)
        .known;
  };
  const std::string exp = "%v = exp %x\n%g = grad %v inputs=%x create_graph=1\nbackward %g\n";
  EXPECT_FALSE(known(exp, {3, 1, false}));
  EXPECT_TRUE(known(exp, {2, 1, false}));
  const std::string part = "%v = clone %x\n%y = mul %v %v\n";
  EXPECT_TRUE(known(part + "backward %y\n", {3, 1, false}));
  EXPECT_FALSE(known(part + "neg_ %v\nbackward %v\n", {4, 1, false}));
}

TEST(LegalTest, NothingIsChosenWhereAllIsSmooth) {
  const LegalAnswers legal = Of("%x = leaf type=f64[] data=2 grad=1\n%y = relu %x\nbackward %y\n");
  EXPECT_EQ(legal.vertices.size(), 1u);
  EXPECT_TRUE(legal.points.empty());
  ExpectRange(legal, 1, 1);
}

TEST(LegalTest, TiesGoToEachInTurn) {
  const std::string tied = "%x = leaf type=f64[3] data=2,2,1 grad=1\n";
  const LegalAnswers shares = Of(tied + "%y = amax %x\nbackward %y\n");
  EXPECT_EQ(shares.vertices.size(), 2u);
  ExpectRange(shares, 0, 1);
  ExpectRange(shares, 0, 0, 2);
  const LegalAnswers order =
      Of("%x = leaf type=f64[3] data=2,2,2 grad=1\n%p = sort %x dim=0\n"
         "%w = leaf type=f64[3] data=1,10,100\n%q = mul %p %w\n%y = sum %q\n"
         "backward %y\n");
  EXPECT_EQ(order.vertices.size(), 6u);
  ExpectRange(order, 1, 100);
  for (const DualResult& vertex : order.vertices) {
    const auto& g = vertex.grads[0].data;
    EXPECT_EQ(g[0] + g[1] + g[2], 111);
  }
}

// The extreme vectors of length 1 that are tried point along an axis; the node of the row beside
// them has its own direction.
TEST(LegalTest, NormsOfZerosHaveADirectionOrNone) {
  const LegalAnswers legal =
      Of("%x = leaf type=f64[2,2] data=0,0,3,4 grad=1\n%n = norm %x dims=1\n%y = sum %n\n"
         "backward %y\n");
  EXPECT_EQ(legal.vertices.size(), 4u);
  ExpectRange(legal, -1, 1, 0);
  ExpectRange(legal, -1, 1, 1);
  ExpectRange(legal, 0.6, 0.6, 2);
  for (const DualResult& vertex : legal.vertices) {
    const auto& g = vertex.grads[0].data;
    EXPECT_EQ(std::fabs(g[0]) + std::fabs(g[1]), 1);
  }
  // Of numbers that are equal the distances to their mean go nowhere in sum.
  const LegalAnswers spread =
      Of("%x = leaf type=f64[2] data=3,3 grad=1\n%y = std %x\nbackward %y\n");
  ASSERT_EQ(spread.vertices.size(), 4u);
  for (const DualResult& vertex : spread.vertices) {
    const auto& g = vertex.grads[0].data;
    EXPECT_NEAR(std::fabs(g[0]), std::sqrt(0.5) / 2, 1e-12);
    EXPECT_NEAR(g[0] + g[1], 0, 1e-12);
  }
}

// 7 kinks have 128 combinations; each element has its own all the same.
TEST(LegalTest, TooManyCombinationsAreEnclosed) {
  const LegalAnswers legal =
      Of("%x = leaf type=f64[8] data=0,0,0,0,0,0,0,3 grad=1\n%w = leaf type=f64[8] "
         "data=1,2,3,4,5,6,7,8\n%r = relu %x\n%p = mul %r %w\n%y = sum %p\n"
         "backward %y\n");
  EXPECT_TRUE(legal.enclosed);
  EXPECT_EQ(legal.points.size(), 7u);
  ExpectRange(legal, 0, 1, 0);
  ExpectRange(legal, 0, 7, 6);
  ExpectRange(legal, 8, 8, 7);
}

// Within the bound of a number both sides are legal.
TEST(LegalTest, RoundingMayDecideTheSide) {
  ExpectRange(Of("%x = leaf type=f64[] data=1 grad=1\n%s = sin %x\n%d = sub %s %s\n%b = add %d %x\n"
                 "%c = sub %b %x\n%y = relu %c\nbackward %y\n"),
              0, 0);
  const LegalAnswers legal =
      Of("%x = leaf type=f64[] data=1 grad=1\n%d = detach %x\n%s = sin %x\n"
         "%t = sin %d\n%c = sub %s %t\n%y = relu %c\nbackward %y\n");
  ExpectRange(legal, 0, std::cos(1.0));
}

TEST(LegalTest, WhichPointsAreMetMayDependOnAChoice) {
  const std::string nested = std::string(kX) +
                             "%y = relu %x\n%g = grad %y inputs=%x create_graph=1\n"
                             "%z = leaf type=f64[] data=1 grad=1\n%t = mul %g %z\n%u = relu %t\n"
                             "backward %u inputs=%z\n";
  EXPECT_TRUE(Of(nested).nested);
}

TEST(LegalTest, SaysWhyNothingIsKnown) {
  EXPECT_NE(Of("%x = leaf type=f64[] data=1\n%e = expand %x shape=2,3\n%r = reshape %e shape=6\n"
               "%d = detach %r\nneg_ %d\n")
                .not_known,
            "");
  const LegalAnswers undefined =
      Of("%x = leaf type=f64[] grad=1\n%a = leaf type=f64[]\n%y = pow %a %x\nbackward %y\n");
  EXPECT_EQ(undefined.points.size(), 1u);
  EXPECT_FALSE(undefined.RangeOf(0, true, 0).known);
}

// An infinite slope is one; 0 times it is 0, or NaN.
TEST(LegalTest, InfiniteSlopes) {
  const LegalRange root = Of(std::string(kX) + "%y = sqrt %x\nbackward %y\n").RangeOf(0, true, 0);
  EXPECT_TRUE(root.known);
  EXPECT_EQ(root.low, HUGE_VAL);
  EXPECT_FALSE(root.or_nan);
  const LegalAnswers closed =
      Of("%x = leaf type=f64[] data=-1 grad=1\n%r = relu %x\n%y = sqrt %r\n"
         "backward %y\n");
  ExpectRange(closed, 0, 0);
  EXPECT_TRUE(closed.RangeOf(0, true, 0).or_nan);
  // sqrt(x^2) is abs, which 0 times infinity does not tell.
  EXPECT_FALSE(Of(std::string(kX) + "%q = mul %x %x\n%y = sqrt %q\nbackward %y\n")
                   .RangeOf(0, true, 0)
                   .known);
}

}  // namespace
}  // namespace twingrad::reference
