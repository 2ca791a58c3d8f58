// What is taken from a Program to see whether a known failure needs it; and that no signature of
// golden/expected hides a defect planted beside what it describes.

#include "proptests/conformance/counterfactual.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "autograd/program/parse.h"
#include "autograd/program/print.h"
#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/conformance/adapted_engine.h"
#include "proptests/conformance/testing_engines.h"
#include "proptests/workers/files.h"

namespace twingrad::conformance {
namespace {

FailureSignature Signature(std::string_view ops, std::string_view features) {
  const auto list = ParseExpectedFailures(
      absl::StrCat("entry x-0001 twin 2027-12-31 a defect\nsignature twin ", ops, " none/none ",
                   features, " x-0001 2027-12-31 a defect\n"));
  EXPECT_TRUE(list.ok()) << list.status();
  return list->signatures[0];
}

// The Programs that are left of this one, by what was taken away, without the header.
std::map<std::string, std::string> Left(std::string_view statements, std::string_view ops,
                                        std::string_view features) {
  const auto program = Parsed(statements);
  std::map<std::string, std::string> left;
  for (const auto& [without, other] : Counterfactuals(
           program, Signature(ops, features), twingrad::reference::RunTwin(program).observation)) {
    left[without] = absl::StrReplaceAll(Print(other), {{"twingrad 1\n", ""}});
  }
  return left;
}

using Map = std::map<std::string, std::string>;

TEST(CounterfactualTest, AnOpBecomesACopyOfALeafOfWhatItGave) {
  EXPECT_EQ(Left("%x = leaf type=f64[2] data=1,2 grad=1\n"
                 "%s = stack %x %x dim=0\n"
                 "%y = exp %s\n",
                 "stack", "*"),
            (Map{{"stack",
                  "%v0 = leaf type=f64[2] data=1,2 grad=1\n"
                  "%v1 = leaf type=f64[2,2] data=1,2,1,2 grad=1\n"
                  "%v2 = clone %v1\n"
                  "%v3 = exp %v2\n"}}));
}

TEST(CounterfactualTest, ValuesAndIndicesBecomeALeafEach) {
  EXPECT_EQ(Left("%x = leaf type=f64[2] data=2,1 grad=1\n%v,%i = sort %x dim=0\n%y = neg %i\n",
                 "sort", "*"),
            (Map{{"sort",
                  "%v0 = leaf type=f64[2] data=2,1 grad=1\n"
                  "%v1 = leaf type=f64[2] data=1,2 grad=1\n"
                  "%v2 = clone %v1\n"
                  "%v3 = leaf type=i64[2] data=1,0\n"
                  "%v4 = neg %v3\n"}}));
}

TEST(CounterfactualTest, OfOpsThatStandForEachOtherAllAreTaken) {
  EXPECT_EQ(Left("%x = leaf type=i64[1] data=-1\n%y = abs %x\n%z = neg %y\n", "abs|exp|neg", "*"),
            (Map{{"abs|exp|neg",
                  "%v0 = leaf type=i64[1] data=-1\n%v1 = leaf type=i64[1] data=1\n"
                  "%v2 = leaf type=i64[1] data=-1\n"}}));
}

TEST(CounterfactualTest, WhatNeedsNoGradientBecomesALeafAlone) {
  EXPECT_EQ(Left("%x = leaf type=i64[2] data=1,0\n%y = abs %x\n", "abs", "*"),
            (Map{{"abs", "%v0 = leaf type=i64[2] data=1,0\n%v1 = leaf type=i64[2] data=1,0\n"}}));
}

TEST(CounterfactualTest, AWriteInPlaceIsLeftOut) {
  EXPECT_EQ(Left("%x = leaf type=f64[] data=1\nabs_ %x\n", "abs_", "*"),
            (Map{{"abs_", "%v0 = leaf type=f64[] data=1\n"}}));
}

TEST(CounterfactualTest, FeaturesAreTakenOneByOne) {
  const auto left = Left(
      "%x = leaf type=f64[] data=2 grad=1\n"
      "%y = mul %x %x\n"
      "retain_grad %y\n"
      "begin kind=no_grad\n"
      "neg_ %x\n"
      "custom_ %x do=pass\n"
      "end\n"
      "%g = grad %y inputs=%x create_graph=1\n"
      "backward %g inputs=%x\n",
      "*", "several_calls,in_place,retain_grad,no_grad,create_graph,inputs");
  ASSERT_EQ(left.size(), 6u);
  EXPECT_FALSE(absl::StrContains(left.at("several_calls"), "backward"));
  EXPECT_FALSE(absl::StrContains(left.at("in_place"), "neg_"));
  EXPECT_FALSE(absl::StrContains(left.at("in_place"), "custom_"));
  EXPECT_FALSE(absl::StrContains(left.at("retain_grad"), "retain_grad"));
  EXPECT_FALSE(absl::StrContains(left.at("no_grad"), "begin"));
  EXPECT_TRUE(absl::StrContains(left.at("no_grad"), "neg_"));
  EXPECT_FALSE(absl::StrContains(left.at("create_graph"), "create_graph"));
  EXPECT_TRUE(absl::StrContains(left.at("inputs"), "backward %v2\n")) << left.at("inputs");
}

TEST(CounterfactualTest, WhatIsNotThereIsNotTaken) {
  EXPECT_TRUE(Left("%x = leaf type=f64[] data=2 grad=1\nbackward %x\n", "stack",
                   "several_calls,in_place,view")
                  .empty());
}

// The Programs of golden/findings and golden/programs by id.
std::map<std::string, twingrad::program::Program> Goldens() {
  std::map<std::string, twingrad::program::Program> goldens;
  for (const char* top : {"golden/findings", "golden/programs"}) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(workers::Locate(top))) {
      if (file.path().extension() != ".twin") continue;
      const auto text = workers::ReadInput(file.path());
      EXPECT_TRUE(text.ok()) << text.status();
      auto program = twingrad::program::Parse(*text);
      if (program.ok()) goldens[file.path().stem()] = *std::move(program);
    }
  }
  return goldens;
}

// The Program after a multiplication whose gradient an engine with wrong_sign gets wrong.
twingrad::program::Program BesideAPlantedDefect(const twingrad::program::Program& program) {
  const std::string text = Print(program);
  return Parsed(
      absl::StrCat("%beside = leaf type=f64[] data=3 grad=1\n"
                   "%square = mul %beside %beside\n"
                   "backward %square\n",
                   text.substr(text.find('\n') + 1)));
}

TEST(CounterfactualTest, NoSignatureHidesADefectPlantedBesideIt) {
  const auto goldens = Goldens();
  auto engine = AdaptedEngine::Start(Faulty("wrong_sign"));
  ASSERT_TRUE(engine.ok()) << engine.status();
  int tried = 0;
  for (const auto& file : std::filesystem::directory_iterator(workers::Locate("golden/expected"))) {
    if (file.path().extension() != ".txt") continue;
    const auto failures = ReadExpectedFailures(file.path());
    ASSERT_TRUE(failures.ok()) << failures.status();
    (*engine)->SetFailures(*failures);
    for (const ExpectedEntry& entry : failures->entries) {
      ASSERT_TRUE(goldens.count(entry.id)) << entry.id;
      const auto judged = (*engine)->Judge(BesideAPlantedDefect(goldens.at(entry.id)), nullptr);
      if (judged.verdict.outcome == Outcome::kRefuse) continue;
      EXPECT_EQ(judged.verdict.outcome, Outcome::kWrong) << file.path() << " " << entry.id << "\n"
                                                         << judged.verdict.text;
      ++tried;
    }
  }
  EXPECT_GT(tried, 20);
}

}  // namespace
}  // namespace twingrad::conformance
