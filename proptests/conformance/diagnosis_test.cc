// What is said of a Program that an engine got wrong.

#include "proptests/conformance/diagnosis.h"

#include <bit>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "autograd/reference/ball/ball.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/conformance/testing_engines.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Observation;
using twingrad::program::Program;
using twingrad::reference::RunDual;
using twingrad::reference::RunTwin;
using twingrad::reference::TwinResult;

constexpr const char* kSquare = "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n";

Opinion Of(const TwinResult& twin, const Differences& differences, bool balls = false) {
  const Program program = Parsed(kSquare);
  const auto ball = twingrad::reference::ball::RunBall(program);
  return SecondOpinion(program, twin, RunDual(program), differences, balls ? &ball : nullptr);
}

TEST(DiagnosisTest, TheDualNumbersSpeakOfTheFirstDifference) {
  const TwinResult twin = RunTwin(Parsed(kSquare));
  const Opinion none = Of(twin, {});
  EXPECT_FALSE(none.doubtful);
  EXPECT_TRUE(absl::StrContains(none.text, "none, the dual numbers know numbers alone"));
  const ElementDifference known{.value = 0, .grad = true, .expected = 6, .actual = 7};
  EXPECT_TRUE(absl::StrContains(Of(twin, {known}).text, "the dual numbers agree with the twin"));
  const ElementDifference unknown{.value = 1, .grad = true, .expected = 1, .actual = 7};
  EXPECT_TRUE(absl::StrContains(Of(twin, {unknown}).text, "do not know this element"));
}

TEST(DiagnosisTest, AWitnessThatContradictsTheTwinMakesItDoubtful) {
  TwinResult twin = RunTwin(Parsed(kSquare));
  EXPECT_FALSE(Of(twin, {}, /*balls=*/true).doubtful);
  twin.observation.values[0].grad.bits = {std::bit_cast<uint64_t>(7.0)};
  const Opinion opinion = Of(twin, {});
  EXPECT_TRUE(opinion.doubtful);
  EXPECT_TRUE(absl::StrContains(opinion.text, "the dual numbers contradict the twin"));
}

TEST(DiagnosisTest, ASeedThatChangedToWhatAGradHoldsBecameIt) {
  const Program program = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%s = leaf type=f64[] data=2\n%y = mul %x %x\n"
      "backward %y seeds=%s\n");
  const Observation expected = RunTwin(program).observation;
  const auto became = [&](double seed) {
    Observation observed = expected;
    observed.values[1].data.bits = {std::bit_cast<uint64_t>(seed)};
    return SeedBecameGrad(program, {}, expected, observed);
  };
  EXPECT_TRUE(became(12));
  EXPECT_FALSE(became(7));
  EXPECT_FALSE(became(2));  // as it was
}

}  // namespace
}  // namespace twingrad::conformance
