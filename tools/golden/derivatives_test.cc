#include "tools/golden/derivatives.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "autograd/program/parse.h"
#include "autograd/program/signature.h"
#include "gtest/gtest.h"
#include "tools/golden/entry.h"

namespace twingrad::golden {
namespace {

using twingrad::program::Opcode;
using twingrad::program::Signature;

std::map<Opcode, ShownOrders> Of(const std::string& statements) {
  const auto program = twingrad::program::Parse(absl::StrCat("twingrad 1\n", statements));
  EXPECT_TRUE(program.ok()) << program.status();
  return ShownDerivatives(*program);
}

constexpr char kFirst[] =
    "%x = leaf type=f64[] data=1 grad=1\n%y = sin %x\n%g = grad %y inputs=%x create_graph=1\n";

TEST(ShownDerivativesTest, CountsTheCallsThatAValueHasPassed) {
  const std::string shown = "expect %g kind=value data=0\n";
  EXPECT_EQ(Of(absl::StrCat(kFirst, shown))[Opcode::kSin].order, 1);
  const std::string second = absl::StrCat(kFirst, "%z = mul %g %g\nbackward %z\n", shown);
  EXPECT_EQ(Of(second)[Opcode::kSin].order, 1);
  EXPECT_EQ(Of(second)[Opcode::kMul].order, 0);
  auto orders = Of(absl::StrCat(second, "expect %x kind=grad data=0\n"));
  EXPECT_EQ(orders[Opcode::kSin].order, 2);
  EXPECT_EQ(orders[Opcode::kMul].order, 1);
  EXPECT_EQ(orders[Opcode::kSin].order_of_nothing, 0);
}

TEST(ShownDerivativesTest, WhatNothingExpectsIsNotShown) {
  EXPECT_EQ(Of(kFirst)[Opcode::kSin].order, 0);
}

TEST(ShownDerivativesTest, NoGradientFlowsToIndicesAndConstants) {
  auto orders = Of(
      "%a = leaf type=f64[2]\n%x = leaf type=f64[2] grad=1\n%c = sin %a\n%d = detach %x\n%e = exp "
      "%d\n%y = mul %x %c\n%z = mul %y %e\n%s = sum %z\nbackward %s\nexpect %x kind=grad "
      "data=0,0\n");
  EXPECT_EQ(orders[Opcode::kMul].order, 1);
  EXPECT_EQ(orders[Opcode::kSin].order, 0);
  EXPECT_EQ(orders[Opcode::kExp].order, 0);
}

TEST(ShownDerivativesTest, OverNothingAndInPlace) {
  auto orders =
      Of("%x = leaf type=f64[0,2] grad=1\n%y = clone %x\nneg_ %y\n%s = sum %y\nbackward %s\n"
         "expect %x kind=grad type=f64[0,2]\n");
  EXPECT_EQ(orders[Opcode::kNegInPlace].order_of_nothing, 1);
  EXPECT_EQ(orders[Opcode::kSum].order_of_nothing, 1);
  EXPECT_EQ(orders[Opcode::kSum].order, 0);
}

// Statements that pass gradients and have no golden of that kind, and why.
std::string WhyNone(Opcode op) {
  if (op == Opcode::kCustom) return "the engine's runner does not run custom functions";
  return "";
}

TEST(GoldenDerivativesTest, EachOpHasAThirdDerivativeAndASecondOverNothing) {
  const absl::StatusOr<std::vector<Entry>> entries = LoadEntries("golden/programs");
  ASSERT_TRUE(entries.ok()) << entries.status();
  std::map<Opcode, ShownOrders> shown;
  for (const Entry& entry : *entries) {
    for (const auto& [op, orders] : ShownDerivatives(entry.program)) {
      ShownOrders& best = shown[op];
      best.order = std::max(best.order, orders.order);
      best.order_of_nothing = std::max(best.order_of_nothing, orders.order_of_nothing);
    }
  }
  int ops = 0;
  for (const Signature& signature : twingrad::program::Signatures()) {
    if (signature.differentiable == 0) continue;
    const ShownOrders& orders = shown[signature.op];
    if (!WhyNone(signature.op).empty()) {
      EXPECT_EQ(orders.order, 0) << signature.name << " has goldens; take it off the list";
      continue;
    }
    ++ops;
    EXPECT_GE(orders.order, 3) << signature.name << ": add a golden of its third derivative";
    EXPECT_GE(orders.order_of_nothing, 2)
        << signature.name << ": add a golden of its second derivative without elements";
  }
  EXPECT_GE(ops, 65);
}

}  // namespace
}  // namespace twingrad::golden
