#include "proptests/judge/expectation.h"

#include <gtest/gtest.h>

#include <vector>

#include "autograd/program/parse.h"

namespace twingrad::judge {
namespace {

using twingrad::program::ErrorRecord;
using twingrad::program::Observation;
using twingrad::program::Program;

Program TwoThatReleaseOneGraph() {
  return *twingrad::program::Parse(
      "twingrad 1\n"
      "%x = leaf type=f64[] data=3 grad=1\n"
      "%y = mul %x %x\n"
      "begin kind=thread\n"
      "backward %y\n"
      "end\n"
      "begin kind=thread\n"
      "backward %y\n"
      "end\n");
}

Observation WithFreed(std::vector<int> calls) {
  Observation observed;
  for (const int call : calls) observed.survived.push_back({ErrorKind::kFreed, call, ""});
  return observed;
}

TEST(Expectation, TheCallsThatFailedChooseThePrediction) {
  const Program program = TwoThatReleaseOneGraph();
  Expectation expected(program);
  EXPECT_EQ(&expected.Of(WithFreed({})), &expected.usual());
  for (const int call : {3, 6}) {
    const auto& prediction = expected.Of(WithFreed({call}));
    ASSERT_EQ(prediction.observation.survived.size(), 1u);
    EXPECT_EQ(prediction.observation.survived[0].statement, call);
    EXPECT_EQ(&expected.Of(WithFreed({call})), &prediction) << "made once";
  }
}

TEST(Expectation, AFailureThatMayNotBeChoosesNone) {
  const Program program = TwoThatReleaseOneGraph();
  Expectation expected(program);
  EXPECT_EQ(&expected.Of(WithFreed({3, 6})), &expected.usual());  // one finds the graph whole
  EXPECT_EQ(&expected.Of(WithFreed({1})), &expected.usual());
  Observation other = WithFreed({3});
  other.survived[0].error = ErrorKind::kVersion;
  EXPECT_EQ(&expected.Of(other), &expected.usual());
}

// In any order the first section's second call may come to %y, and release it, before it finds that
// it has released %z itself.
TEST(Expectation, ACallThatFailsAnywayMayHaveReleasedWhatAnotherNeeds) {
  const Program program = *twingrad::program::Parse(
      "twingrad 1\n"
      "%x = leaf type=f64[] data=3 grad=1\n"
      "%y = exp %x\n"
      "begin kind=thread\n"
      "%z = exp %x\n"
      "backward %z\n"
      "backward %y %z\n"
      "end\n"
      "begin kind=thread\n"
      "backward %y\n"
      "end\n");
  Expectation in_order(program), in_any_order(program, /*any_order=*/true);
  EXPECT_EQ(in_order.Of(WithFreed({5, 8})).observation.survived.size(), 1u);
  EXPECT_EQ(in_any_order.Of(WithFreed({5, 8})).observation.survived.size(), 2u);
  EXPECT_EQ(in_any_order.Of(WithFreed({5})).observation.survived.size(), 1u);
}

}  // namespace
}  // namespace twingrad::judge
