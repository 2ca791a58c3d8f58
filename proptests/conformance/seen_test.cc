// Which record of an engine's stands for which of the twin's, and what the dual numbers know it by.

#include "proptests/conformance/seen.h"

#include <string>
#include <vector>

#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/conformance/testing_engines.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Observation;
using twingrad::reference::Watch;

std::vector<SeenGradient> Of(
    const std::string& statements, void (*change)(Observation&) = [](Observation&) {}) {
  const auto program = Parsed(statements);
  const auto twin = twingrad::reference::RunTwin(program);
  Observation observed = twin.observation;
  change(observed);
  return SeenGradients(program, twin, observed);
}

const std::string kClone = "%x = leaf type=f64[] data=3 grad=1\n%v = clone %x\n";

TEST(SeenTest, EachHookSeesTheGradientOfItsValue) {
  for (const char* hook : {"hook", "pre_hook", "post_hook"}) {
    const auto seen = Of(kClone + hook + " %v do=record\nbackward %v\n");
    ASSERT_EQ(seen.size(), 1u) << hook;
    EXPECT_EQ(seen[0].value, 1);
    EXPECT_EQ(seen[0].statement, 2);
    EXPECT_EQ(WatchesOf(seen), (std::vector<Watch>{{3, 1, false}}));
  }
  const auto after = Of(kClone + "accumulate_hook %x do=record\nbackward %v\n");
  EXPECT_EQ(WatchesOf(after), (std::vector<Watch>{{3, 0, true}}));
}

TEST(SeenTest, ACustomFunctionSeesThoseOfItsResultsInTheirOrder) {
  const auto seen =
      Of("%x = leaf type=f64[] data=3 grad=1\n%u,%v,%w = custom %x %x %x do=pass "
         "non_differentiable=1\n"
         "%y = mul %u %w\nbackward %y\n");
  EXPECT_EQ(WatchesOf(seen), (std::vector<Watch>{{3, 1, false}, {3, 3, false}}));
  EXPECT_EQ(seen[1].expected, 2u);  // the second saw nothing
}

// What comes behind a hook that changes it is another gradient.
TEST(SeenTest, BehindAHookThatChangesItNothingIsKnown) {
  const auto known = [](const std::string& hooks) {
    return WatchesOf(Of(kClone + hooks + "backward %v\n")).size();
  };
  EXPECT_EQ(known("hook %v do=scale by=2\nhook %v do=record\n"), 0u);
  EXPECT_EQ(known("hook %v do=scale by=2\npost_hook %v do=record\n"), 1u);
  EXPECT_EQ(known("pre_hook %v do=undefined\npost_hook %v do=record\n"), 0u);
  EXPECT_EQ(known("hook %v do=register target=%x\n"), 0u);
  EXPECT_EQ(known("hook %x do=scale by=2\nhook %v do=record\n"), 1u);
}

TEST(SeenTest, OfACallWithinACallAndOfAWriteNothingIsKnown) {
  const auto nested =
      Of("%x = leaf type=f64[] data=3 grad=1\n%r = neg %x\nhook %x do=record\n%v = leaf type=f64[] "
         "data=3 grad=1\nhook %v do=backward target=%r\n%y = mul %v %v\nbackward %y\n");
  ASSERT_EQ(nested.size(), 2u);
  EXPECT_EQ(WatchesOf(nested).size(), 1u);
  EXPECT_FALSE(nested[1].IsKnown());
  const auto written = Of(kClone + "custom_ %v do=pass\nbackward %v\n");
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].value, 1);
  EXPECT_FALSE(written[0].IsKnown());
}

TEST(SeenTest, RecordsThatTheEngineDoesNotHaveAreLeftOut) {
  const std::string two = kClone + "hook %v do=record\nhook %x do=callback\nbackward %v\n";
  EXPECT_EQ(Of(two).size(), 2u);  // the final callback saw nothing
  const auto without = [](Observation& observed) {
    std::erase_if(observed.calls[0].hooks, [](const auto& hook) { return hook.statement == 2; });
  };
  const auto left = Of(two, without);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].statement, 3);
  EXPECT_EQ(left[0].expected, 1u);
  EXPECT_EQ(left[0].observed, 0u);
}

}  // namespace
}  // namespace twingrad::conformance
