// What is taken at a kink, by the rule of the run.

#include "autograd/reference/choices.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using Rule = Choices::Rule;

TEST(ChoicesTest, OwnSlopesAreThisRepositorys) {
  Choices own(Rule::kOwn);
  own.Enter(3);
  EXPECT_EQ(own.Between(Kink::kAbs, -1, 0, 1).value.v, 0);
  EXPECT_EQ(own.Between(Kink::kAbs, -1, 0, 1, /*near=*/true).value.e, kUnknown);
  EXPECT_EQ(own.OfJump(false).value.v, 0);
  EXPECT_EQ(own.OneOf(Kink::kExtreme, 3, /*shared=*/true), -1);
  EXPECT_EQ(own.OneOf(Kink::kPick, 3, /*shared=*/false), 0);
  own.NoteUndefined();
  EXPECT_EQ(own.points(), (std::vector<KinkPoint>{{Kink::kAbs, 3, 2},
                                                  {Kink::kAbs, 3, 2},
                                                  {Kink::kSgn, 3, 2},
                                                  {Kink::kExtreme, 3, 3},
                                                  {Kink::kPick, 3, 3},
                                                  {Kink::kUndefined, 3, 1}}));
}

TEST(ChoicesTest, DigitsNameExtremeSlopes) {
  Choices vertex(Rule::kVertex, {1, 0, 2, 1, 3}, /*with_own=*/true);
  EXPECT_EQ(vertex.Between(Kink::kAbs, -1, 0, 1).value.v, 1);
  EXPECT_EQ(vertex.Between(Kink::kRelu, 0, 0, 1).value.v, 0);
  // Its own counts as extreme where it lies between.
  EXPECT_EQ(vertex.Between(Kink::kMaximum, 0, 0.5, 1).value.v, 0.5);
  EXPECT_EQ(vertex.OfJump(false).value.v, HUGE_VAL);
  EXPECT_EQ(vertex.OneOf(Kink::kExtreme, 3, /*shared=*/true), -1);
  EXPECT_EQ(vertex.OneOf(Kink::kPick, 2, /*shared=*/false), 0);  // beyond the digits
  EXPECT_EQ(vertex.points()[1].extremes, 2);
  EXPECT_EQ(vertex.points()[2].extremes, 3);
  EXPECT_EQ(vertex.points()[4].extremes, 4);
}

TEST(ChoicesTest, AnEnclosureHoldsAll) {
  Choices all(Rule::kEnclosure);
  const Slope slope = all.Between(Kink::kAbs, -1, 0, 1);
  EXPECT_EQ(slope.value.v - slope.spread, -1);
  EXPECT_EQ(slope.value.v + slope.spread, 1);
  EXPECT_EQ(all.OneOf(Kink::kPick, 2, false), -2);
  EXPECT_TRUE(std::isnan(all.OfJump(false).value.v));
}

TEST(ChoicesTest, EachKinkHasAName) {
  for (int kink = 0; kink < kNumKinks; ++kink) {
    EXPECT_FALSE(KinkName(static_cast<Kink>(kink)).empty()) << kink;
  }
}

}  // namespace
}  // namespace twingrad::reference
