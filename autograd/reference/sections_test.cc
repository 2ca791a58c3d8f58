// Thread sections: what the twin says that timing may decide, and what not.

#include "autograd/reference/sections.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autograd/reference/test_program.h"

namespace twingrad::reference {
namespace {

std::string Section(const std::string& lines) { return "begin kind=thread\n" + lines + "end\n"; }

constexpr char kLeaf[] = "%x = leaf type=f64[] data=3 grad=1\n";
constexpr char kSquare[] = "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\n";

TEST(Sections, ASumOfExactGradientsIsExactInAnyOrder) {
  const TwinRun run(kLeaf + Section("%a = mul %x %x\nbackward %a\n") +
                    Section("%b = neg %x\nbackward %b\n"));
  EXPECT_FALSE(run.result().skipped.has_value());
  EXPECT_EQ(run.Grad("x"), (Row{5}));
  EXPECT_EQ(run.GradBound("x"), (Row{0}));
  EXPECT_FALSE(run.result().grad_in_any_order[0]);
}

// In the order of the Program each sum is exact, in others not.
TEST(Sections, TheBoundOfASumCoversEveryOrder) {
  const auto adds = [](const std::string& name, const std::string& seed) {
    return Section("%s" + name + " = leaf type=f64[] data=" + seed + "\n%r" + name +
                   " = neg %x\nbackward %r" + name + " seeds=%s" + name + "\n");
  };
  const TwinRun run(kLeaf + adds("a", "0x1p+53") + adds("b", "-0x1p+53") + adds("c", "-1"));
  EXPECT_EQ(run.Grad("x"), (Row{1}));
  EXPECT_TRUE(run.result().grad_in_any_order[0]);
  const double bound = run.GradBound("x")[0];
  EXPECT_GE(bound, 1) << "0 is right too";
}

TEST(Sections, AnErrorEndsItsSectionAlone) {
  const TwinRun run(kSquare + Section("hook %y do=throw\nbackward %y\n%never = neg %x\n") +
                    Section("%b = neg %x\nbackward %b\n") + "%after = neg %x\n");
  EXPECT_FALSE(run.result().observation.error.has_value());
  ASSERT_EQ(run.result().observation.survived.size(), 1u);
  EXPECT_EQ(run.result().observation.survived[0].statement, 4);
  EXPECT_FALSE(run.Record("never").defined);
  EXPECT_TRUE(run.Record("after").defined);
  EXPECT_EQ(run.Grad("x"), (Row{-1}));
}

TEST(Sections, CallsThatReleaseOneGraphMayFailButNotAll) {
  const auto program = ParseOrThrow(kSquare + Section("backward %y\n") + Section("backward %y\n"));
  const TwinResult both = RunTwin(program);
  EXPECT_EQ(both.contended_calls, (std::vector<int32_t>{3, 6}));
  EXPECT_EQ(Numbers(both.observation.values[0].grad), (Row{12}));

  const TwinResult one = RunTwinWithFreed(program, {3});
  EXPECT_TRUE(one.freed_calls_are_legal);
  ASSERT_EQ(one.observation.survived.size(), 1u);
  EXPECT_EQ(one.observation.survived[0].error, ErrorKind::kFreed);
  EXPECT_EQ(Numbers(one.observation.values[0].grad), (Row{6}));
  ASSERT_EQ(one.grad_alternatives.size(), 1u);
  EXPECT_EQ(Numbers(one.grad_alternatives[0].data), (Row{12}));

  EXPECT_FALSE(RunTwinWithFreed(program, {3, 6}).freed_calls_are_legal);
}

// The leaf is nobody else's, but the call that adds to it may fail before or after.
TEST(Sections, ACallThatFailsMayHaveAddedToASectionsOwnGrad) {
  const auto program =
      ParseOrThrow(kSquare +
                   Section("%w = leaf type=f64[] data=1 grad=1\n%p = mul %y %w\nbackward %w\n"
                           "backward %p\n") +
                   Section("backward %y\n"));
  const TwinResult failed = RunTwinWithFreed(program, {6});
  EXPECT_FALSE(failed.skipped.has_value());
  const program::ValueId w = ValueOf(program, "w");
  EXPECT_EQ(Numbers(failed.observation.values[w].grad), (Row{1}));
  int of_w = 0;
  for (const GradAlternative& other : failed.grad_alternatives) {
    if (other.value != w) continue;
    ++of_w;
    EXPECT_EQ(Numbers(other.data), (Row{10}));
  }
  EXPECT_EQ(of_w, 1);
}

TEST(Sections, ACallThatKeepsTheGraphMayLoseItToOneThatDoesNot) {
  const auto program =
      ParseOrThrow(kSquare + Section("backward %y retain_graph=1\n") + Section("backward %y\n"));
  EXPECT_EQ(RunTwin(program).contended_calls, (std::vector<int32_t>{3}));
  EXPECT_TRUE(RunTwinWithFreed(program, {3}).freed_calls_are_legal);
}

TEST(Sections, CallsThatKeepTheGraphAreNotContended) {
  const TwinRun run(kSquare + Section("backward %y retain_graph=1\n") +
                    Section("backward %y retain_graph=1\n"));
  EXPECT_TRUE(run.result().contended_calls.empty());
  EXPECT_EQ(run.Grad("x"), (Row{12}));
}

TEST(Sections, ASectionsOwnReleaseIsAnErrorInIt) {
  const TwinRun run(kSquare + Section("backward %y\nbackward %y\n") + Section("%b = neg %x\n"));
  ASSERT_EQ(run.result().observation.survived.size(), 1u);
  EXPECT_EQ(run.result().observation.survived[0].statement, 4);
  EXPECT_TRUE(run.result().contended_calls.empty());
}

std::string WhySkipped(const std::string& lines) {
  const TwinRun run(lines);
  return run.result().skipped.value_or("");
}

// The one section moves to the view's new node what the other's call would leave at the old one.
TEST(Sections, WhereAViewKeepsItsGradientIsDecidedByTiming) {
  const std::string stale =
      "%x = leaf type=f64[1] data=0 grad=1\n%y = neg %x\n%v = slice %y dim=0\n"
      "retain_grad %v\n%z = add %v %x\nneg_ %v\n";
  EXPECT_NE(WhySkipped(stale + Section("%w = add %v %y\n") + Section("backward %z\n")), "");
  EXPECT_EQ(WhySkipped(stale + Section("%w = add %v %y\n") + Section("%u = neg %z\n")), "");
}

TEST(Sections, WhatTimingDecidesOtherwiseIsSkipped) {
  const std::string call = Section("backward %y retain_graph=1\n");
  EXPECT_NE(WhySkipped(kSquare + Section("hook %y do=scale by=2\n") + call), "");
  EXPECT_EQ(WhySkipped(kSquare + Section("%z = neg %y\nhook %z do=record\n") + call), "");
}

TEST(Sections, HooksOfASectionActOnItsOwnAndOnWhatNoOtherRuns) {
  const std::string own = Section(
      "%z = neg %y\nhook %z do=register target=%y\nhook %z do=backward target=%z\n"
      "backward %z\n");
  const TwinRun run(kSquare + own + Section("%w = neg %x\nbackward %w\n"));
  EXPECT_FALSE(run.result().skipped.has_value());
  EXPECT_EQ(run.Grad("x"), (Row{-13}));  // 2 calls of -6, and -1
  EXPECT_EQ(run.Call(0).hooks.size(), 4u);
  EXPECT_EQ(run.Call(1).hooks.size(), 4u);
}

std::vector<int> Uncertain(const std::string& lines) {
  const TwinRun run(lines);
  EXPECT_EQ(run.result().skipped.value_or(""), "");
  std::vector<int> statements;
  for (const auto& hook : run.result().uncertain_hooks) statements.push_back(hook.statement);
  return statements;
}

// Hooks that do no more than record fire in other sections' calls or not; all else is certain.
TEST(Sections, HooksThatASectionAddsOrRemovesFireInOtherCallsOrNot) {
  const std::string runs = Section("backward %y retain_graph=1\n");
  EXPECT_EQ(Uncertain(kSquare + Section("hook %y do=record\n") + runs), std::vector<int>{3});
  EXPECT_EQ(Uncertain(kSquare +
                      Section("%z = neg %y\nhook %z do=register target=%y\n"
                              "backward %z retain_graph=1\n") +
                      runs),
            std::vector<int>{4});
  const std::string hook = "hook %y id=h do=record\n";
  const auto removes = [](const std::string& value) {
    return Section("%z = neg %" + value + "\nhook %z do=remove target=h\nbackward %z " +
                   "retain_graph=1\n");
  };
  EXPECT_EQ(Uncertain(kSquare + hook + removes("y") + runs), std::vector<int>{2});
  EXPECT_EQ(Uncertain(kSquare + hook + removes("y") + Section("backward %x\n")),
            std::vector<int>{});
  // Each section has removed it before its own turn comes.
  const std::string above = "%z = neg %y\npre_hook %z do=remove target=h\n";
  const std::string both = Section("backward %z retain_graph=1\n");
  EXPECT_EQ(Uncertain(kSquare + hook + above + both + both), std::vector<int>{});
}

// Of a leaf that no graph before them needed, the accumulator is theirs all the same.
TEST(Sections, ALeafsAccumulatorIsSharedWhoeverMakesIt) {
  EXPECT_EQ(Uncertain(std::string(kLeaf) + "%l = leaf type=f64[] data=2 grad=1\n" +
                      Section("%z = neg %x\nhook %z do=register target=%l\nbackward %z\n") +
                      Section("backward %l\n")),
            std::vector<int>{4});
}

// On one thread the call that fails has not come to %y; several are not judged.
TEST(Sections, AfterAnErrorACallAddsNothing) {
  const TwinRun run(
      "%x = leaf type=f64[] data=3 grad=1\n%y = leaf type=f64[] data=3 grad=1 device=dev:0\n"
      "hook %x do=throw\n" +
      Section("backward %y\n") + Section("backward %x %y\n"));
  EXPECT_EQ(run.Grad("y"), Row{1});
  EXPECT_TRUE(run.result().single_thread_only);
}

TEST(Sections, SumsWithHistoryAreSums) {
  const std::string recorded = Section("backward %y create_graph=1\n");
  const TwinRun run(kSquare + recorded + Section("backward %y retain_graph=1\n") +
                    "%g = read_grad %x\n%d = grad %g inputs=%x\n");
  EXPECT_EQ(run.result().skipped.value_or(""), "");
  EXPECT_EQ(run.Grad("x"), Row{12});
  EXPECT_EQ(run.Value("d"), Row{2});  // of the call that recorded
}

// Which section makes the node decides its order key and nothing else.
TEST(Sections, AViewIsMadeAnewByAnyOfThem) {
  const TwinRun run(std::string(kLeaf) + "%b = neg %x\n%v = view %b shape=1\nneg_ %b\n" +
                    Section("%p = neg %v\nbackward %p\n") + Section("%q = neg %b\nbackward %q\n") +
                    Section("%r = neg %v\nbackward %r\n") + "backward %b\n");
  EXPECT_FALSE(run.result().skipped.has_value());
  EXPECT_EQ(run.result().call_in_any_order, (std::vector<bool>{true, false, true, false}));
  EXPECT_TRUE(run.result().order_reaches_values);
}

// Though one section made it, all share it.
TEST(Sections, AViewsNewNodeIsShared) {
  const std::string stale = std::string(kLeaf) + "%b = neg %x\n%v = view %b shape=1\nneg_ %b\n";
  const std::string runs = Section("%p = neg %v\nbackward %p\n");
  EXPECT_NE(WhySkipped(stale + runs + Section("hook %v do=scale by=2\n")), "");
  const std::string others = Section("%q = neg %v\nbackward %q\n");
  EXPECT_EQ(WhySkipped(stale + runs + others), "");
  EXPECT_NE(WhySkipped(stale + "hook %x do=backward target=%b\n" + runs + others), "");
}

// Whether %u or %v comes first depends on who made the node of %v, and so does which hook throws.
TEST(Sections, OverAViewsNewNodeAnyErrorMayBeFirst) {
  const TwinRun run(
      std::string(kLeaf) + "%b = neg %x\n%v = view %b shape=1\n%u = neg %x\nneg_ %b\n" +
      "hook %u do=throw\n" + Section("%p = neg %v\n%r = sum %p\n") +
      Section("%q = neg %v\n%t = sum %q\n") +
      "hook %v do=wrong_shape\n%w = view %v shape=scalar\n%y = add %w %u\nbackward %y\n");
  EXPECT_EQ(run.result().skipped.value_or(""), "");
  EXPECT_EQ(run.result().legal_errors.size(), 2u);
  EXPECT_TRUE(run.result().ends_in_any_order);
}

// The graph of %m is gone, so both calls fail, whoever takes away that of %y.
TEST(Sections, CallsThatFailAnywayMayBothLoseTheGraph) {
  const auto program =
      ParseOrThrow(std::string(kLeaf) + "%m = mul %x %x\nbackward %m\n" + "%y = mul %m %m\n" +
                   Section("backward %y\n") + Section("backward %y\n"));
  const TwinResult both = RunTwinWithFreed(program, {5, 8});
  EXPECT_TRUE(both.freed_calls_are_legal);
  EXPECT_EQ(both.observation.survived.size(), 2u);
}

TEST(Sections, AReadOfAnUncertainGradIsSkipped) {
  const auto program = ParseOrThrow(kSquare + Section("backward %y\n") + Section("backward %y\n") +
                                    "%g = read_grad %x\n");
  EXPECT_FALSE(RunTwin(program).skipped.has_value());
  EXPECT_TRUE(RunTwinWithFreed(program, {3}).skipped.has_value());
}

}  // namespace
}  // namespace twingrad::reference
