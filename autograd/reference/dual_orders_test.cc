// How many orders of derivatives the plan says are asked of each statement.

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/reference/dual_plan.h"
#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using Orders = std::vector<int>;

Orders Of(const std::string& text, const std::vector<int32_t>& failed = {}) {
  Orders orders;
  for (const StatementPlan& plan : PlanDual(ParseOrThrow(text), failed).statements) {
    orders.push_back(plan.order);
  }
  return orders;
}

TEST(DualOrdersTest, WhatLeadsToAGradientThatIsDifferentiatedIsAskedForTwo) {
  EXPECT_EQ(Of(R"(%x = leaf type=f64[] data=3 grad=1
%u = leaf type=f64[] data=3 grad=1
%y = mul %x %x
%g = grad %y inputs=%x create_graph=1
%z = mul %g %x
%n = exp %x
backward %z
%w = mul %u %u
backward %w
)"),
            (Orders{2, 1, 2, 1, 1, 0, 0, 1, 0}));
}

TEST(DualOrdersTest, AGradientIsReadFromEveryCallThatAddsToIt) {
  EXPECT_EQ(Of(R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
%v = reshape %y shape=1
backward %y create_graph=1
%d = grad %v inputs=%x create_graph=1
%g = read_grad %x
%z = mul %g %x
backward %z
)"),
            (Orders{2, 2, 2, 1, 0, 1, 1, 0}));
}

TEST(DualOrdersTest, WhatAFailedCallMayHaveReachedIsAskedForAll) {
  const std::string text = R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
begin kind=try
%p = mul %x %x
backward %p
end
%g = grad %y inputs=%x create_graph=1
backward %g
)";
  EXPECT_EQ(Of(text)[3], 1);
  EXPECT_EQ(Of(text, {4})[3], 2);
}

}  // namespace
}  // namespace twingrad::reference
