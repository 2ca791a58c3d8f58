// What each defect of PyTorch that the twin can follow changes: a Program, and what it shows with
// and without.

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "autograd/reference/dialect.h"
#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

constexpr std::string_view kNoError = "no error";

std::string Failure(const TwinRun& run) {
  const auto& error = run.result().observation.error;
  if (!error) return std::string(kNoError);
  return absl::StrCat(std::string(ErrorKindName(error->error)), "@", error->statement);
}

// The rules of PyTorch with one defect.
DialectRules With(bool Defects::*defect) {
  DialectRules rules = RulesOf(Dialect::kPytorch);
  rules.defects.*defect = true;
  return rules;
}

TEST(DefectTest, NoDialectHasOne) {
  for (const Dialect dialect : {Dialect::kTwingrad, Dialect::kPytorch, Dialect::kPytorch1}) {
    EXPECT_EQ(RulesOf(dialect).defects, Defects());
  }
}

TEST(DefectTest, CapturesMissHooks) {
  constexpr const char* kText = R"(%a = leaf type=f64[] data=1 grad=1
%b = mul %a %a
hook %b do=scale by=100
%ga,%gb = grad %b inputs=%a,%b
)";
  EXPECT_EQ(TwinRun(kText, Dialect::kPytorch).Value("gb"), Row({100}));
  const TwinRun defect(kText, With(&Defects::captures_miss_hooks));
  EXPECT_EQ(defect.Value("gb"), Row({1}));
  EXPECT_EQ(defect.Value("ga"), Row({200}));
}

TEST(DefectTest, ViewWritesLeaveRetainGrad) {
  const DialectRules rules = With(&Defects::view_writes_leave_retain_grad);
  constexpr const char* kText = R"(%a = leaf type=f64[2] grad=1
%b = neg %a
retain_grad %b
%v = select %b dim=0 index=0
neg_ %v
%s = sum %b
backward %s
)";
  EXPECT_EQ(TwinRun(kText, Dialect::kPytorch).Grad("b"), Row({1, 1}));
  EXPECT_EQ(TwinRun(kText, rules).Grad("b"), Row({-1, 1}));
  // A write to the base itself moves it, from wherever it is.
  constexpr const char* kWritten = R"(%x = leaf type=f64[2] data=2,4 grad=1
%a = neg %x
retain_grad %a
%v = slice %a dim=0
neg_ %v
mul_ %a %x
%s = sum %a
backward %s
)";
  EXPECT_EQ(TwinRun(kWritten, Dialect::kPytorch).Grad("a"), Row({1, 1}));
  EXPECT_EQ(TwinRun(kWritten, rules).Grad("a"), Row({1, 1}));
}

TEST(DefectTest, ViewsWithoutNodeAreLeaves) {
  const DialectRules rules = With(&Defects::views_without_node_are_leaves);
  constexpr std::string_view kView =
      "%x = leaf type=f64[1] data=3 grad=1\n%b = leaf type=f64[1]\n%v = view %b shape=1\n"
      "add_ %b %x\n";
  const std::string written = absl::StrCat(kView, "neg_ %v\n");
  EXPECT_EQ(Failure(TwinRun(written, Dialect::kPytorch)), kNoError);
  EXPECT_EQ(Failure(TwinRun(written, rules)), "leaf_in_place@4");
  // Once it was asked for its node.
  EXPECT_EQ(Failure(TwinRun(absl::StrCat(kView, "%y = neg %v\nneg_ %v\n"), rules)), kNoError);
  const std::string retained = absl::StrCat(kView, "retain_grad %v\nbackward %v\n");
  EXPECT_TRUE(TwinRun(retained, Dialect::kPytorch).Record("v").grad_defined);
  EXPECT_FALSE(TwinRun(retained, rules).Record("v").grad_defined);
  const std::string input = absl::StrCat(kView, "backward %v inputs=%v\n");
  EXPECT_TRUE(TwinRun(input, rules).Record("v").grad_defined);
}

TEST(DefectTest, EmptyViewsLoseHistory) {
  constexpr const char* kText = R"(%x = leaf type=f64[1] grad=1
%y = neg %x
%v = slice %y dim=0 stop=0
neg_ %v
%s = sum %v
%q = mul %s %s
%g = grad %q inputs=%x create_graph=1
backward %g
)";
  EXPECT_EQ(Failure(TwinRun(kText, Dialect::kPytorch)), kNoError);
  EXPECT_EQ(Failure(TwinRun(kText, With(&Defects::empty_views_lose_history))), "no_graph@7");
}

}  // namespace
}  // namespace twingrad::reference
