// Matrix products and losses: values and gradients.

#include <string>

#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

TEST(BallProducts, MatricesAndLosses) {
  const std::string matrix = kMatrix;
  const LinearCase cases[] = {
      {matrix + "%b = leaf type=f64[3,2] data=1,2,3,4,5,6\n",
       "matmul %x %b",
       "f64[2,2] data=1,2,3,4",
       {16, 22, 41, 56},
       {5, 11, 17, 11, 25, 39}},
      {matrix + "%b = leaf type=f64[3] data=1,10,100\n",
       "matmul %x %b",
       "f64[2] data=1,2",
       {213, 456},
       {1, 10, 100, 2, 20, 200}},
      {matrix + "%a = leaf type=f64[2] data=1,2\n%b = leaf type=f64[3,2] data=1,2,3,4,5,6\n",
       "addmm %a %x %b",
       "f64[2,2] data=1,2,3,4",
       {17, 24, 42, 58},
       {5, 11, 17, 11, 25, 39}},
      {matrix + "%b = leaf type=f64[2,3] data=1,1,1,1,1,1\n",
       "mse_loss %x %b reduction=none",
       "f64[2,3] data=1,2,3,4,5,6",
       {4, 0, 1, 25, 16, 9},
       {4, 0, 6, 40, 40, 36}},
  };
  for (const LinearCase& c : cases) ExpectLinear(c);
}

}  // namespace
}  // namespace twingrad::reference::ball
