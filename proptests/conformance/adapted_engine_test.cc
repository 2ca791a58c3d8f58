// A foreign engine over the adapter with planted defects, and the check of its state after errors.

#include "proptests/conformance/adapted_engine.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proptests/conformance/expected_failures.h"
#include "proptests/conformance/testing_engines.h"

namespace twingrad::conformance {
namespace {

std::unique_ptr<AdaptedEngine> Started(const std::string& fault) {
  SessionOptions options = Faulty(fault);
  options.timeout = std::chrono::seconds(60);
  auto engine = AdaptedEngine::Start(options);
  EXPECT_TRUE(engine.ok()) << engine.status();
  return *std::move(engine);
}

// How the engine with this fault does at the Program.
AdaptedEngine::Judged JudgedBy(const std::string& fault,
                               const twingrad::program::Program& program) {
  judge::Statistics statistics;
  return Started(fault)->Judge(program, &statistics);
}

TEST(AdaptedEngineTest, ItsListIsNamedAfterNameAndVersion) {
  const auto engine = Started("none");
  EXPECT_EQ(engine->ListPath(), "golden/expected/faulty-none.txt");
  EXPECT_TRUE(engine->failures().entries.empty());
}

TEST(AdaptedEngineTest, AnEngineThatIsRightAgrees) {
  const AdaptedEngine::Judged judged = JudgedBy("none", Square());
  EXPECT_EQ(judged.verdict.outcome, Outcome::kAgree) << judged.verdict.text;
  EXPECT_TRUE(judged.verdict.recounted);
}

TEST(AdaptedEngineTest, AWrongGradientIsBlamed) {
  const AdaptedEngine::Judged judged = JudgedBy("wrong_sign", Square());
  EXPECT_EQ(judged.verdict.outcome, Outcome::kWrong);
  EXPECT_EQ(judged.verdict.rule, "twin");
}

TEST(AdaptedEngineTest, WhatTheHelloDoesNotClaimIsRefusedWithoutARun) {
  const AdaptedEngine::Judged judged =
      JudgedBy("none", Parsed("%x = leaf type=f64[] data=3 grad=1\n%y = to %x device=dev:0\n"));
  EXPECT_EQ(judged.verdict.outcome, Outcome::kRefuse);
  EXPECT_EQ(judged.verdict.text, "refuse: the hello does not claim the op to\n");
}

TEST(AdaptedEngineTest, ADeathIsAnOutcomeAndTheNextProgramRuns) {
  const auto engine = Started("crash");
  judge::Statistics statistics;
  EXPECT_EQ(engine->Judge(Square(), &statistics).verdict.outcome, Outcome::kCrash);
  const auto leaf = Parsed("%x = leaf type=f64[] data=3 grad=1\nbackward %x\n");
  EXPECT_EQ(engine->Judge(leaf, &statistics).verdict.outcome, Outcome::kAgree);
  EXPECT_EQ(engine->restarts(), 1u);
}

// The faulty engine with a list of one signature of rule twin.
AdaptedEngine::Judged JudgedWithList(AdaptedEngine& engine, std::string_view ops,
                                     std::string_view features,
                                     const twingrad::program::Program& program) {
  const auto list =
      ParseExpectedFailures(absl::StrCat("entry x-0001 twin 2027-12-31 known\nsignature twin ", ops,
                                         " * ", features, " x-0001 2027-12-31 known\n"));
  EXPECT_TRUE(list.ok()) << list.status();
  engine.SetFailures(*list);
  judge::Statistics statistics;
  return engine.Judge(program, &statistics);
}

TEST(AdaptedEngineTest, AFailureIsExplainedIfItNeedsWhatTheSignatureNames) {
  const auto engine = Started("wrong_sign");
  const auto judged = JudgedWithList(*engine, "mul", "*", Square());
  EXPECT_EQ(judged.verdict.outcome, Outcome::kExplained) << judged.verdict.text;
  EXPECT_TRUE(absl::StrContains(judged.verdict.text, "expected failure x-0001: known"));
}

TEST(AdaptedEngineTest, AnotherOpsDefectIsNotExplained) {
  const auto engine = Started("wrong_sign");
  const auto judged = JudgedWithList(*engine, "stack", "*",
                                     Parsed("%x = leaf type=f64[] data=3 grad=1\n"
                                            "%s = stack %x %x dim=0\n"
                                            "%y = mul %s %s\n"
                                            "%z = sum %y\n"
                                            "backward %z\n"));
  EXPECT_EQ(judged.verdict.outcome, Outcome::kWrong);
  EXPECT_TRUE(absl::StrContains(judged.verdict.text,
                                "expected failure x-0001 does not explain it: without stack\n"))
      << judged.verdict.text;
}

TEST(AdaptedEngineTest, AFailureWithoutTheFeatureIsNotExplained) {
  const auto engine = Started("wrong_sign");
  const auto judged = JudgedWithList(*engine, "mul", "several_calls",
                                     Parsed("%x = leaf type=f64[] data=3 grad=1\n"
                                            "%y = mul %x %x\n"
                                            "backward %y retain_graph=1\n"
                                            "backward %y\n"));
  EXPECT_EQ(judged.verdict.outcome, Outcome::kWrong);
  EXPECT_TRUE(absl::StrContains(judged.verdict.text, "without several_calls\n"))
      << judged.verdict.text;
}

// A list with a defect that the twin can follow.
constexpr std::string_view kFollowing =
    "entry x-0001 twin 2027-12-31 known\n"
    "follow captures_miss_hooks x-0001 2027-12-31 hooks are missed\n";
constexpr std::string_view kSignature =
    "signature twin * none/none hook x-0001 2027-12-31 hooks matter\n";

AdaptedEngine::Judged JudgedFollowing(const std::string& fault, std::string_view list,
                                      std::string_view calls) {
  const auto engine = Started(fault);
  engine->SetFailures(ParseExpectedFailures(list).value());
  judge::Statistics statistics;
  return engine->Judge(Parsed(absl::StrCat("%a = leaf type=f64[] data=3 grad=1\n%b = mul %a %a\n"
                                           "hook %b do=scale by=100\n",
                                           calls)),
                       &statistics);
}

constexpr std::string_view kBeside = "%g,%h = grad %b inputs=%a,%b retain_graph=1\n";
constexpr std::string_view kAlone = "%k = grad %b inputs=%b retain_graph=1\n";

TEST(AdaptedEngineTest, ADefectThatTheTwinFollowsIsExplainedAndItsNeighbourIsNot) {
  const auto known = JudgedFollowing("captures_miss_hooks", kFollowing, kBeside).verdict;
  EXPECT_EQ(known.outcome, Outcome::kExplained) << known.text;
  EXPECT_TRUE(absl::StrContains(known.text, "expected failure x-0001: hooks are missed"));
  const auto of = [](const std::string& fault, std::string_view calls) {
    return JudgedFollowing(fault, kFollowing, calls).verdict.outcome;
  };
  EXPECT_EQ(of("captures_miss_hooks", kAlone), Outcome::kAgree);
  EXPECT_EQ(of("none", kBeside), Outcome::kAgree);
  EXPECT_EQ(of("all_captures_miss_hooks", kAlone), Outcome::kWrong);
}

TEST(AdaptedEngineTest, WhatIsWrongBesideAFollowedDefectNeedsASignature) {
  const std::string calls = absl::StrCat(kBeside, kAlone);
  const auto told = JudgedFollowing("all_captures_miss_hooks", kFollowing, calls).verdict;
  EXPECT_EQ(told.outcome, Outcome::kWrong);
  EXPECT_TRUE(absl::StrContains(told.text, "not as the known defects of it say: twin: value of %k"))
      << told.text;
  const auto list = absl::StrCat(kFollowing, kSignature);
  const auto both = JudgedFollowing("all_captures_miss_hooks", list, calls).verdict;
  EXPECT_EQ(both.outcome, Outcome::kExplained) << both.text;
  for (const char* reason : {"x-0001: hooks matter", "x-0001: hooks are missed"}) {
    EXPECT_TRUE(absl::StrContains(both.text, reason)) << both.text;
  }
}

// Both Programs end in an error; the second's gradient is wrong since the first broke the state.
TEST(AdaptedEngineTest, AKnownFailureDoesNotHideABrokenState) {
  const auto engine = Started("broken_after_error");
  engine->Run(Parsed("%x = leaf type=f64[2] grad=1\nbackward %x\n"));
  const auto judged = JudgedWithList(*engine, "exp", "*",
                                     Parsed("%x = leaf type=f64[] data=0 grad=1\n"
                                            "%y = exp %x\n"
                                            "backward %y\n"
                                            "backward %y\n"));
  EXPECT_EQ(judged.verdict.outcome, Outcome::kWrong) << judged.verdict.text;
  EXPECT_TRUE(absl::StrContains(judged.verdict.text, "canary: ")) << judged.verdict.text;
}

// A session whose last reply was an error.
std::unique_ptr<Session> AfterAnError(const char* fault) {
  auto session = Session::Start(Faulty(fault));
  EXPECT_TRUE(session.ok()) << session.status();
  const auto program = Parsed("%x = leaf type=f64[2] grad=1\nbackward %x\n");
  (*session)->Send(program);
  EXPECT_TRUE((*session)->Receive().observation.error) << fault;
  return *std::move(session);
}

TEST(StateCheckTest, ABrokenStateIsToldAndEnds) {
  const auto session = AfterAnError("broken_after_error");
  StateCheck state(session->hello());
  const auto judged = state.Judge(*session);
  ASSERT_TRUE(judged);
  EXPECT_EQ(judged->rule, "canary");
  EXPECT_TRUE(absl::StrContains(judged->text, "expected 7\n  actual   14\n")) << judged->text;
  EXPECT_TRUE(absl::StrContains(judged->text, "in a fresh process it is right")) << judged->text;
  EXPECT_EQ(session->restarts(), 1u);
  EXPECT_FALSE(state.Judge(*session));
}

TEST(StateCheckTest, AnEngineThatIsWrongAnywaySaysNothing) {
  const auto session = AfterAnError("doubled");
  StateCheck state(session->hello());
  EXPECT_FALSE(state.Judge(*session));
  EXPECT_EQ(session->restarts(), 1u);
  EXPECT_FALSE(state.Judge(*session));
  EXPECT_EQ(session->restarts(), 1u) << "it is not asked again";
}

TEST(StateCheckTest, AllIsWell) {
  const auto session = AfterAnError("none");
  StateCheck state(session->hello());
  EXPECT_FALSE(state.Judge(*session));
  EXPECT_EQ(session->restarts(), 0u);
}

}  // namespace
}  // namespace twingrad::conformance
