// What a call may write follows from the Program alone.

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

constexpr char kHead[] =
    "%x = leaf type=f64[] data=2 grad=1\n%w = leaf type=f64[] data=5 grad=1\n"
    "%s = leaf type=f64[] data=3\n%y = mul %x %x\n%z = mul %y %w\n";

// The verdict on a Program whose last statement is a call that has written this.
Verdict VerdictOn(const std::string& rest, const std::string& value, bool is_grad) {
  Trial trial(kHead + rest);
  const auto& names = trial.program.names;
  const auto at = std::find(names.begin(), names.end(), value) - names.begin();
  // Nested calls come after that which they are made in.
  const auto last = std::ranges::find(trial.observed.calls,
                                      static_cast<int32_t>(trial.program.statements.size()) - 1,
                                      &program::CallRecord::statement);
  last->writes = {{static_cast<program::ValueId>(at), is_grad}};
  return JudgeWrites(trial.program, trial.observed);
}

bool MayWriteGrad(const std::string& rest, const std::string& value) {
  return VerdictOn(rest, value, true).outcome == Outcome::kAgree;
}

TEST(Writes, ACallWritesNoValue) {
  Trial trial(std::string(kHead) + "backward %z\n");
  ExpectAgreement(JudgeWrites(trial.program, trial.observed));
  const Verdict verdict = VerdictOn("backward %z seeds=%s\n", "s", false);
  EXPECT_EQ(verdict.outcome, Outcome::kDisagree);
  EXPECT_TRUE(absl::StrContains(verdict.text, "%s, a seed")) << verdict.text;
  EXPECT_EQ(VerdictOn("backward %z\n", "x", false).outcome, Outcome::kDisagree);
  EXPECT_EQ(VerdictOn("%g = grad %z inputs=%x\n", "y", false).outcome, Outcome::kDisagree);
}

TEST(Writes, OnlyWhatIsAccumulatedToGetsAGrad) {
  EXPECT_TRUE(MayWriteGrad("backward %z\n", "x"));
  EXPECT_FALSE(MayWriteGrad("backward %z\n", "y"));
  EXPECT_FALSE(MayWriteGrad("backward %z\n", "s"));
  EXPECT_TRUE(MayWriteGrad("retain_grad %y\nbackward %z\n", "y"));
  EXPECT_TRUE(MayWriteGrad("retain_grad %y\n%g = grad %z inputs=%x\n", "y"));
  EXPECT_TRUE(MayWriteGrad("backward %z inputs=%x\n", "x"));
  EXPECT_FALSE(MayWriteGrad("backward %z inputs=%x\n", "w"));
  EXPECT_FALSE(MayWriteGrad("%g = grad %z inputs=%x\n", "x"));
  EXPECT_TRUE(MayWriteGrad("backward %z inputs=%y retain_graph=1\n%g = grad %z inputs=%x\n", "y"));
}

TEST(Writes, HooksMayMakeCallsAndResetGrads) {
  EXPECT_TRUE(MayWriteGrad("hook %y do=backward target=%y\n%g = grad %z inputs=%x\n", "x"));
  EXPECT_FALSE(MayWriteGrad("hook %y do=backward target=%y\n%g = grad %z inputs=%x\n", "s"));
  EXPECT_TRUE(MayWriteGrad("hook %y do=backward target=%y\nbackward %z inputs=%y\n", "y"));
  EXPECT_TRUE(MayWriteGrad("accumulate_hook %x do=zero_grad\nbackward %z\n", "x"));
}

TEST(Writes, WhatComesAfterACallDoesNotMatter) {
  Trial trial(std::string(kHead) + "%g = grad %z inputs=%x retain_graph=1\nretain_grad %y\n");
  trial.observed.calls.at(0).writes = {{3, true}};
  EXPECT_EQ(JudgeWrites(trial.program, trial.observed).outcome, Outcome::kDisagree);
}

}  // namespace
}  // namespace twingrad::oracles
