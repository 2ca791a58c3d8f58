// Values and gradients beside the dual numbers.

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

using twingrad::reference::DualResult;
using twingrad::reference::RunDual;

TEST(DualOracle, TheWitnessesAgree) {
  Trial trial(kProduct);
  const DualResult dual = RunDual(trial.program);
  EXPECT_EQ(dual.order_judged, 1);
  ExpectAgreement(JudgeDual(trial.evidence(), dual));
}

TEST(DualOracle, AWrongGradientIsFound) {
  Trial trial(kProduct);
  const DualResult dual = RunDual(trial.program);
  trial.observed.values[1].grad.bits[0] = Number(-1);
  ExpectFinding(JudgeDual(trial.evidence(), dual), "dual");
}

// Of a call that found its graph released by another section's, some gradients may have arrived.
// What rounding leaves of a derivative of 0 is then the engine's own, as it is where none fails.
TEST(DualOracle, WhatACallThatFailsHasAddedIsRoundedAsWell) {
  const std::string text =
      "%x = leaf type=f32[3] data=0,1,2 grad=1\n%t = tanh %x\n%a = leaf type=f32[] data=0 grad=1\n"
      "%y = add %t %a\n%v = var %y\nbegin kind=thread\nbackward %v\nend\n"
      "begin kind=thread\n%s = sum %t\nbackward %s\nend\n";
  const ValueId a = 2;
  Trial trial(text);
  trial.expected = reference::RunTwinWithFreed(trial.program, {6});
  ASSERT_TRUE(trial.expected.freed_calls_are_legal);
  trial.observed = trial.expected.observation;
  const DualResult dual = RunDual(trial.program, std::vector<int32_t>{6});
  ExpectAgreement(JudgeDual(trial.evidence(), dual));
  const reference::GradAlternative* added = nullptr;
  for (const auto& alternative : trial.expected.grad_alternatives) {
    if (alternative.value == a && alternative.defined) added = &alternative;
  }
  ASSERT_NE(added, nullptr);
  ValueRecord& record = trial.observed.values[static_cast<size_t>(a)];
  record.grad_defined = true;
  record.grad = added->data;
  for (const double residue : {0.0, 1e-8, -1e-8}) {
    record.grad.bits[0] = Number(residue);
    ExpectAgreement(JudgeDual(trial.evidence(), dual));
  }
  record.grad.bits[0] = Number(1e-3);
  ExpectFinding(JudgeDual(trial.evidence(), dual), "dual");
}

// What a short format rounds may have a sign where the exact difference is 0.
TEST(DualOracle, TheSignOfWhatRoundingLeavesIsOpenInShortFormats) {
  const std::string rest =
      "%b = leaf type=f16[2,1,1,2,1] data=0,0,2,-2\n%c = conv_transpose3d %x %b\n"
      "%s = sum %c\n%y = sgn %s\n";
  Trial trial("%x = leaf type=f16[2,1,2,1] data=0,0,0x1.998p-4,1\n" + rest);
  const DualResult dual = RunDual(trial.program);
  ExpectAgreement(JudgeDual(trial.evidence(), dual));
  for (const double sign : {-1.0, 0.0, 1.0}) {
    trial.observed.values.back().data.bits[0] = Number(sign);
    ExpectAgreement(JudgeDual(trial.evidence(), dual));
  }
}

TEST(DualOracle, AMissingGradientIsFound) {
  Trial trial(kProduct);
  const DualResult dual = RunDual(trial.program);
  trial.observed.values[1].grad_defined = false;
  ExpectFinding(JudgeDual(trial.evidence(), dual), "dual");
}

TEST(DualOracle, WhatDoesNotApplyIsSkipped) {
  Trial trial(kProduct);
  DualResult dual;
  dual.not_applicable = "a reason";
  const Verdict verdict = JudgeDual(trial.evidence(), dual);
  EXPECT_EQ(verdict.outcome, Outcome::kSkipped);
  EXPECT_EQ(verdict.text, "a reason");
}

// Beside each thing that is not followed, a wrong gradient is told; what is excused is not.
TEST(DualOracle, AWrongGradientBesideWhatIsExcusedIsFound) {
  const std::string leaves =
      "%x = leaf type=f64[2] data=2,3 grad=1\n%w = leaf type=f64[2] data=5,-1 grad=1\n";
  const std::string call = "%p = mul %y %w\n%s = sum %p\nbackward %s\n";
  for (const std::string disturbed :
       {"%y = custom %x do=nan\n", "%y = mul %x %x\nneg_ %y\npre_hook %y do=scale by=2\n",
        "%y = mul %x %x\nhook %y id=h do=scale by=2\nhook %x do=remove target=h\n",
        "%v = mul %x %x\n%y = mul %w %w\nhook %y do=backward target=%v\n",
        "begin kind=saved_tensor_hooks do=scale by=3\n%y = sin %x\nend\n"}) {
    Trial trial(leaves + disturbed + call);
    const DualResult dual = RunDual(trial.program);
    ExpectAgreement(JudgeDual(trial.evidence(), dual));
    const GradientCount count = CountGradients(trial.evidence(), dual);
    EXPECT_EQ(count.judged[0], 2u) << disturbed;
    const auto is_known = [&](size_t leaf) { return !std::isinf(dual.grads[leaf].BoundOf(0)); };
    EXPECT_NE(is_known(0), is_known(1)) << disturbed;
    auto& excused = trial.observed.values[is_known(0) ? 1 : 0].grad.bits[0];
    const auto right = excused;
    excused = Number(-77);
    ExpectAgreement(JudgeDual(trial.evidence(), dual));
    excused = right;
    trial.observed.values[is_known(0) ? 0 : 1].grad.bits[0] = Number(-77);
    ExpectFinding(JudgeDual(trial.evidence(), dual), "dual");
  }
}

TEST(DualOracle, AWrongGradientAfterAnErrorIsFound) {
  Trial trial(
      "%x = leaf type=f64[] data=3 grad=1\n%w = leaf type=f64[] data=5 grad=1\n%y = mul %x %x\n"
      "begin kind=try\n%t = custom %y do=throw\nbackward %t\nend\n%z = mul %w %w\nbackward %z\n");
  const DualResult dual = RunDual(trial.program, {5});
  ExpectAgreement(JudgeDual(trial.evidence(), dual));
  trial.observed.values[1].grad.bits[0] = Number(11);
  ExpectFinding(JudgeDual(trial.evidence(), dual), "dual");
}

// x less what f32 makes of it is 0 to numbers that know no f32; the twin has its sign.
TEST(DualOracle, TheSignOfWhatF32RoundedIsNoFinding) {
  Trial trial(
      "%x = leaf type=f64[] data=0.9 grad=1\n%f = cast %x to=f32\n%y = cast %f to=f64\n"
      "%d = sub %x %y\n%s = sgn %d\n%w = leaf type=f64[] data=2 grad=1\n%z = mul %s %w\n"
      "backward %z\n");
  const DualResult dual = RunDual(trial.program);
  EXPECT_EQ(dual.values[4].data[0], 0);
  EXPECT_EQ(trial.observed.values[4].data.bits[0], Number(1));
  ExpectAgreement(JudgeDual(trial.evidence(), dual));
}

TEST(DualOracle, CountsTheElementsOfGradientsByOrder) {
  Trial trial(
      "%x = leaf type=f64[2] data=3,1 grad=1\n%y = mul %x %x\n%s = sum %y\n"
      "%g = grad %s inputs=%x create_graph=1\n%t = sum %g\nbackward %t\n");
  const DualResult dual = RunDual(trial.program);
  const GradientCount count = CountGradients(trial.evidence(), dual);
  EXPECT_EQ(count.asked, (std::array<uint64_t, 2>{2, 2}));
  EXPECT_EQ(count.judged, count.asked);
  DualResult refused = dual;
  refused.not_applicable = "a reason";
  EXPECT_EQ(CountGradients(trial.evidence(), refused).asked, count.asked);
  EXPECT_EQ(CountGradients(trial.evidence(), refused).judged, (std::array<uint64_t, 2>{}));
}

}  // namespace
}  // namespace twingrad::oracles
