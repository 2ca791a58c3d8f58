// Which values a point without a derivative can have to do with.

#include "proptests/conformance/reach.h"

#include <vector>

#include "gtest/gtest.h"
#include "proptests/conformance/testing_engines.h"

namespace twingrad::conformance {
namespace {

using twingrad::reference::Kink;
using twingrad::reference::KinkPoint;

TEST(ReachTest, GoesForwardsAndBackwardsAndNotBeside) {
  const auto program = Parsed(
      "%x = leaf type=f64[] data=0 grad=1\n"
      "%y = relu %x\n"
      "%z = exp %y\n"
      "%a = leaf type=f64[] data=3 grad=1\n"
      "%b = mul %a %a\n"
      "backward %z\n"
      "backward %b\n");
  EXPECT_EQ(ReachedBy({{.kink = Kink::kRelu, .statement = 1}}, program),
            (std::vector<bool>{true, true, true, false, false}));
  EXPECT_EQ(ReachedBy({}, program), std::vector<bool>(5, false));
}

TEST(ReachTest, SeedsInputsAndWritesJoin) {
  const auto program = Parsed(
      "%x = leaf type=f64[] data=0 grad=1\n"
      "%y = relu %x\n"
      "%s = leaf type=f64[] data=1\n"
      "%g = grad %y seeds=%s inputs=%x\n"
      "%a = leaf type=f64[] data=3\n"
      "add_ %a %g\n"
      "%b = leaf type=f64[] data=3\n");
  EXPECT_EQ(ReachedBy({{.kink = Kink::kRelu, .statement = 1}}, program),
            (std::vector<bool>{true, true, true, true, true, false}));
}

TEST(ReachTest, APointOfNoKnownStatementMayReachAll) {
  const auto program = Parsed("%x = leaf type=f64[] data=0 grad=1\n");
  EXPECT_EQ(ReachedBy({KinkPoint{}}, program), std::vector<bool>{true});
}

}  // namespace
}  // namespace twingrad::conformance
