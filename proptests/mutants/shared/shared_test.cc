// Errors that engine and twin share: the balls find each, and the comparison of the two does not.
//
// One patch (shared.patch) plants ten errors in copies of sources of both, of which `shared_error`
// picks one while the program runs. The dual numbers, which do not have the errors, are not asked.

#include <cstdio>
#include <iterator>
#include <optional>
#include <string>

#include "autograd/engine/engine.h"
#include "autograd/program/print.h"
#include "autograd/program/signature.h"
#include "autograd/reference/ball/ball.h"
#include "autograd/runner/run.h"
#include "gtest/gtest.h"
#include "proptests/conformance/foreign_judge.h"
#include "proptests/generators/options.h"
#include "proptests/judge/judge.h"
#include "proptests/mutants/planted.h"
#include "proptests/mutants/sequential/kill.h"

namespace twingrad::mutants {

// Of kErrors, from 1 on; 0: none. The copies read it.
int shared_error = 0;

namespace {

constexpr const char* kErrors[] = {
    "formula: tanh' = 1 - r",
    "formula: the slope by a divisor is -a / b",
    "formula: log' = 1 / x^2",
    "formula: the second derivative of sigmoid takes 1 - r for a constant",
    "mask: relu's is 0 up to 0.5",
    "mask: clamp's is 1 below the lower limit",
    "mask: pow's slope by the base is masked at exponent 0",
    "mask: the lesser operand gets maximum's gradient",
    "index: flip leaves out the last of its dimensions",
    "bound: a quotient counts as exact",
};
constexpr int kBound = 10;  // of which the engine states none: the twin's alone is wrong
constexpr int kNumErrors = static_cast<int>(std::size(kErrors));

std::optional<Kill> HuntFor(int error, int programs) {
  judge::JudgeOptions options;
  options.device_threads = {0};
  options.dual = false;
  options.ball = reference::ball::RunBall;
  judge::Judge judge(options);
  // Where the twin is made of primitives that the engine does not use, they share no error of
  // these.
  generators::GeneratorOptions draws;
  EXPECT_TRUE(
      generators::SetOps(
          "-leaky_relu,-elu,-smooth_l1_loss,-celu,-selu,-hardtanh,-relu6,-hardsigmoid", &draws)
          .ok());
  shared_error = error;
  std::optional<Kill> kill = Hunt(judge, /*first_seed=*/30001, programs, draws);
  shared_error = 0;
  return kill;
}

// What is said of the engine with the error as of a foreign one.
conformance::ForeignVerdict JudgeAsForeign(int error, const program::Program& program, bool balls) {
  protocol::Hello hello;
  hello.dialect = "twingrad";
  for (const auto& signature : program::Signatures()) hello.ops.insert(signature.op);
  shared_error = error;
  conformance::Expectation expected = conformance::Expect(program, hello, balls);
  expected.dual.not_applicable = "not asked";
  Engine engine;
  program::Observation observed = runner::Run(program, engine);
  conformance::ForeignVerdict verdict =
      conformance::JudgeForeign(program, hello, expected, observed, nullptr);
  shared_error = 0;
  return verdict;
}

class SharedErrors : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { ASSERT_TRUE(CheckPlanted("shared")); }
};

TEST_P(SharedErrors, AreFoundByTheBalls) {
  const std::optional<Kill> kill = HuntFor(GetParam(), 60'000);
  ASSERT_TRUE(kill.has_value());
  std::printf("%s\n%s%s", MatrixRow(kErrors[GetParam() - 1], *kill).c_str(), kill->text.c_str(),
              program::Print(kill->shrunk).c_str());
  EXPECT_EQ(kill->oracle, "ball");
  EXPECT_NE(kill->text.find("\n  twin "), std::string::npos) << "balls name the twin, too";
  // The same of a foreign engine.
  const auto without = JudgeAsForeign(GetParam(), kill->shrunk, /*balls=*/false);
  EXPECT_EQ(without.outcome, conformance::Outcome::kAgree) << without.text;
  const auto foreign = JudgeAsForeign(GetParam(), kill->shrunk, /*balls=*/true);
  EXPECT_EQ(foreign.outcome, conformance::Outcome::kWrong);
  // A bound that is too small is the twin's fault, unless the engine's number is further off too.
  const bool of_twin = GetParam() == kBound && foreign.rule == "witnesses";
  EXPECT_TRUE(of_twin || foreign.rule == "ball") << foreign.rule << "\n" << foreign.text;
}

INSTANTIATE_TEST_SUITE_P(Each, SharedErrors, testing::Range(1, kNumErrors + 1));

// Copies alone change nothing.
TEST_F(SharedErrors, AreNotThereWithoutANumber) { EXPECT_FALSE(HuntFor(0, 500).has_value()); }

}  // namespace
}  // namespace twingrad::mutants
