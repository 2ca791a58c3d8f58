// Powers: where they are smooth no convention holds, and elsewhere what exists is known.

#include <cmath>

#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

TEST(BallPower, OfPositiveNumbersIsSmoothInBoth) {
  // a^b at b = 0: no convention holds where the function is smooth.
  ExpectMixed("pow", 4, 0, 0, std::log(4), 0.25);
  ExpectMixed("pow", 2, 3, 12, 8 * std::log(2), 4 + 12 * std::log(2));
  // x^x: y' = y (log x + 1), and so on.
  const double y = 4, l = std::log(2) + 1;
  ExpectDerivatives("pow %x %x", 2,
                    {y, y * l, y * (l * l + 0.5), y * (l * l * l + 1.5 * l - 0.25)});
}

TEST(BallPower, AtZeroAndOfNegativeNumbers) {
  const BallRun run(
      "%a = leaf type=f64[3] data=0,-2,-2 grad=1\n%b = leaf type=f64[3] data=2,3,-1\n"
      "%y = pow %a %b\n%s = sum %y\n%d = grad %s inputs=%a create_graph=1\n%t = sum %d\n"
      "backward %t\n");
  ExpectNumbers(run.Value("y"), {0, -8, -0.5}, "pow");
  ExpectNumbers(run.Value("d"), {0, 12, -0.25}, "pow");
  ExpectNumbers(run.Grad("a"), {2, -12, -0.25}, "pow");
  // Of 0 to 2.5 two derivatives exist; along b nothing is known at a negative a.
  const BallRun odd(
      "%a = leaf type=f64[2] data=0,-2 grad=1\n%b = leaf type=f64[2] data=2.5,3 grad=1\n"
      "%y = pow %a %b\n%s = sum %y\nbackward %s\n");
  ExpectNumbers(odd.Value("y"), {0, -8}, "pow");
  ExpectNumbers(odd.Grad("a"), {0, 12}, "pow");
  ExpectNumbers({odd.Grad("b")[0]}, {0}, "pow");
  EXPECT_FALSE(odd.Grad("b")[1].IsKnown());
}

}  // namespace
}  // namespace twingrad::reference::ball
