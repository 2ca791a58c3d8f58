// Square matrices: values and gradients worked out by hand.

#include <string>

#include "autograd/reference/ball/ball.h"
#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

const std::string kSquare = "%x = leaf type=f64[2,2] data=1,2,3,4 grad=1\n";

TEST(BallMatrices, Inverse) {
  // -rᵀ g rᵀ of a g of ones.
  ExpectLinear(
      {kSquare, "inverse %x", "f64[2,2] data=1,1,1,1", {-2, 1, 1.5, -0.5}, {-0.5, 0.5, 0.5, -0.5}});
  ExpectLinear({"%x = leaf type=f64[1,1] data=4 grad=1\n",
                "inverse %x",
                "f64[1,1] data=2",
                {0.25},
                {-0.125}});
}

TEST(BallMatrices, DetOfSingularMatricesToo) {
  ExpectLinear({kSquare, "det %x", "f64[] data=10", {-2}, {40, -30, -20, 10}});
  ExpectLinear({"%x = leaf type=f64[3,3] data=1,2,3,4,5,6,7,8,9 grad=1\n",
                "det %x",
                "f64[] data=1",
                {0},
                {-3, 6, -3, 6, -12, 6, -3, 6, -3}});
  ExpectLinear({"%x = leaf type=f64[2,0,0] grad=1\n", "det %x", "f64[2] data=1,1", {1, 1}, {}});
}

TEST(BallMatrices, SolveTriangular) {
  const std::string lower = "%x = leaf type=f64[2,2] data=2,nan,1,4 grad=1\n";
  ExpectLinear({lower + "%b = leaf type=f64[2,1] data=2,9\n",
                "solve_triangular %x %b",
                "f64[2,1] data=1,1",
                {1, 2},
                {-0.375, 0, -0.25, -0.5}});
  ExpectLinear({"%a = leaf type=f64[2,2] data=4,1,nan,2\n%x = leaf type=f64[2,1] data=9,2 grad=1\n",
                "solve_triangular %a %x upper=1",
                "f64[2,1] data=1,1",
                {2, 1},
                {0.25, 0.375}});
}

TEST(BallMatrices, Cholesky) {
  ExpectLinear({"%x = leaf type=f64[2,2] data=4,nan,2,10 grad=1\n",
                "cholesky %x",
                "f64[2,2] data=1,5,24,24",
                {2, 0, 1, 3},
                {0.25 - 3 + 1, 0, 12 - 4, 4}});
}

TEST(BallMatrices, WhatMayBeSingularIsRefused) {
  for (const char* statement : {"inverse %x", "cholesky %x"}) {
    const BallRun run(std::string("%x = leaf type=f64[2,2] data=1,2,2,4 grad=1\n%y = ") +
                      statement + "\n");
    EXPECT_EQ(run.result().refusal, Refusal::kDomain) << statement;
  }
}

}  // namespace
}  // namespace twingrad::reference::ball
