// Edits of statements and values: each step by name, on a small Program.

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "proptests/shrink/steps.h"
#include "proptests/shrink/steps_test_support.h"

namespace twingrad::shrink {
namespace {

std::set<std::string> Edits(const std::string& name, const std::string& text) {
  return shrink::Edits(StructureSteps(), name, text);
}

constexpr char kProgram[] =
    "twingrad 1\n"
    "%v0 = leaf type=f64[] data=3 grad=1\n"
    "%v1 = mul %v0 %v0\n"
    "%v2 = neg %v1\n"
    "backward %v2\n";

TEST(StepsStructure, BypassesLinkConsumersToOperands) {
  EXPECT_EQ(Edits("bypass a node", kProgram)
                .count("twingrad 1\n"
                       "%v0 = leaf type=f64[] data=3 grad=1\n"
                       "%v1 = neg %v0\n"
                       "backward %v1\n"),
            1u);
}

// Who used the result uses another one.
TEST(StepsStructure, CustomFunctionsLoseAnOperandWithItsResult) {
  EXPECT_EQ(Edits("drop part of a custom function",
                  "twingrad 1\n"
                  "%v0 = leaf type=f64[] data=3 grad=1\n"
                  "%v1 = neg %v0\n"
                  "%v2,%v3 = custom %v0 %v1 do=pass\n"
                  "backward %v2\n")
                .count("twingrad 1\n"
                       "%v0 = leaf type=f64[] data=3 grad=1\n"
                       "%v1 = neg %v0\n"
                       "%v2 = custom %v1 do=pass\n"
                       "backward %v2\n"),
            1u);
}

TEST(StepsStructure, APartStandsForTheOthers) {
  const std::string head = "twingrad 1\n%v0 = leaf type=f64[3] grad=1\n";
  EXPECT_EQ(
      Edits("take a part alone", head + "%v1,%v2 = split %v0 dim=0 count=2\nbackward %v1 %v2\n"),
      std::set<std::string>({head + "%v1 = slice %v0 dim=0 stop=2\nbackward %v1 %v1\n",
                             head + "%v1 = slice %v0 dim=0 start=2 stop=3\nbackward %v1 %v1\n"}));
  EXPECT_EQ(Edits("take a part alone", head + "%v1,%v2,%v3 = unbind %v0 dim=0\nbackward %v2\n")
                .count(head + "%v1 = select %v0 dim=0 index=1\nbackward %v1\n"),
            1u);
}

TEST(StepsStructure, ValuesOrIndicesGo) {
  const std::string head = "twingrad 1\n%v0 = leaf type=f64[3] grad=1\n";
  EXPECT_EQ(
      Edits("take a part alone", head + "%v1,%v2 = sort %v0 dim=0\n%v3 = neg %v1\n%v4 = neg %v2\n"),
      std::set<std::string>({head + "%v1 = sort %v0 dim=0\n%v2 = neg %v1\n",
                             head + "%v1 = argsort %v0 dim=0\n%v2 = neg %v1\n"}));
}

TEST(StepsStructure, StreamsWaitByThemselves) {
  EXPECT_EQ(Edits("let a stream wait by itself",
                  "twingrad 1\n"
                  "record_event id=e device=dev:0\n"
                  "stream id=s device=dev:0\n"
                  "wait_event id=e device=dev:0\n"),
            std::set<std::string>({"twingrad 1\n"
                                   "stream id=s device=dev:0 waits=1\n"}));
  EXPECT_TRUE(Edits("let a stream wait by itself",
                    "twingrad 1\n"
                    "stream id=s device=dev:0\n"
                    "stream id=t device=dev:0 waits=1\n")
                  .empty());
}

TEST(StepsStructure, NodesBecomeLeaves) {
  EXPECT_EQ(Edits("turn a node into a leaf", kProgram)
                .count("twingrad 1\n"
                       "%v0 = leaf type=f64[] data=1 grad=1\n"
                       "%v1 = neg %v0\n"
                       "backward %v1\n"),
            1u);
}

// Later uses are of the result, uses before it of what it is made of; views keep what they had.
TEST(StepsStructure, WritesAreComputedAnew) {
  const std::string head =
      "twingrad 1\n"
      "%v0 = leaf type=f64[2] data=1,2 grad=1\n"
      "%v1 = neg %v0\n"
      "%v2 = slice %v1 dim=0 stop=1\n";
  EXPECT_EQ(Edits("compute what is written anew", head + "mul_ %v1 %v0\n"
                                                         "%v3 = sum %v1\n"
                                                         "backward %v3\n"),
            std::set<std::string>{head + "%v3 = mul %v1 %v0\n"
                                         "%v4 = sum %v3\n"
                                         "backward %v4\n"});
  EXPECT_EQ(Edits("compute what is written anew", head + "custom_ %v1 do=exp\n"),
            std::set<std::string>{head + "%v3 = custom %v1 do=exp\n"});
  // Of an op that is only a write there is no other.
  EXPECT_EQ(Edits("compute what is written anew", head + "zero_ %v1\n"), std::set<std::string>());
}

TEST(StepsStructure, RunsAreDropped) {
  EXPECT_EQ(Edits("drop a run of statements", kProgram)
                .count("twingrad 1\n"
                       "%v0 = leaf type=f64[] data=3 grad=1\n"
                       "%v1 = mul %v0 %v0\n"
                       "%v2 = neg %v1\n"),
            1u);
}

TEST(StepsStructure, ValuesOfOneTypeAreMerged) {
  EXPECT_EQ(Edits("merge two values",
                  "twingrad 1\n"
                  "%a = leaf type=f64[] data=3\n"
                  "%b = leaf type=f64[] data=4 grad=1\n"
                  "%y = mul %a %b\n"
                  "backward %y\n")
                .count("twingrad 1\n"
                       "%v0 = leaf type=f64[] data=3\n"
                       "%v1 = mul %v0 %v0\n"
                       "backward %v1\n"),
            1u);
}

}  // namespace
}  // namespace twingrad::shrink
