// What is right and what is not: Observations of real runs, as they are and with one thing changed.
#include "proptests/interleave/engine/program_judge.h"

#include <string>
#include <utility>

#include "autograd/engine/engine.h"
#include "autograd/program/parse.h"
#include "autograd/runner/run.h"
#include "gtest/gtest.h"

namespace twingrad::interleave {
namespace {

using twingrad::ErrorKind;
using twingrad::program::ErrorRecord;
using twingrad::program::Observation;
using twingrad::program::Program;

constexpr char kProgram[] =
    "twingrad 1\n"
    "%x = leaf type=f64[] data=3 grad=1\n"
    "%d = to %x device=dev:0\n"
    "%y = mul %d %d\n"
    "backward %y\n";

class ProgramJudgeTest : public testing::Test {
 protected:
  static Observation Run(const Program& program) {
    twingrad::Engine engine;
    return twingrad::runner::Run(program, engine);
  }
  std::string DetectorOf(const Observation& observed) {
    ProgramJudge judge(program_, 1, single_);
    const auto finding = judge(observed);
    if (!finding) return "";
    EXPECT_FALSE(finding->text.empty());
    return finding->detector;
  }

  const Program program_ = *twingrad::program::Parse(kProgram);
  const Observation single_ = Run(program_);
};

TEST_F(ProgramJudgeTest, TheSameIsRightAgainAndAgain) {
  ProgramJudge judge(program_, 1, single_);
  EXPECT_FALSE(judge.JudgeSingle().has_value());
  EXPECT_FALSE(judge(single_).has_value());
  EXPECT_FALSE(judge(single_).has_value());
}

TEST_F(ProgramJudgeTest, OneBitMore) {
  Observation observed = single_;
  observed.values[0].grad.bits[0] ^= 1;
  EXPECT_EQ(DetectorOf(observed), "bits");
}

TEST_F(ProgramJudgeTest, ANodeThatRunsTwiceOrTooEarly) {
  Observation observed = single_;
  observed.calls[0].executed.push_back(observed.calls[0].executed.back());
  EXPECT_NE(DetectorOf(observed), "");
  observed = single_;
  std::swap(observed.calls[0].executed[0], observed.calls[0].executed[1]);
  EXPECT_EQ(DetectorOf(observed), "order");
}

TEST_F(ProgramJudgeTest, AnErrorThatNobodyRaises) {
  Observation observed = single_;
  observed.error = ErrorRecord{ErrorKind::kUser, 3, "x"};
  EXPECT_EQ(DetectorOf(observed), "bits");
  observed.error = ErrorRecord{ErrorKind::kInternal, 3, "x"};
  EXPECT_EQ(DetectorOf(observed), "errors");
  observed.error =
      ErrorRecord{ErrorKind::kInternal, 3, "[runner] .grad changed after the call had ended"};
  EXPECT_EQ(DetectorOf(observed), "frozen");
}

TEST_F(ProgramJudgeTest, FingerprintsSeeEveryPartButTheOrderAloneSeesTheOrder) {
  Observation observed = single_;
  EXPECT_EQ(FingerprintOf(observed), FingerprintOf(single_));
  observed.values[0].version = 7;
  EXPECT_NE(FingerprintOf(observed), FingerprintOf(single_));
  EXPECT_EQ(OrderFingerprintOf(observed), OrderFingerprintOf(single_));
  observed = single_;
  std::swap(observed.calls[0].executed[0], observed.calls[0].executed[1]);
  EXPECT_NE(FingerprintOf(observed), FingerprintOf(single_));
  EXPECT_NE(OrderFingerprintOf(observed), OrderFingerprintOf(single_));
}

}  // namespace
}  // namespace twingrad::interleave
