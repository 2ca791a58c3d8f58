// Sums, products and quotients: derivatives to third order, mixed ones, and integers.

#include <string>

#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/reference/ball/test_ball.h"

namespace twingrad::reference::ball {
namespace {

TEST(BallArithmetic, ProductsAndQuotients) {
  ExpectDerivatives("mul %x %x", 3, {9, 6, 2, 0}, 0);
  ExpectDerivatives("add %x %x", 3, {6, 2, 0, 0}, 0);
  ExpectDerivatives("sub %x %x", 3, {0, 0, 0, 0}, 0);
  ExpectDerivatives("neg %x", 3, {-3, -1, 0, 0}, 0);
  ExpectDerivatives("div %x %x", 3, {1, 0, 0, 0}, 0);
  ExpectDerivatives("mse_loss %x %x", 3, {0, 0, 0, 0}, 0);
  ExpectDerivatives("clone %x", 3, {3, 1, 0, 0}, 0);
}

TEST(BallArithmetic, MixedDerivatives) {
  ExpectMixed("mul", 3, 5, 5, 3, 1, 0);
  ExpectMixed("div", 3, 4, 0.25, -0.1875, -0.0625, 0);
  ExpectMixed("mse_loss", 3, 5, -4, 4, -2, 0);
  ExpectMixed("sub", 3, 5, 1, -1, 0, 0);
  ExpectMixed("maximum", 3, 5, 0, 1, 0, 0);
  ExpectMixed("minimum", 3, 5, 1, 0, 0, 0);
}

// Integers wrap and are exact; here cast to f64 to be seen.
TEST(BallArithmetic, Integers) {
  const auto expect = [](const std::string& op, const std::vector<double>& numbers) {
    const BallRun run(absl::StrCat(
        "%x = leaf type=i64[3] data=3,-2,3\n%y = leaf type=i64[3] data=2,5,0\n",
        "%big = leaf type=i64[1] data=9223372036854775807\n%f = leaf type=f64[3] data=0.5,2,2\n",
        "%r = ", op, "\n%z = cast %r to=f64\n"));
    ExpectNumbers(run.Value("z"), numbers, op);
  };
  expect("add %x %y", {5, 3, 3});
  expect("sub %x %y", {1, -7, 3});
  expect("mul %x %y", {6, -10, 0});
  expect("mul %big %big", {1});
  expect("add %big %x", {-0x1p63 + 2, 0x1p63 - 3, -0x1p63 + 2});
  expect("pow %x %y", {9, -32, 1});
  expect("neg %x", {-3, 2, -3});
  expect("abs %x", {3, 2, 3});
  expect("relu %x", {3, 0, 3});
  expect("sgn %x", {1, -1, 1});
  expect("maximum %x %y", {3, 5, 3});
  expect("minimum %x %y", {2, -2, 0});
  expect("sum %x", {4});
  expect("prod %x", {-18});
  expect("amax %x", {3});
  expect("cumsum %x dim=0", {3, 1, 4});
  expect("sort %x dim=0", {-2, 3, 3});
  expect("argsort %x dim=0", {1, 0, 2});
  expect("argsort %x dim=0 descending=1", {0, 2, 1});
  expect("argmax %x dim=0", {0});
  expect("argmin %x dim=0", {1});
  expect("argmax %f dim=0", {1});
  expect("argmin %f dim=0", {0});
  expect("argsort %f dim=0 descending=1", {1, 2, 0});
  expect("matmul %x %y", {-4});
  expect("cast %x to=bool", {1, 1, 1});
}

}  // namespace
}  // namespace twingrad::reference::ball
