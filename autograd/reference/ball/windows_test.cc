// Convolutions, pools and embeddings: values and gradients.

#include <string>

#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

TEST(BallWindows, GradientsGoWhereElementsCameFrom) {
  const std::string matrix = kMatrix;
  const LinearCase cases[] = {
      {matrix + "%b = leaf type=f64[2,1,2] data=1,10,100,1000\n",
       "conv1d %x %b stride=2 padding=1 groups=2",
       "f64[2,2] data=1,2,3,4",
       {30, 21, 6000, 4500},
       {10, 2, 20, 3000, 400, 4000}},
      {kMatrix,
       "avg_pool1d %x kernel=2 stride=1 padding=1",
       "f64[2,4] data=2,4,6,8,10,12,14,16",
       {1.5, 2, 1.5, 1, 3, 5.5, 4.5, 2},
       {3, 5, 7, 11, 13, 15}},
      {kMatrix,
       "max_pool1d %x kernel=2 stride=1",
       "f64[2,2] data=1,2,3,4",
       {3, 2, 6, 5},
       {1, 0, 2, 3, 4, 0}},
      {matrix + "%b = leaf type=f64[2,1,2] data=1,10,100,1000\n",
       "conv_transpose1d %x %b stride=2 padding=1 groups=2",
       "f64[2,4] data=1,2,3,4,5,6,7,8",
       {30, 1, 10, 2, 6000, 500, 5000, 400},
       {10, 32, 4, 5000, 7600, 800}},
      {kMatrix,
       "adaptive_avg_pool1d %x shape=2",
       "f64[2,2] data=2,4,6,8",
       {2, 1.5, 5.5, 4.5},
       {1, 3, 2, 3, 7, 4}},
      {kMatrix,
       "adaptive_max_pool1d %x shape=2",
       "f64[2,2] data=1,2,3,4",
       {3, 2, 6, 5},
       {1, 0, 2, 3, 4, 0}},
      {kMatrix,
       "upsample_nearest1d %x shape=2",
       "f64[2,2] data=1,2,3,4",
       {3, 1, 6, 5},
       {1, 2, 0, 3, 4, 0}},
      {kMatrix,
       "upsample_linear1d %x shape=5 align_corners=1",
       "f64[2,5] data=2,4,6,8,10,12,14,16,18,20",
       {3, 2, 1, 1.5, 2, 6, 5.5, 5, 4.5, 4},
       {4, 12, 14, 19, 32, 29}},
      {matrix + "%i = leaf type=i64[2] data=1,1\n",
       "embedding %x %i",
       "f64[2,3] data=1,2,3,4,5,6",
       {6, 5, 4, 6, 5, 4},
       {0, 0, 0, 5, 7, 9}},
  };
  for (const LinearCase& c : cases) ExpectLinear(c);
}

}  // namespace
}  // namespace twingrad::reference::ball
