#include "fuzz/campaign/groups.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/campaign/merge.h"
#include "fuzz/campaign/signature.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::campaign {
namespace {

using testing::ElementsAre;

MergedFinding Minimized(const std::string& text, const std::string& body) {
  MergedFinding finding;
  finding.best.rule = text.substr(0, text.find(':'));
  finding.best.text = text;
  finding.best.kind = WithoutNames(text);
  finding.best.program = absl::StrCat("twingrad 1\n", body);
  finding.failures = 1;
  return finding;
}

// A gradient that is wrong, of a Program with these statements between its leaf and its end.
MergedFinding WrongGradient(const std::string& body) {
  return Minimized("twin: .grad of %v0, statement 0: %v0 = leaf type=f64[2] data=1 grad=1",
                   absl::StrCat("%v0 = leaf type=f64[2] data=1 grad=1\n", body, "backward %z\n"));
}

TEST(GroupsTest, WhatHelpsOrIsQuotedTellsNothingApart) {
  const MergedFinding plain = WrongGradient("%z = add %v0 %v0\n");
  MergedFinding summed = WrongGradient("%v1 = add %v0 %v0\n%z = sum %v1\n");
  summed.best.kind =
      WithoutNames("twin: .grad of %v3, statement 3: %v3 = leaf type=f64[1,2] data=1,2,3,4");
  EXPECT_EQ(CoarseSignature(CoarseOf(plain.best)), CoarseSignature(CoarseOf(summed.best)));
  const Coarse coarse = CoarseOf(plain.best);
  EXPECT_EQ(coarse.complaint, "twin: .grad of %, statement #");
  EXPECT_THAT(coarse.statements, ElementsAre("add"));
  // Of a Program that has nothing else, the helpers are what it is made of.
  EXPECT_THAT(CoarseOf(WrongGradient("%z = sum %v0\n").best).statements,
              ElementsAre("backward", "leaf", "sum"));
}

TEST(GroupsTest, ActionsOfHooksAndKindsOfRegionsCount) {
  const MergedFinding finding =
      WrongGradient("hook %v0 do=throw\nbegin kind=no_grad\nend\n%a,%z = custom %v0 do=scale\n");
  EXPECT_THAT(CoarseOf(finding.best).statements,
              ElementsAre("begin kind=no_grad", "custom do=scale", "end", "hook do=throw"));
}

TEST(GroupsTest, LongerFindingsJoinTheSmallestThatTheyHold) {
  const std::vector<FindingGroup> groups =
      GroupFindings({WrongGradient("%a = add %v0 %v0\n%z = exp %a\n"),
                     WrongGradient("%z = mul %v0 %v0\n"), WrongGradient("%z = add %v0 %v0\n")});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(groups[0].findings, ElementsAre(2, 0));
  EXPECT_EQ(groups[0].failures, 2u);
  EXPECT_THAT(groups[0].coarse.statements, ElementsAre("add"));
  EXPECT_THAT(groups[1].findings, ElementsAre(1));
}

TEST(GroupsTest, OtherOraclesComplaintsAndPlantedDefectsStayApart) {
  MergedFinding planted = WrongGradient("%z = add %v0 %v0\n");
  planted.planted = true;
  const std::vector<FindingGroup> groups = GroupFindings(
      {WrongGradient("%z = add %v0 %v0\n"),
       Minimized("twin: value of %z", "%v0 = leaf type=f64[]\n%z = add %v0 %v0\n"),
       Minimized("dual: .grad of %v0", "%v0 = leaf type=f64[]\n%z = add %v0 %v0\n"), planted});
  EXPECT_EQ(groups.size(), 4u);
  EXPECT_TRUE(groups[3].planted);
}

TEST(GroupsTest, AScheduleIsNoStatement) {
  const MergedFinding finding = Minimized("race: two threads",
                                          "%v0 = leaf type=f64[]\n%z = exp %v0\n# seed 4\n"
                                          "# twingrad-schedule 1\n# threads 2\n");
  EXPECT_THAT(CoarseOf(finding.best).statements, ElementsAre("exp"));
}

}  // namespace
}  // namespace twingrad::campaign
