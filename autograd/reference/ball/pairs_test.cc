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

TEST(BallPairs, Modulo) {
  ExpectMixed("fmod", -7, 3, 1, 2, 0);
  ExpectMixed("remainder", -7, 3, 1, 3, 0);
  ExpectMixed("fmod", 0.3, 0.1, 1, -2, 0);
  ExpectMixed("fmod", 0, 3, 1, 0, 0);
  // At a jump, from the side on which the value lies.
  ExpectMixed("fmod", 6, 3, 1, -2, 0);
  ExpectMixed("remainder", 0, 3, 1, 0, 0);
  ExpectDerivatives("remainder %x %x", 3, {0, 0, 0, 0});
}

TEST(BallPairs, NothingIsKnownWhereAJumpMayHaveBeenPassed) {
  const BallRun run(
      "%a = leaf type=f64[2] data=0x1p-1,3\n%b = leaf type=f64[] data=1 grad=1\n"
      "%c = sin %a\n%d = div %c %c\n%e = mul %d %a\n%y = remainder %a %b\n%z = remainder %e %b\n");
  EXPECT_TRUE(run.Value("y")[1].IsKnown());
  EXPECT_TRUE(run.Value("z")[0].IsKnown());
  EXPECT_FALSE(run.Value("z")[1].IsKnown());
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
