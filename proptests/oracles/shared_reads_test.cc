// What hooks read of a `.grad` that several thread sections add to: one order of the sections'
// calls gives all of it.

#include <string>
#include <vector>

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

// Calls of statements 5, 7 and 11 add 2, 3 and 5; the first two are one section's.
constexpr char kCalls[] =
    "%x = leaf type=f64[] data=1 grad=1\n"
    "accumulate_hook %x do=record\n"
    "begin kind=thread\n"
    "%s = leaf type=f64[] data=2\n"
    "%a = mul %x %s\n"
    "backward %a retain_graph=1\n"
    "%b = add %x %a\n"
    "backward %b\n"
    "end\n"
    "begin kind=thread\n"
    "%t = leaf type=f64[] data=5\n"
    "%c = mul %x %t\n"
    "backward %c\n"
    "end\n";

void Read(Trial& trial, const std::vector<double>& sums) {
  for (size_t call = 0; call < sums.size(); ++call) {
    trial.observed.calls[call].hooks.at(0).gradient.bits = {Number(sums[call])};
  }
}

TEST(SharedReads, EachOrderThatKeepsASectionsCallsInTheirsIsRight) {
  for (const std::vector<double>& sums : {std::vector<double>{2, 5, 10}, {2, 10, 7}, {7, 10, 5}}) {
    Trial trial(kCalls);
    Read(trial, sums);
    ExpectAgreement(JudgeSharedReads(trial.evidence(1)));
    ExpectAgreement(JudgeHooks(trial.evidence(1)));
  }
}

TEST(SharedReads, WhatNoOrderGivesIsFound) {
  for (const std::vector<double>& sums :
       {std::vector<double>{10, 10, 10},  // all read after all had added
        {2, 10, 10},
        {8, 3, 10},  // a section's second call before its first
        {2, 3, 5}}) {
    Trial trial(kCalls);
    Read(trial, sums);
    ExpectFinding(JudgeSharedReads(trial.evidence(1)), "shared reads");
    ExpectAgreement(JudgeHooks(trial.evidence(1)));
  }
}

// As an engine that computes in f32 on the way reads them.
TEST(SharedReads, WhatRoundingMayExplainIsToldSo) {
  const auto text = [](double first) {
    Trial trial(kCalls);
    Read(trial, {first, 5, 10});
    return JudgeSharedReads(trial.evidence(1)).text;
  };
  EXPECT_NE(text(2 + 1e-7).find("the first element in one; they differ as f32 rounds\n"),
            std::string::npos);
  EXPECT_NE(text(8).find("the first element in one\n"), std::string::npos);
}

TEST(SharedReads, RunsThatReadInOtherOrdersAreTheSame) {
  Trial trial(kCalls);
  const program::Observation other = trial.observed;
  Read(trial, {7, 10, 5});
  EXPECT_EQ(
      JudgeDeterminism(trial.program, trial.observed, other, true, "two runs", &trial.expected)
          .outcome,
      Outcome::kAgree);
}

TEST(SharedReads, AreNoneWhereOneSectionAdds) {
  Trial trial(
      "%x = leaf type=f64[] data=1 grad=1\naccumulate_hook %x do=record\n"
      "begin kind=thread\n%a = neg %x\nbackward %a\nend\n"
      "begin kind=thread\n%b = neg %x\nend\n");
  EXPECT_TRUE(trial.expected.shared_reads.empty());
}

}  // namespace
}  // namespace twingrad::oracles
