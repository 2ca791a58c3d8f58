// Branches: decided ones, kinks, which are hulls, and those that rounding decides.

#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

TEST(BallChoices, DecidedBranches) {
  const std::string matrix = kMatrix;
  const LinearCase cases[] = {
      {matrix + "%c = leaf type=bool[3] data=1,0,1\n%y = leaf type=f64[] data=7\n",
       "where %c %x %y",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 7, 2, 6, 7, 4},
       {1, 0, 3, 4, 0, 6}},
      {kMatrix,
       "clamp %x min=1.5 max=4.5",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 1.5, 2, 4.5, 4.5, 4},
       {1, 0, 3, 0, 0, 6}},
      {"%x = leaf type=f64[3] data=-2,3,-4 grad=1\n",
       "relu %x",
       "f64[3] data=1,2,3",
       {0, 3, 0},
       {0, 2, 0}},
      {"%x = leaf type=f64[3] data=-2,3,-4 grad=1\n",
       "abs %x",
       "f64[3] data=1,2,3",
       {2, 3, 4},
       {-1, 2, -3}},
      {"%x = leaf type=f64[3] data=-2,3,-4 grad=1\n",
       "sgn %x",
       "f64[3] data=1,2,3",
       {-1, 1, -1},
       {0, 0, 0}},
  };
  for (const LinearCase& c : cases) ExpectLinear(c);
}

// A kink's derivative is the hull of Clarke's generalized gradient; the value is never excused.
TEST(BallChoices, KinksAreHulls) {
  const auto expect = [](const std::string& op, double x, double least, double greatest) {
    const BallRun run(
        absl::StrCat("%x = leaf type=f64[] data=", x, " grad=1\n%y = ", op, "\nbackward %y\n"));
    const Enclosure ball = run.Grad("x")[0];
    EXPECT_EQ(ball.Distance(least), 0) << op;
    EXPECT_EQ(ball.Distance(greatest), 0) << op;
    EXPECT_GT(ball.Distance(least - 1e-6), 0) << op;
    EXPECT_GT(ball.Distance(greatest + 1e-6), 0) << op;
    EXPECT_TRUE(run.Value("y")[0].IsPoint()) << op;
  };
  expect("relu %x", 0, 0, 1);
  expect("abs %x", 0, -1, 1);
  expect("clamp %x min=1", 1, 0, 1);
  expect("clamp %x max=1", 1, 0, 1);
  expect("maximum %x %x", 1, 1, 1);  // there is none: both are one number
  const BallRun tie("%x = leaf type=f64[3] data=2,2,1 grad=1\n%y = amax %x\nbackward %y\n");
  for (const double share : {0.0, 0.5, 1.0}) EXPECT_EQ(tie.Grad("x")[0].Distance(share), 0);
  ExpectNumbers({tie.Grad("x")[2]}, {0}, "amax");
  const BallRun jump("%x = leaf type=f64[] grad=1\n%y = sgn %x\nbackward %y\n");
  EXPECT_FALSE(jump.Grad("x")[0].IsKnown());
}

// A run in f64 takes this for 0 or not: no branch that hangs on it is known, and all else is.
TEST(BallChoices, WhatRoundingDecidesIsOpen) {
  const BallRun run(
      "%x = leaf type=f64[2] data=0.1,0.5 grad=1\n%a = leaf type=f64[] data=0.2\n"
      "%b = leaf type=f64[2] data=0x1.3333333333334p-2,0.5\n%y = add %x %a\n%z = sub %y %b\n"
      "%r = relu %z\n%c = cast %z to=bool\n%w = where %c %x %z\n%s = sum %r\nbackward %s\n");
  EXPECT_EQ(run.Grad("x")[0].Distance(0), 0);
  EXPECT_EQ(run.Grad("x")[0].Distance(1), 0);
  ExpectNumbers({run.Grad("x")[1]}, {1}, "x");
  EXPECT_GT(run.Value("w")[0].radius, 1e-3);
}

}  // namespace
}  // namespace twingrad::reference::ball
