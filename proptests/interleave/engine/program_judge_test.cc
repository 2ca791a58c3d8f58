// What is right and what is not: Observations of real runs, as they are and with one thing changed.
#include "proptests/interleave/engine/program_judge.h"

#include <cstddef>
#include <string>
#include <utility>

#include "autograd/engine/engine.h"
#include "autograd/program/parse.h"
#include "autograd/runner/run.h"
#include "gtest/gtest.h"
#include "proptests/judge/canary.h"

namespace twingrad::interleave {
namespace {

using program::ErrorRecord;
using program::Observation;
using program::Program;

constexpr char kTwoDevices[] =
    "twingrad 1\n"
    "%x = leaf type=f64[] data=3 grad=1\n"
    "%d = to %x device=dev:0\n"
    "%y = mul %d %d\n"
    "backward %y\n";

class ProgramJudgeTest : public testing::Test {
 protected:
  static Observation Run(const Program& program) {
    Engine engine;
    return runner::Run(program, engine);
  }
  // The same with a worker, on which all nodes but the leaf's run.
  static Observation Shared(Observation observed) {
    for (auto& call : observed.calls) {
      for (size_t i = 0; i < call.executed.size(); ++i) {
        if (call.nodes[call.executed[i]].name.statement != 0) call.threads[i] = 0;
      }
    }
    return observed;
  }
  std::string DetectorOf(const Observation& observed) {
    ProgramJudge judge(program_, 1, single_);
    const auto finding = judge(observed);
    if (!finding) return "";
    EXPECT_FALSE(finding->text.empty());
    return finding->detector;
  }

  const Program program_ = *program::Parse(kTwoDevices);
  const Observation single_ = Run(program_);
  const Observation shared_ = Shared(single_);
};

TEST_F(ProgramJudgeTest, TheSameIsRightAgainAndAgain) {
  ProgramJudge judge(program_, 1, single_);
  EXPECT_FALSE(judge.JudgeSingle().has_value());
  EXPECT_FALSE(judge(shared_).has_value());
  EXPECT_FALSE(judge(shared_).has_value());
}

TEST_F(ProgramJudgeTest, OneBitMore) {
  Observation observed = single_;
  observed.values[0].grad.bits[0] ^= 1;
  EXPECT_EQ(DetectorOf(observed), "determinism");
}

TEST_F(ProgramJudgeTest, ANodeThatRunsTwiceOrTooEarly) {
  Observation observed = single_;
  observed.calls[0].executed.push_back(observed.calls[0].executed.back());
  EXPECT_NE(DetectorOf(observed), "");
  observed = shared_;
  std::swap(observed.calls[0].executed[0], observed.calls[0].executed[1]);
  std::swap(observed.calls[0].threads[0], observed.calls[0].threads[1]);
  EXPECT_EQ(DetectorOf(observed), "order");
}

TEST_F(ProgramJudgeTest, AnErrorThatNobodyRaises) {
  Observation observed = single_;
  observed.error = ErrorRecord{ErrorKind::kUser, 3, "x"};
  EXPECT_EQ(DetectorOf(observed), "determinism");
  observed.error = ErrorRecord{ErrorKind::kInternal, 3, "x"};
  EXPECT_EQ(DetectorOf(observed), "internal");
  observed.late_write = {.value = 0, .statement = 3};
  EXPECT_EQ(DetectorOf(observed), "frozen");
}

TEST_F(ProgramJudgeTest, TheRunOnOneThreadIsJudgedToo) {
  Observation observed = single_;
  observed.values[0].grad.bits[0] ^= 1;
  EXPECT_EQ(ProgramJudge(program_, 1, observed).JudgeSingle()->detector, "twin");
}

TEST_F(ProgramJudgeTest, AfterAnErrorTheCanaryIsJudged) {
  const Program fails = *program::Parse("twingrad 1\n%x = leaf type=f64[]\nbackward %x\n");
  ProgramJudge judge(fails, 1, Run(fails));
  Observation canary = Run(judge::CanaryProgram());
  EXPECT_FALSE(judge.JudgeSingle(canary).has_value());
  canary.values[0].grad.bits[0] ^= 1;
  EXPECT_EQ(judge.JudgeSingle(canary)->detector, "canary");
}

}  // namespace
}  // namespace twingrad::interleave
