// Factors that engines may multiply in any order.

#include "autograd/reference/products.h"

#include <cmath>
#include <string>

#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

// 2^600 times 2^600 overflows, and with 2^-400 twice it is 2^400.
TEST(Products, NothingIsKnownWhereFactorsOverflowInSomeOrder) {
  for (const std::string product :
       {"prod %a dims=1", "scatter_reduce %o %i %a dim=1 reduction=prod"}) {
    const TwinRun run(R"(%a = leaf type=f64[2,4] data=0x1p600,0x1p600,0x1p-400,0x1p-400,)"
                      R"(3,2,0x1p600,0x1p-400 grad=1
%o = leaf type=f64[2,1] data=1,1
%i = leaf type=i64[2,4] data=0,0,0,0,0,0,0,0
%y = )" + product + R"(
%s = sum %y
%g = grad %s inputs=%a create_graph=1
)");
    const Row values = run.Value("y"), bounds = run.ValueBound("y");
    const Row slopes = run.Value("g"), of_slopes = run.ValueBound("g");
    EXPECT_TRUE(std::isinf(bounds[0])) << product;
    EXPECT_EQ(values[1], 0x6p200) << product;
    EXPECT_LT(bounds[1], 0x1p160) << product;
    for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(std::isinf(of_slopes[i])) << product << i;
    EXPECT_EQ(slopes[4], 0x2p200) << product;
    for (size_t i = 4; i < 6; ++i) EXPECT_LT(of_slopes[i], 0x1p160) << product << i;
  }
}

// Each entry is a product of its own: 2^600, an overflow in any order, 2^800 that may overflow on
// the way, and 0 likewise.
TEST(Products, NothingIsKnownOfRunningOnesThatOverflowInSomeOrder) {
  const TwinRun run(
      R"(%a = leaf type=f64[2,4] data=0x1p600,0x1p600,0x1p-400,0,3,2,0x1p600,0x1p-400 grad=1
%y = cumprod %a dim=1
%s = sum %y
%g = grad %s inputs=%a create_graph=1
)");
  const Row values = run.Value("y"), bounds = run.ValueBound("y");
  EXPECT_EQ(values[0], 0x1p600);
  EXPECT_EQ(bounds[0], 0);
  for (size_t i = 2; i < 4; ++i) EXPECT_TRUE(std::isinf(bounds[i])) << i;
  EXPECT_EQ(values[7], 0x6p200);
  for (size_t i = 4; i < 8; ++i) EXPECT_LT(bounds[i], 0x1p560) << i;
  const Row of_slopes = run.ValueBound("g");
  for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(std::isinf(of_slopes[i])) << i;
  for (size_t i = 4; i < 8; ++i) EXPECT_FALSE(std::isinf(of_slopes[i])) << i;
}

}  // namespace
}  // namespace twingrad::reference
