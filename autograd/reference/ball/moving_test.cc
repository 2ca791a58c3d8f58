// Joins, picks and scatters: values and gradients.

#include <string>

#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

TEST(BallMoving, GradientsGoWhereElementsCameFrom) {
  const std::string matrix = kMatrix;
  const std::string i = "%i = leaf type=i64[2] data=2,2\n";
  const LinearCase cases[] = {
      {kMatrix,
       "flip %x dims=0",
       "f64[2,3] data=1,2,3,4,5,6",
       {6, 5, 4, 3, 1, 2},
       {4, 5, 6, 1, 2, 3}},
      {kMatrix,
       "cat %x %x dim=0",
       "f64[4,3] data=1,2,3,4,5,6,10,20,30,40,50,60",
       {3, 1, 2, 6, 5, 4, 3, 1, 2, 6, 5, 4},
       {11, 22, 33, 44, 55, 66}},
      {kMatrix,
       "stack %x %x dim=2",
       "f64[2,3,2] data=1,10,2,20,3,30,4,40,5,50,6,60",
       {3, 3, 1, 1, 2, 2, 6, 6, 5, 5, 4, 4},
       {11, 22, 33, 44, 55, 66}},
      {matrix + i,
       "index_select %x %i dim=1",
       "f64[2,2] data=1,2,3,4",
       {2, 2, 4, 4},
       {0, 0, 3, 0, 0, 7}},
      {matrix + "%i = leaf type=i64[2,2] data=0,2,1,1\n",
       "gather %x %i dim=1",
       "f64[2,2] data=1,2,3,4",
       {3, 2, 5, 5},
       {1, 0, 2, 0, 7, 0}},
      {matrix + "%i = leaf type=i64[1,3] data=1,0,1\n%y = leaf type=f64[1,3] data=10,20,30\n",
       "scatter_add %x %i %y dim=0",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 21, 2, 16, 5, 34},
       {1, 2, 3, 4, 5, 6}},
      {matrix +
           "%i = leaf type=i64[2,3] data=1,0,1,1,1,0\n%y = leaf type=f64[2,3] data=7,8,9,6,5,4\n",
       "scatter %x %i %y dim=0",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 8, 4, 6, 5, 9},
       {1, 0, 0, 0, 0, 0}},
      {matrix + "%m = leaf type=bool[3] data=0,1,0\n",
       "masked_fill %m %x by=9",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 9, 2, 6, 9, 4},
       {1, 0, 3, 4, 0, 6}},
      {kMatrix, "t %x", "f64[3,2] data=1,2,3,4,5,6", {3, 6, 1, 5, 2, 4}, {1, 3, 5, 2, 4, 6}},
      {kMatrix, "diagonal %x dims=1,0 by=-1", "f64[2] data=1,2", {1, 4}, {0, 1, 0, 0, 0, 2}},
      {kMatrix,
       "unfold %x dim=1 count=2",
       "f64[2,2,2] data=1,2,3,4,5,6,7,8",
       {3, 1, 1, 2, 6, 5, 5, 4},
       {1, 5, 4, 5, 13, 8}},
      {kMatrix, "alias %x", "f64[2,3] data=1,2,3,4,5,6", {3, 1, 2, 6, 5, 4}, {1, 2, 3, 4, 5, 6}},
  };
  for (const LinearCase& c : cases) ExpectLinear(c);
}

}  // namespace
}  // namespace twingrad::reference::ball
