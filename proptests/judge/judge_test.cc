#include "proptests/judge/judge.h"

#include <cstdint>
#include <utility>

#include "autograd/program/parse.h"
#include "gtest/gtest.h"
#include "proptests/generators/generate.h"

namespace twingrad::judge {
namespace {

using twingrad::ErrorKind;
using twingrad::program::Observation;
using twingrad::program::Program;

// The twin in place of the engine, with `falsify` applied to what it shows.
JudgeOptions Fake(std::function<void(Observation*, int)> falsify) {
  JudgeOptions options;
  options.run = [falsify = std::move(falsify)](const Program& program, int threads) {
    Observation observed = twingrad::reference::RunTwin(program).observation;
    falsify(&observed, threads);
    return observed;
  };
  // A graph made by create_graph is not in the twin's records.
  options.recount = false;
  return options;
}

Program Parsed(const std::string& text) {
  auto program = twingrad::program::Parse("twingrad 1\n" + text);
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

constexpr char kSquare[] = "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n";

TEST(Judge, OwnEngineAgreesOnASquare) {
  Judge judge;
  const Judgement judgement = judge(Parsed(kSquare));
  EXPECT_EQ(judgement.Failure(), nullptr) << judgement.Failure()->text;
  EXPECT_FALSE(judgement.skipped.has_value());
  EXPECT_EQ(judgement.observed.size(), 2u);
  const Statistics& statistics = judge.statistics();
  EXPECT_EQ(statistics.programs, 1u);
  EXPECT_EQ(statistics.statements, 3u);
  EXPECT_EQ(statistics.runs, 2u);
  EXPECT_EQ(statistics.nodes_executed, 4u);
  EXPECT_EQ(statistics.compared.gradients(), 2u);
  EXPECT_EQ(statistics.dual_first, 1u);
  EXPECT_EQ(statistics.findings, 0u);
}

TEST(Judge, AWrongGradientIsAFinding) {
  Judge judge(Fake([](Observation* observed, int) { observed->values[0].grad.bits[0] = 0; }));
  const Judgement judgement = judge(Parsed(kSquare));
  ASSERT_NE(judgement.Failure(), nullptr);
  EXPECT_EQ(judgement.Failure()->oracle, "twin");
  EXPECT_EQ(judge.statistics().findings, 1u);
  EXPECT_TRUE(judge.Fails(Parsed(kSquare)));
  EXPECT_EQ(judge.statistics().programs, 1u);
}

TEST(Judge, DisagreementOfTwoThreadCountsIsAFinding) {
  Judge judge(Fake([](Observation* observed, int threads) {
    if (threads == 2) observed->values[1].data.bits[0] ^= 1;
  }));
  ASSERT_NE(judge(Parsed(kSquare)).Failure(), nullptr);
}

TEST(Judge, UnsupportedStatementsAreSkippedNotPassed) {
  Judge judge(Fake([](Observation* observed, int) {
    observed->error = {ErrorKind::kUnsupported, 1, ""};
  }));
  const Judgement judgement = judge(Parsed(kSquare));
  EXPECT_EQ(judgement.Failure(), nullptr);
  ASSERT_TRUE(judgement.skipped.has_value());
  EXPECT_EQ(judge.statistics().skipped, 1u);
  EXPECT_EQ(judge.statistics().twin_judged, 0u);
}

TEST(Judge, TheCanaryRunsAfterAnError) {
  int runs = 0;
  Judge judge(Fake([&runs](Observation*, int) { ++runs; }));
  judge(Parsed("%x = leaf type=f64[]\nbackward %x\n"));
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(judge.statistics().errors_judged, 1u);
}

TEST(Judge, TheTwinAgreesWithItselfOnGeneratedPrograms) {
  Judge judge(Fake([](Observation*, int) {}));
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Judgement judgement = judge(generators::Generate(seed));
    ASSERT_EQ(judgement.Failure(), nullptr) << "seed " << seed << "\n" << judgement.Failure()->text;
  }
}

}  // namespace
}  // namespace twingrad::judge
