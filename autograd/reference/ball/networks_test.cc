// Linear layers, attention, norms and dropout: values and gradients worked out by hand.

#include <cmath>
#include <string>

#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

TEST(BallNetworks, Linear) {
  const std::string rows = "%x = leaf type=f64[2,2] data=1,2,3,4 grad=1\n";
  ExpectLinear({rows + "%b = leaf type=f64[3,2] data=1,0,0,1,1,10\n%c = leaf type=f64[3] "
                       "data=100,200,300\n",
                "linear %x %b %c",
                "f64[2,3] data=1,2,3,4,5,6",
                {101, 202, 321, 103, 204, 343},
                {4, 32, 10, 65}});
  ExpectLinear({rows + "%a = leaf type=f64[2] data=1,10\n",
                "linear %a %x",
                "f64[2] data=1,2",
                {21, 43},
                {1, 10, 2, 20}});
}

TEST(BallNetworks, Dropout) {
  // Philox of counter 0 and key 0: the first word alone is below half of 2^32.
  ExpectLinear({"%x = leaf type=f64[4] data=1,2,3,4 grad=1\n",
                "dropout %x by=0.5 seed=0",
                "f64[4] data=1,2,3,4",
                {0, 4, 6, 8},
                {0, 4, 6, 8}});
}

// A query of 0 shares alike among what it sees: the values' mean, and by its own slope their
// covariance with the keys.
TEST(BallNetworks, Attention) {
  const std::string beside = "%k = leaf type=f64[2,1] data=1,3\n%v = leaf type=f64[2,1] data=2,6\n";
  const std::string queries = "%x = leaf type=f64[3,1] data=0,0,0 grad=1\n";
  ExpectLinear({queries + beside,
                "scaled_dot_product_attention %x %k %v",
                "f64[3,1] data=1,10,100",
                {4, 4, 4},
                {2, 20, 200}});
  ExpectLinear({queries + beside,
                "scaled_dot_product_attention %x %k %v causal=1",
                "f64[3,1] data=1,10,100",
                {2, 4, 4},
                {0, 20, 200}});
  ExpectLinear(
      {"%x = leaf type=f64[2,1] data=2,6 grad=1\n%q = leaf type=f64[1,1] data=0\n"
       "%k = leaf type=f64[2,1] data=1,3\n",
       "scaled_dot_product_attention %q %k %x",
       "f64[1,1] data=3",
       {4},
       {1.5, 1.5}});
}

// The scale is 1 / √2 for two numbers a key: by x and keys 0 and x, the share of the second is
// s(√2 x²) for the logistic function s.
TEST(BallNetworks, AttentionScales) {
  const BallRun run(
      "%x = leaf type=f64[1,2] data=1,1 grad=1\n%k = leaf type=f64[2,2] data=0,0,1,1\n"
      "%v = leaf type=f64[2,1] data=0,1\n%y = scaled_dot_product_attention %x %k %v\n"
      "%s = sum %y\nbackward %s\n");
  const double share = 1 / (1 + std::exp(-std::sqrt(2.0)));
  ExpectNumbers(run.Value("y"), {share}, "share", kError);
  const double slope = share * (1 - share) / std::sqrt(2.0);
  ExpectNumbers(run.Grad("x"), {slope, slope}, "slope", kError);
}

// Of 1 and 3 the mean is 2 and the variance 1; eps = 3 makes 1 / √4 of them. By the first the
// value's slope is 1/2 - 1/4 - 1/16 = 3/16 there, and -3/16 at the other.
TEST(BallNetworks, Norms) {
  const std::string leaf = "%x = leaf type=f64[1,2] data=1,3 grad=1\n";
  for (const char* op :
       {"layer_norm %x count=1 eps=3", "group_norm %x eps=3", "layer_norm %x count=2 eps=3"}) {
    ExpectLinear({leaf, op, "f64[1,2] data=1,0", {-0.5, 0.5}, {3.0 / 16, -3.0 / 16}});
  }
  ExpectLinear({"%x = leaf type=f64[2,1] data=1,3 grad=1\n",
                "batch_norm %x eps=3",
                "f64[2,1] data=1,0",
                {-0.5, 0.5},
                {3.0 / 16, -3.0 / 16}});
  ExpectLinear({leaf, "group_norm %x groups=2 eps=4", "f64[1,2] data=1,1", {0, 0}, {0, 0}});
}

TEST(BallNetworks, NormsWithWeights) {
  const BallRun run(
      "%x = leaf type=f64[2,2,1] data=1,3,3,1 grad=1\n%w = leaf type=f64[2] data=2,4 grad=1\n"
      "%b = leaf type=f64[2] data=10,20 grad=1\n%l = group_norm %x %w %b eps=3\n"
      "%m = leaf type=f64[2,2,1] data=1,2,3,4\n%p = mul %l %m\n%s = sum %p\nbackward %s\n");
  ExpectNumbers(run.Value("l"), {9, 22, 11, 18}, "group_norm");
  ExpectNumbers(run.Grad("w"), {-0.5 + 1.5, 1 - 2}, "weight");
  ExpectNumbers(run.Grad("b"), {4, 6}, "bias");
  // Gradients 2, 8 and 6, 16 of n: r (h - mean - n mean(h n)), 3/4 of half of their half
  // difference.
  ExpectNumbers(run.Grad("x"), {-9.0 / 8, 9.0 / 8, -15.0 / 8, 15.0 / 8}, "operand");
}

}  // namespace
}  // namespace twingrad::reference::ball
