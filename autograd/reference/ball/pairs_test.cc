// Functions of two numbers: derivatives from textbooks, far out, and where there are none.

#include <cmath>
#include <numbers>

#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

TEST(BallPairs, LogAddExp) {
  ExpectMixed("logaddexp", 0, 0, 0.5, 0.5, -0.25);
  ExpectMixed("logaddexp", 900, -900, 1, 0, 0);
  ExpectMixed("logaddexp", -900, 900, 0, 1, 0);
  // log(2 e^x) = x + log 2
  ExpectDerivatives("logaddexp %x %x", 3, {3 + std::numbers::ln2, 1, 0, 0});
}

TEST(BallPairs, Atan2) {
  ExpectMixed("atan2", 1, -2, -0.4, -0.2, (1.0 - 4.0) / 25);
  ExpectMixed("atan2", -2, 1, 0.2, 0.4, (4.0 - 1.0) / 25);
  ExpectMixed("atan2", 0, 2, 0.5, 0, -0.25);
  ExpectMixed("atan2", 2, 0, 0, -0.5, 0.25);
  // Along the diagonal the angle stays.
  ExpectDerivatives("atan2 %x %x", 2, {std::numbers::pi / 4, 0, 0, 0});
}

TEST(BallPairs, XLogY) {
  ExpectMixed("xlogy", 3, 2, std::numbers::ln2, 1.5, 0.5);
  ExpectMixed("xlogy", 0, 4, 2 * std::numbers::ln2, 0, 0.25);
  // x log x
  ExpectDerivatives("xlogy %x %x", 1, {0, 1, 1, -1});
}

TEST(BallPairs, NothingIsKnownWhereTheAngleJumps) {
  const BallRun run(
      "%a = leaf type=f64[2] grad=1\n%b = leaf type=f64[2] data=-1,0\n"
      "%y = atan2 %a %b\n%s = sum %y\nbackward %s\n");
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(run.Value("y")[i].IsKnown());
    EXPECT_FALSE(run.Grad("a")[i].IsKnown());
  }
}

}  // namespace
}  // namespace twingrad::reference::ball
