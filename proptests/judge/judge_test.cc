#include "proptests/judge/judge.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/program/parse.h"
#include "autograd/program/region.h"
#include "gtest/gtest.h"
#include "proptests/generators/generate.h"
#include "proptests/judge/fingerprint.h"
#include "proptests/judge/trial.h"

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
    // Which calls failed the twin leaves to the error.
    for (auto& call : observed.calls) {
      call.failed = observed.error && observed.error->statement == call.statement;
    }
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

std::vector<Trial> JudgedTogether(Judge& judge, const std::vector<Program>& programs) {
  std::vector<Trial> trials;
  for (const Program& program : programs) trials.push_back(judge.Begin(program, Further()));
  for (int step = 0; step < kNumSteps; ++step) {
    for (Trial& trial : trials) judge.Take(static_cast<Step>(step), trial);
  }
  return trials;
}

// Programs that take each step together are judged as each is alone, errors and their canaries
// included.
TEST(Judge, StepsOfManyProgramsDoNotDisturbEachOther) {
  std::vector<Program> programs;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    programs.push_back(generators::Generate(seed));
    // What a verdict says of sections hangs on timing.
    if (program::HasSections(programs.back())) programs.pop_back();
  }
  JudgeOptions options;
  options.device_threads = {0};
  Judge judge(options);
  const std::vector<Trial> trials = JudgedTogether(judge, programs);
  Judge other(options);
  for (size_t i = 0; i < programs.size(); ++i) {
    const Judgement expected = other(programs[i]);
    const Judgement& judgement = trials[i].judgement;
    EXPECT_EQ(judgement.skipped, expected.skipped) << i;
    ASSERT_EQ(judgement.verdicts.size(), expected.verdicts.size()) << i;
    for (size_t k = 0; k < expected.verdicts.size(); ++k) {
      EXPECT_EQ(judgement.verdicts[k].oracle, expected.verdicts[k].oracle) << i;
      EXPECT_EQ(judgement.verdicts[k].text, expected.verdicts[k].text) << i;
    }
    if (expected.skipped) continue;
    EXPECT_EQ(FingerprintOf(judgement.observed[0]), FingerprintOf(expected.observed[0])) << i;
  }
  const Statistics& together = judge.statistics();
  const Statistics& alone = other.statistics();
  EXPECT_EQ(together.programs, programs.size());
  EXPECT_EQ(together.runs, alone.runs);
  EXPECT_GT(together.errors_judged, 0u);
  EXPECT_EQ(together.errors_judged, alone.errors_judged);
  EXPECT_EQ(together.dual_first, alone.dual_first);
}

TEST(Judge, ProgramsTakeStepsTogetherOnSeveralThreadsToo) {
  std::vector<Program> programs;
  for (uint64_t seed = 0; seed < 40; ++seed) programs.push_back(generators::Generate(seed));
  Judge judge;
  for (const Trial& trial : JudgedTogether(judge, programs)) {
    const auto* failure = trial.judgement.Failure();
    EXPECT_EQ(failure, nullptr) << failure->text;
  }
  EXPECT_EQ(judge.statistics().programs, programs.size());
  EXPECT_GT(judge.statistics().runs, programs.size());
}

// The engine sums the numerator of atan2's second derivative apart where an operand is broadcast,
// here of large parts that cancel.
TEST(Judge, ABroadcastOperandMayGatherLargeParts) {
  Judge judge;
  const Judgement judgement = judge(
      Parsed("%v0 = leaf type=f32[1,2,1,2] seed=43 grad=1\n%v1 = cumsum %v0 dim=1\n"
             "%v2 = mul %v1 %v0\n%v3 = leaf type=f32[2] data=0,1 grad=1\n%v4 = atan2 %v2 %v3\n"
             "%v5 = sum %v4\n%v6,%v7 = grad %v5 inputs=%v0,%v2 create_graph=1\n%v8 = sum %v6\n"
             "%v9 = leaf type=f32[1,2,1,2] data=0,0,0,2\n%v10 = mul %v7 %v9\n%v11 = sum %v10\n"
             "%v12 = add %v8 %v11\nbackward %v12\n"));
  EXPECT_EQ(judgement.Failure(), nullptr) << judgement.Failure()->text;
  EXPECT_EQ(judge.statistics().findings, 0u);
}

TEST(Judge, ProgramsThatRaceAreCountedOnceEach) {
  Judge judge;
  const auto passes = [&](const std::string& streams) {
    return judge(Parsed("%x = leaf type=f64[] data=1 device=dev:0\n" + streams +
                        "%y = neg %x\n%z = neg %x\n"))
               .Failure() == nullptr;
  };
  EXPECT_TRUE(passes("stream id=b device=dev:0\n"));
  EXPECT_EQ(judge.statistics().unordered, 1u);
  EXPECT_EQ(judge.statistics().racing, 1u);
  EXPECT_GE(judge.statistics().compared.racing, 2u);  // statements of each run
  EXPECT_TRUE(passes("stream id=b device=dev:0 waits=1\n"));
  EXPECT_EQ(judge.statistics().unordered, 1u);
  EXPECT_EQ(judge.statistics().racing, 1u);
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

// Law: what has nothing for the threads of an engine that has some is run by it in one Program of
// kRepeatSample, and always if it comes from elsewhere.
TEST(Judge, RunsThatCanOnlyRepeatAreASample) {
  Judge judge(Fake([](Observation*, int) {}));
  const Further sampled = {.helpers = false, .repeats = false};
  const Program square = Parsed(kSquare);
  EXPECT_EQ(judge(square, sampled).observed.size(), 1u);
  EXPECT_EQ(judge(square).observed.size(), 2u);
  EXPECT_EQ(judge(square, {.helpers = true, .repeats = false}).observed.size(), 2u);
  const Program on_device =
      Parsed("%x = leaf type=f64[] data=3 grad=1\n%y = to %x device=dev:1\nbackward %y\n");
  EXPECT_EQ(judge(on_device, sampled).observed.size(), 2u);
  const Program in_section = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\nbegin kind=thread\n%y = mul %x %x\nbackward %y\nend\n");
  EXPECT_EQ(judge(in_section, sampled).observed.size(), 2u);

  int sample = 0;
  for (uint64_t seed = 0; seed < 8000; ++seed) sample += IsRepeatSample(seed) ? 1 : 0;
  EXPECT_NEAR(sample, 8000 / kRepeatSample, 60);
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
