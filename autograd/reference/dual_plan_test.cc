#include "autograd/reference/dual_plan.h"

#include <string>

#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

DualPlan Plan(const std::string& text) { return PlanDual(ParseOrThrow(text)); }

constexpr const char* kSquare = R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
)";

TEST(DualPlanTest, OrdersNeeded) {
  EXPECT_EQ(Plan(kSquare).order, 0);
  EXPECT_EQ(Plan(std::string(kSquare) + "backward %y\n").order, 1);
  // Made with a graph that nobody uses.
  EXPECT_EQ(Plan(std::string(kSquare) + "backward %y create_graph=1\n").order, 1);
  const std::string second = std::string(kSquare) + R"(%g = grad %y inputs=%x create_graph=1
%h = mul %g %g
%t = grad %h inputs=%x create_graph=1
)";
  EXPECT_EQ(Plan(second).order, 2);
  EXPECT_EQ(Plan(second).not_applicable, "");
  EXPECT_NE(Plan(second + "%u = grad %t inputs=%x\n").not_applicable, "");
  EXPECT_EQ(Plan(std::string(kSquare) + R"(backward %y create_graph=1
%g = read_grad %x
backward %g
)")
                .order,
            2);
}

TEST(DualPlanTest, HooksScale) {
  const std::string hooked = std::string(kSquare) + R"(hook %y do=scale by=2
hook %y do=scale by=5
backward %y
)";
  EXPECT_EQ(Plan(hooked).values[1].scale, 10);
  EXPECT_EQ(Plan(hooked).not_applicable, "");
  EXPECT_NE(Plan(std::string(kSquare) + "backward %y retain_graph=1\nhook %y do=scale by=2\n")
                .not_applicable,
            "");
  EXPECT_NE(Plan(std::string(kSquare) + "hook %y do=throw\n").not_applicable, "");
  EXPECT_NE(Plan(std::string(kSquare) + "hook %y do=scale by=2\nneg_ %y\n").not_applicable, "");
}

TEST(DualPlanTest, FamiliesOfViews) {
  const DualPlan plan = Plan(R"(%x = leaf type=f64[2,2] grad=1
%y = clone %x
%v = select %y dim=0 index=0
%w = select %v dim=0 index=0
%d = detach %v
neg_ %w
retain_grad %y
)");
  EXPECT_EQ(plan.values[3].owner, 1);
  EXPECT_EQ(plan.values[4].owner, 4);
  EXPECT_TRUE(plan.values[1].written);
  EXPECT_FALSE(plan.values[4].written);
  EXPECT_TRUE(plan.HasOwnGradient(0));
  EXPECT_FALSE(plan.HasOwnGradient(1));  // written: its gradient belongs to several contents
}

TEST(DualPlanTest, RefusesRegions) {
  EXPECT_NE(Plan("begin kind=try\nend\n").not_applicable, "");
  EXPECT_EQ(Plan("begin kind=no_grad\nend\n").not_applicable, "");
}

}  // namespace
}  // namespace twingrad::reference
