// Sums of products by an equation: values and gradients worked out by hand.

#include <string>

#include "autograd/reference/ball/ball.h"
#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

const std::string kSquare = "%x = leaf type=f64[2,2] data=1,2,3,4 grad=1\n";

TEST(BallContraction, OfOne) {
  ExpectLinear({kSquare, "einsum %x equation=ii->i", "f64[2] data=3,5", {1, 4}, {3, 0, 0, 5}});
  ExpectLinear({kSquare, "einsum %x equation=ij->j", "f64[2] data=1,10", {4, 6}, {1, 10, 1, 10}});
  ExpectLinear(
      {kSquare, "einsum %x equation=ij->ji", "f64[2,2] data=1,2,3,4", {1, 3, 2, 4}, {1, 3, 2, 4}});
}

TEST(BallContraction, OfTwo) {
  const std::string row = kSquare + "%b = leaf type=f64[2] data=10,1\n";
  ExpectLinear({row, "einsum %x %b equation=ij,j->i", "f64[2] data=1,2", {12, 34}, {10, 1, 20, 2}});
  ExpectLinear(
      {row, "einsum %x %b equation=ij,j->ij", "f64[2,2] fill=1", {10, 2, 30, 4}, {10, 1, 10, 1}});
  // What one alone has is summed: 11 times the sum of each row.
  ExpectLinear(
      {row, "einsum %x %b equation=ij,k->i", "f64[2] data=1,2", {33, 77}, {11, 11, 22, 22}});
}

TEST(BallContraction, OfNothing) {
  ExpectLinear({"%x = leaf type=f64[0,2] grad=1\n",
                "einsum %x equation=ij->j",
                "f64[2] fill=1",
                {0, 0},
                {}});
}

}  // namespace
}  // namespace twingrad::reference::ball
