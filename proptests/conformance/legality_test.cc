// Rulings on elements that differ from the twin's, beyond what foreign_judge_test shows of whole
// Programs.

#include "proptests/conformance/legality.h"

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "proptests/conformance/testing_engines.h"

namespace twingrad::conformance {
namespace {

using twingrad::reference::FindLegalAnswers;
using twingrad::reference::Kink;
using twingrad::reference::RunTwin;

struct Ruled {
  Differences differences;
  Ruling ruling;
};

// Where the first value's .grad is this.
Ruled RuleOnGrad(const std::string& statements, const std::vector<double>& grad) {
  const auto program = Parsed(statements);
  const auto twin = RunTwin(program);
  auto observed = twin.observation;
  for (size_t i = 0; i < grad.size(); ++i) {
    observed.values[0].grad.bits.at(i) = std::bit_cast<uint64_t>(grad[i]);
  }
  Ruled ruled{FindDifferences(twin, observed), {}};
  ruled.ruling = RuleOn(program, twin, observed, ruled.differences, FindLegalAnswers(program));
  return ruled;
}

constexpr const char* kMixed =
    "%x = leaf type=f64[3] data=0,-1,2 grad=1\n%r = relu %x\n%y = sum %r\nbackward %y\n";

TEST(LegalityTest, ElementsAreRuledOnOneByOne) {
  const Ruled none = RuleOnGrad(kMixed, {0, 0, 1});
  EXPECT_TRUE(none.differences.empty());
  const Ruled two = RuleOnGrad(kMixed, {1, 1, 1});
  ASSERT_EQ(two.differences.size(), 2u);
  EXPECT_EQ(two.differences[1].index, 1u);
  EXPECT_EQ(two.ruling.fates, (std::vector<Fate>{Fate::kConvention, Fate::kWrong}));
}

TEST(LegalityTest, KinksThatWereTakenAreNamed) {
  const Ruled ruled = RuleOnGrad(
      "%x = leaf type=f64[2] data=0,3 grad=1\n%r = relu %x\n%z = leaf type=f64[2] data=0,1 grad=1\n"
      "%a = abs %z\n%p = add %r %a\n%y = sum %p\nbackward %y\n",
      {1, 1});
  EXPECT_TRUE(ruled.ruling.taken[static_cast<size_t>(Kink::kRelu)]);
  EXPECT_FALSE(ruled.ruling.taken[static_cast<size_t>(Kink::kAbs)]);
  EXPECT_FALSE(ruled.ruling.enclosed);
}

TEST(LegalityTest, ElementsThatAreAsTheTwinsAreHeldToTheSameChoice) {
  const std::string tie = "%x = leaf type=f64[2] data=3,3 grad=1\n%y = amax %x\nbackward %y\n";
  EXPECT_EQ(RuleOnGrad(tie, {1, 0}).ruling.fates, std::vector<Fate>(2, Fate::kConvention));
  EXPECT_EQ(RuleOnGrad(tie, {0.5, 0.75}).ruling.fates, std::vector<Fate>{Fate::kWrong});
}

// The order of four equal numbers has 24 choices, in which an enclosure loses that each is taken
// once.
TEST(LegalityTest, WhatAnEnclosureCannotTellIsNotJudged) {
  const std::string tie =
      "%x = leaf type=f64[4] data=1,1,-1,-1 grad=1\n%c = clamp %x min=-1\n%a = abs %c\n"
      "%s = sort %a dim=0\n%y = sum %s\nbackward %y\n";
  EXPECT_EQ(RuleOnGrad(tie, {1, 1, -1, -1}).ruling.fates, std::vector<Fate>(2, Fate::kNotJudged));
  EXPECT_EQ(RuleOnGrad(tie, {1, 1, -100, 0}).ruling.fates, std::vector<Fate>{Fate::kWrong});
}

// An engine in f32 rounds as f32 does, at the other slope too.
// A second derivative of 1e16 beside it, of which the witness knows 2 less.
TEST(LegalityTest, WhatTheWitnessIsNotCertainOfIsNotJudged) {
  const std::string corner =
      "%z = leaf type=f64[] data=0 grad=1\n%x = leaf type=f64[] data=1 grad=1\n"
      "%l = smooth_l1_loss %x %z\n%b = leaf type=f64[] data=100000000\n%m = mul %x %b\n"
      "%q = mul %m %m\n%g = grad %q inputs=%x create_graph=1\nbackward %g\n"
      "%h = grad %l inputs=%z create_graph=1\nbackward %h\n";
  EXPECT_EQ(RuleOnGrad(corner, {1}).ruling.fates, std::vector<Fate>{Fate::kNotJudged});
  EXPECT_EQ(RuleOnGrad(corner, {-1}).ruling.fates, std::vector<Fate>{Fate::kWrong});
  EXPECT_EQ(RuleOnGrad(corner, {2}).ruling.fates, std::vector<Fate>{Fate::kWrong});
}

TEST(LegalityTest, OtherChoicesHaveRoundingsOfTheirOwn) {
  const std::string single =
      "%x = leaf type=f32[] data=0 grad=1\n%w = leaf type=f32[] data=0x1.99999ap-4\n%r = relu %x\n"
      "%p = mul %r %w\n%q = mul %p %w\nbackward %q\n";
  const double square = 0x1.99999ap-4 * 0x1.99999ap-4;
  EXPECT_EQ(RuleOnGrad(single, {static_cast<double>(static_cast<float>(square))}).ruling.fates,
            std::vector<Fate>{Fate::kConvention});
  EXPECT_EQ(RuleOnGrad(single, {square * 1.01}).ruling.fates, std::vector<Fate>{Fate::kWrong});
}

}  // namespace
}  // namespace twingrad::conformance
