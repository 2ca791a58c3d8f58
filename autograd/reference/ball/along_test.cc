// Reductions and what works along one dimension: values and gradients.

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

TEST(BallAlong, ReductionsAndOrders) {
  const LinearCase cases[] = {
      {kMatrix, "sum %x dims=1", "f64[2] data=1,10", {6, 15}, {1, 1, 1, 10, 10, 10}},
      {kMatrix, "mean %x dims=0", "f64[3] data=2,4,6", {4.5, 3, 3}, {1, 2, 3, 1, 2, 3}},
      {kMatrix, "prod %x dims=1", "f64[2] data=1,10", {6, 120}, {2, 6, 3, 200, 240, 300}},
      {kMatrix, "amax %x dims=1", "f64[2] data=1,10", {3, 6}, {1, 0, 0, 10, 0, 0}},
      {kMatrix, "amin %x dims=0", "f64[3] data=1,2,3", {3, 1, 2}, {1, 2, 3, 0, 0, 0}},
      {kMatrix, "max %x dim=1", "f64[2] data=1,10", {3, 6}, {1, 0, 0, 10, 0, 0}},
      {kMatrix, "min %x dim=1", "f64[2] data=1,10", {1, 4}, {0, 1, 0, 0, 0, 10}},
      {kMatrix,
       "cumsum %x dim=1",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 4, 6, 6, 11, 15},
       {6, 5, 3, 15, 11, 6}},
      {kMatrix,
       "sort %x dim=1",
       "f64[2,3] data=1,2,3,4,5,6",
       {1, 2, 3, 4, 5, 6},
       {3, 1, 2, 6, 5, 4}},
      {kMatrix,
       "sort %x dim=1 descending=1",
       "f64[2,3] data=1,2,3,4,5,6",
       {3, 2, 1, 6, 5, 4},
       {1, 3, 2, 4, 5, 6}},
  };
  for (const LinearCase& c : cases) ExpectLinear(c);
}

TEST(BallAlong, NormsAndDeviations) {
  const BallRun run(
      "%x = leaf type=f64[2,2] data=3,4,0,0 grad=1\n%n = norm %x dims=1\n%y = sum %n\n"
      "backward %y\n%z = leaf type=f64[4] data=1,1,-1,-1 grad=1\n%d = std %z\n"
      "%g = grad %d inputs=%z create_graph=1\n%s = select %g dim=0 index=0\nbackward %s\n");
  ExpectNumbers(run.Value("n"), {5, 0}, "norm");
  ExpectNumbers(run.Value("g"), {0.25, 0.25, -0.25, -0.25}, "the gradient of std");
  ExpectNumbers(run.Grad("z"), {0.125, -0.125, 0, 0}, "the second derivative of std");
  EXPECT_LE(run.Grad("x")[0].Distance(0.6), 1e-15);
  EXPECT_LE(run.Grad("x")[0].radius, 1e-25);
  for (const double slope : {-1., 0., 1.}) EXPECT_EQ(run.Grad("x")[2].Distance(slope), 0);
  EXPECT_LE(run.Grad("x")[2].radius, 1.001);
}

TEST(BallAlong, SoftmaxAndLogSumExp) {
  const double a = std::exp(1), b = std::exp(2), z = a + b, p = a / z, q = b / z;
  const std::string x = "%x = leaf type=f64[2] data=1,2 grad=1\n";
  const std::string call =
      "%w = leaf type=f64[2] data=1,3\n%m = mul %y %w\n%s = sum %m\nbackward %s\n";
  const BallRun soft(x + "%y = softmax %x dim=0\n" + call);
  ExpectNumbers(soft.Value("y"), {p, q}, "softmax", kError);
  ExpectNumbers(soft.Grad("x"), {-2 * p * q, 2 * p * q}, "softmax", kError);
  const BallRun log(x + "%y = log_softmax %x dim=0\n" + call);
  ExpectNumbers(log.Value("y"), {std::log(p), std::log(q)}, "log_softmax", kError);
  ExpectNumbers(log.Grad("x"), {1 - 4 * p, 3 - 4 * q}, "log_softmax", kError);
  const BallRun sum(x +
                    "%y = logsumexp %x\n%d = grad %y inputs=%x create_graph=1\n"
                    "%w = leaf type=f64[2] data=1,0\nbackward %d seeds=%w\n");
  ExpectNumbers(sum.Value("y"), {std::log(z)}, "logsumexp", kError);
  ExpectNumbers(sum.Value("d"), {p, q}, "logsumexp", kError);
  ExpectNumbers(sum.Grad("x"), {p * q, -p * q}, "logsumexp", kError);
  const BallRun loss(x + "%t = leaf type=i64[] data=1\n%y = cross_entropy %x %t\nbackward %y\n");
  ExpectNumbers(loss.Value("y"), {-std::log(q)}, "cross_entropy", kError);
  ExpectNumbers(loss.Grad("x"), {p, -p}, "cross_entropy", kError);
}

}  // namespace
}  // namespace twingrad::reference::ball
