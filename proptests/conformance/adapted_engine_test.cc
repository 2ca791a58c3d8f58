// A foreign engine over the adapter with planted defects.

#include "proptests/conformance/adapted_engine.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Program;

std::unique_ptr<AdaptedEngine> Faulty(const std::string& fault) {
  SessionOptions options;
  options.command = {"proptests/mutants/adapter/faulty", fault};
  options.timeout = std::chrono::seconds(60);
  auto engine = AdaptedEngine::Start(options);
  EXPECT_TRUE(engine.ok()) << engine.status();
  return engine.ok() ? *std::move(engine) : nullptr;
}

Program Square() {
  return *twingrad::program::Parse(
      "twingrad 1\n%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n");
}

TEST(AdaptedEngineTest, ItsListIsNamedAfterNameAndVersion) {
  const auto engine = Faulty("none");
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(engine->ListPath(), "golden/expected/faulty-none.txt");
  EXPECT_TRUE(engine->failures().entries.empty());
}

TEST(AdaptedEngineTest, AnEngineThatIsRightAgrees) {
  const auto engine = Faulty("none");
  ASSERT_NE(engine, nullptr);
  judge::Statistics statistics;
  const AdaptedEngine::Judged judged = engine->Judge(Square(), &statistics);
  EXPECT_EQ(judged.verdict.outcome, Outcome::kAgree) << judged.verdict.text;
  EXPECT_TRUE(judged.verdict.recounted);
}

TEST(AdaptedEngineTest, AWrongGradientIsBlamed) {
  const auto engine = Faulty("wrong_sign");
  ASSERT_NE(engine, nullptr);
  judge::Statistics statistics;
  const AdaptedEngine::Judged judged = engine->Judge(Square(), &statistics);
  EXPECT_EQ(judged.verdict.outcome, Outcome::kWrong);
  EXPECT_EQ(judged.verdict.rule, "twin");
}

TEST(AdaptedEngineTest, WhatTheHelloDoesNotClaimIsRefusedWithoutARun) {
  const auto engine = Faulty("none");
  ASSERT_NE(engine, nullptr);
  const Program moved = *twingrad::program::Parse(
      "twingrad 1\n%x = leaf type=f64[] data=3 grad=1\n%y = to %x device=dev:0\n");
  judge::Statistics statistics;
  const AdaptedEngine::Judged judged = engine->Judge(moved, &statistics);
  EXPECT_EQ(judged.verdict.outcome, Outcome::kRefuse);
  EXPECT_EQ(judged.verdict.text, "refuse: the hello does not claim the op to\n");
}

TEST(AdaptedEngineTest, ADeathIsAnOutcomeAndTheNextProgramRuns) {
  const auto engine = Faulty("crash");
  ASSERT_NE(engine, nullptr);
  judge::Statistics statistics;
  EXPECT_EQ(engine->Judge(Square(), &statistics).verdict.outcome, Outcome::kCrash);
  const Program leaf =
      *twingrad::program::Parse("twingrad 1\n%x = leaf type=f64[] data=3 grad=1\nbackward %x\n");
  EXPECT_EQ(engine->Judge(leaf, &statistics).verdict.outcome, Outcome::kAgree);
  EXPECT_EQ(engine->restarts(), 1u);
}

}  // namespace
}  // namespace twingrad::conformance
