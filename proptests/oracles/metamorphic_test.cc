#include "proptests/oracles/metamorphic.h"

#include <string>

#include "proptests/oracles/oracle_test_support.h"

namespace twingrad::oracles {
namespace {

using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::reference::RunTwin;
using twingrad::reference::TwinResult;

SeededProgram Seeded() {
  const Trial trial(kProduct);
  const auto seeded = MakeSeeded(trial.program);
  EXPECT_TRUE(seeded.has_value());
  return *seeded;
}

TEST(Metamorphic, ImplicitSeedsBecomeLeaves) {
  const SeededProgram seeded = Seeded();
  ASSERT_EQ(seeded.seeds.size(), 1u);
  EXPECT_EQ(seeded.program.statements[seeded.seeds[0]].op, twingrad::program::Opcode::kLeaf);
  const TwinResult twin = RunTwin(seeded.program);
  EXPECT_FALSE(twin.observation.error.has_value());
}

TEST(Metamorphic, SeedsWhoseEditsRoundDoNotQualify) {
  const auto qualifies = [](const std::string& type, const std::string& seed) {
    const Trial trial("%x = leaf type=" + type + "[] grad=1\n%y = neg %x\n%s = leaf type=" + type +
                      "[] data=" + seed + "\nbackward %y seeds=%s\n");
    return MakeSeeded(trial.program).has_value();
  };
  EXPECT_TRUE(qualifies("f16", "3"));
  EXPECT_FALSE(qualifies("f16", "65504"));
  EXPECT_FALSE(qualifies("bf16", "256"));
  EXPECT_TRUE(qualifies("f32", "65504"));
}

TEST(Metamorphic, TwoCallsDoNotQualify) {
  const Trial trial("%x = leaf type=f64[] grad=1\n%y = neg %x\nbackward %y\nbackward %y\n");
  EXPECT_FALSE(MakeSeeded(trial.program).has_value());
}

TEST(Metamorphic, WhatAddsOtherGradientsDoesNotQualify) {
  const std::string leaf = "%x = leaf type=f64[] grad=1\n";
  const Trial given(leaf + "set_grad %x %x\nbackward %x\n");
  EXPECT_FALSE(MakeSeeded(given.program).has_value());
  const Trial nested(leaf + "%y = custom %x do=backward target=%x\nbackward %y\n");
  EXPECT_FALSE(MakeSeeded(nested.program).has_value());
}

TEST(Metamorphic, TheTwinKeepsTheLaws) {
  const SeededProgram seeded = Seeded();
  const TwinResult once = RunTwin(seeded.program);
  const TwinResult twice = RunTwin(EditSeeds(seeded, SeedEdit::kTwice));
  const TwinResult zero = RunTwin(EditSeeds(seeded, SeedEdit::kZero));
  const TwinResult pattern = RunTwin(EditSeeds(seeded, SeedEdit::kPattern));
  const TwinResult sum = RunTwin(EditSeeds(seeded, SeedEdit::kSum));
  ExpectAgreement(JudgeTwice(seeded, once.observation, twice.observation));
  ExpectAgreement(JudgeZeroSeed(seeded, zero.observation));
  ExpectAgreement(JudgeSum(seeded, {once.observation, once}, {pattern.observation, pattern},
                           {sum.observation, sum}));
}

TEST(Metamorphic, BrokenLawsAreFound) {
  const SeededProgram seeded = Seeded();
  const TwinResult once = RunTwin(seeded.program);
  ExpectFinding(JudgeTwice(seeded, once.observation, once.observation), "metamorphic twice");
  ExpectFinding(JudgeZeroSeed(seeded, once.observation), "metamorphic zero");
  ExpectFinding(JudgeSum(seeded, {once.observation, once}, {once.observation, once},
                         {once.observation, once}),
                "metamorphic sum");
}

TEST(Metamorphic, HooksMayDoWhatIsNotLinear) {
  const Trial trial(
      "%x = leaf type=f64[] data=2 grad=1\n%y = neg %x\nhook %x id=h do=scale by=2\n"
      "backward %y\n");
  EXPECT_FALSE(MakeSeeded(trial.program).has_value());
}

TEST(Metamorphic, TwiceIsNotAskedNearTheEndsOfTheRange) {
  const Trial trial("%x = leaf type=f64[] data=0x1p-300 grad=1\n%y = mul %x %x\nbackward %y\n");
  const auto seeded = MakeSeeded(trial.program);
  ASSERT_TRUE(seeded.has_value());
  const TwinResult once = RunTwin(seeded->program);
  EXPECT_EQ(JudgeTwice(*seeded, once.observation, once.observation).outcome, Outcome::kSkipped);
}

}  // namespace
}  // namespace twingrad::oracles
