// What the twin says of hooks that act on others: order, logs, nested calls.

#include <algorithm>
#include <string>
#include <vector>

#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

// x = 3, h = x x (statement 1), y = h h (statement 2); the hooks follow from statement 3 on.
constexpr char kGraph[] = "%x = leaf type=f64[] data=3 grad=1\n%h = mul %x %x\n%y = mul %h %h\n";

std::vector<int> Log(const program::CallRecord& call) {
  std::vector<int> statements;
  for (const program::HookRecord& hook : call.hooks) statements.push_back(hook.statement);
  return statements;
}

TwinRun Twin(const std::string& rest) { return TwinRun(kGraph + rest); }

TEST(CallHooks, ARegisteredHookRunsWhereItsListIsStillToCome) {
  const TwinRun run = Twin(
      "hook %h do=register target=%h\n"
      "hook %h do=register target=%x\n"
      "hook %h do=register target=%y\n"
      "backward %y retain_graph=1\nbackward %y retain_graph=1\n");
  // %y has been passed and the list of %h is running: only %x's new hook fires.
  EXPECT_EQ(Log(run.Call(0)), (std::vector<int>{3, 4, 5, 4}));
  EXPECT_EQ(Log(run.Call(1)), (std::vector<int>{5, 3, 4, 5, 3, 4, 4}));
}

TEST(CallHooks, ARemovedHookRunsNoMore) {
  const TwinRun run = Twin(
      "hook %x id=a do=record\nhook %h id=b do=record\n"
      "post_hook %y do=remove target=a\npre_hook %h do=remove target=b\n"
      "backward %y retain_graph=1\nbackward %y\n");
  EXPECT_EQ(Log(run.Call(0)), (std::vector<int>{5, 4, 6}));
  EXPECT_EQ(Log(run.Call(1)), (std::vector<int>{5, 6}));
}

// Each result of a call has a node of its own, made in the order of inputs=, so the last is ready
// first.
TEST(CallHooks, ResultsOfOneInputHaveNodesInTheirOrder) {
  const TwinRun run = Twin(
      "%f,%g = grad %y inputs=%x,%x create_graph=1\n"
      "hook %f do=record\nhook %g do=record\n"
      "%s = add %f %g\nbackward %s\n");
  EXPECT_EQ(Log(run.Call(1)), (std::vector<int>{5, 4}));
}

TEST(CallHooks, EachHookAfterAccumulationSeesGradAsTheOneBeforeLeftIt) {
  const TwinRun run(
      "%x = leaf type=f64[] data=3 grad=1\naccumulate_hook %x do=record\n"
      "accumulate_hook %x do=backward target=%x\naccumulate_hook %x do=record\nbackward %x\n");
  const auto& hooks = run.Call(0).hooks;
  ASSERT_EQ(hooks.size(), 3u);
  EXPECT_EQ(Numbers(hooks[0].gradient), Row({1}));
  EXPECT_EQ(Numbers(hooks[2].gradient), Row({2}));
}

// The second call finds nothing, and so does what reads after it.
TEST(CallHooks, AHookAfterAccumulationMayMakeGradUndefined) {
  const TwinRun run(
      "%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y retain_graph=1\n"
      "accumulate_hook %x do=record\naccumulate_hook %x id=z do=zero_grad\n"
      "accumulate_hook %x do=record\nbackward %y retain_graph=1\nbackward %y retain_graph=1\n"
      "%g = read_grad %x\nremove_hook id=z\nbackward %y\n");
  const auto read = [](const program::HookRecord& hook) {
    return hook.gradient_defined ? Numbers(hook.gradient) : Row{};
  };
  const std::vector<Row> reads[] = {{{12}, {12}, {}}, {{6}, {6}, {}}, {{6}, {6}}};
  for (size_t call = 0; call < 3; ++call) {
    std::vector<Row> seen;
    for (const auto& hook : run.Call(call + 1).hooks) seen.push_back(read(hook));
    EXPECT_EQ(seen, reads[call]) << "call " << call;
  }
  EXPECT_FALSE(run.Record("g").defined);
  EXPECT_EQ(run.Grad("x"), Row{6});
}

TEST(CallHooks, AnUndefinedGradientEmptiesNothing) {
  const TwinRun run(
      "%x = leaf type=f64[] data=3 grad=1\n%y = neg %x\nbackward %x\n"
      "accumulate_hook %x do=zero_grad\nhook %y do=undefined\nbackward %y\n");
  EXPECT_EQ(run.Grad("x"), Row{1});
}

// The error of the hook on %b comes before or after the step of %x; nobody sees half of it.
TEST(CallHooks, BesideAnErrorGradIsAsBeforeOrUndefined) {
  const TwinRun run(
      "%x = leaf type=f64[] data=3 grad=1\nbackward %x\naccumulate_hook %x do=zero_grad\n"
      "%d = to %x device=dev:0\n%y = neg %x\n%w = leaf type=f64[] data=1 grad=1 device=dev:0\n"
      "%b = neg %w\nhook %b do=throw\nbackward %y %b\n");
  ASSERT_TRUE(run.result().observation.error.has_value());
  std::vector<bool> defined = {run.result().observation.values[0].grad_defined};
  for (const GradAlternative& other : run.result().grad_alternatives) {
    if (other.value != 0) continue;
    defined.push_back(other.defined);
    if (other.defined) {
      EXPECT_EQ(Numbers(other.data), Row{1});
    }
  }
  if (defined[0]) {
    EXPECT_EQ(run.Grad("x"), Row{1});
  }
  std::sort(defined.begin(), defined.end());
  EXPECT_EQ(defined, (std::vector<bool>{false, true}));
}

TEST(CallHooks, NestedCallsAreCallsOfTheirOwn) {
  const TwinRun run =
      Twin("hook %h do=record\nhook %y do=backward target=%h\nhook %y do=callback\nbackward %y\n");
  ASSERT_EQ(run.result().observation.calls.size(), 2u);
  EXPECT_EQ(Log(run.Call(0)), (std::vector<int>{4, 5, 3, 5}));
  EXPECT_EQ(run.Call(0).hooks.back().node, -1);
  const program::CallRecord& nested = run.Call(1);
  EXPECT_EQ(nested.outer, 0);
  EXPECT_EQ(nested.statement, 4);
  EXPECT_TRUE(nested.keep_graph);
  EXPECT_EQ(Log(nested), std::vector<int>{3});
  EXPECT_EQ(run.Executed(1), (std::vector<int>{1, 0}));
  EXPECT_EQ(run.Grad("x"), Row{114});
}

TEST(CallHooks, NestedCallsStandInTheOrderOfTheirStatements) {
  const TwinRun run =
      Twin("hook %h do=backward target=%x\nhook %y do=backward target=%h\nbackward %y\n");
  // Made in the order 4, 3 within 4, 3.
  std::vector<int> statements, outers;
  for (const auto& call : run.result().observation.calls) {
    statements.push_back(call.statement);
    outers.push_back(call.outer);
  }
  EXPECT_EQ(statements, (std::vector<int>{5, 3, 4, 3}));
  EXPECT_EQ(outers, (std::vector<int>{-1, 0, 0, 2}));
  EXPECT_EQ(run.Grad("x"), Row{108 + 6 + 1 + 1});
}

TEST(CallHooks, AHookIsNotRunWithinItsOwnCallNorTooDeep) {
  const TwinRun own = Twin("hook %x do=backward target=%h\nbackward %y retain_graph=1\n");
  EXPECT_EQ(own.result().observation.calls.size(), 2u);
  EXPECT_EQ(own.Grad("x"), Row{114});
  const TwinRun deep = Twin(
      "hook %x do=backward target=%x\nhook %x do=backward target=%x\n"
      "hook %x do=backward target=%x\nhook %x do=backward target=%x\nbackward %x\n");
  // 4 + 4 3 + 4 3 2 calls, and the statement's own.
  EXPECT_EQ(deep.result().observation.calls.size(), 41u);
}

TEST(CallHooks, NestedCallsHaveTheGradModeOfTheirs) {
  const TwinRun run = Twin(
      "hook %y do=backward target=%h\nbackward %y create_graph=1\n%g = read_grad %x\n"
      "%d = grad %g inputs=%x\n");
  EXPECT_EQ(run.Value("g"), Row{114});
  EXPECT_EQ(run.Value("d"), Row{12 * 9 + 2});
}

// Rules: F7.
TEST(CallHooks, AnErrorInsideIsThatOfTheCall) {
  const TwinRun run = Twin(
      "%c = leaf type=f64[] data=1\nhook %h do=backward target=%c\nhook %y do=callback\n"
      "backward %y\n");
  EXPECT_EQ(run.Error(), ErrorKind::kNoGraph);
  EXPECT_EQ(run.ErrorStatement(), 6);
  EXPECT_EQ(Log(run.Call(0)), (std::vector<int>{5, 4}));
  EXPECT_FALSE(run.Record("x").grad_defined);
  const TwinRun undefined = Twin("%g = read_grad %x\nhook %h do=register target=%g\nbackward %y\n");
  EXPECT_EQ(undefined.Error(), ErrorKind::kUndefined);
}

TEST(CallHooks, WhatTimingDecidesIsJudgedOnOneThread) {
  const std::string beside =
      "%a = to %x device=dev:0\n%b = to %x device=dev:1\n%c = to %b device=dev:0\n"
      "%z = add %a %c\n";
  const std::string call = "backward %z\n";
  EXPECT_TRUE(Twin(beside + "hook %a do=register target=%b\n" + call).result().single_thread_only);
  EXPECT_FALSE(Twin(beside + "hook %z do=register target=%b\n" + call).result().single_thread_only);
  EXPECT_FALSE(
      Twin("%a = neg %x\n%b = neg %x\n%z = add %a %b\nhook %a do=register target=%b\n" + call)
          .result()
          .single_thread_only);
  // Of nodes that create_graph made, the devices are not known.
  const TwinRun created(
      "%x = leaf type=f64[2] data=1,-1 grad=1\n%y = neg %x\n%v = select %y dim=0 index=1\n"
      "hook %v do=register target=%y\ncos_ %v\n%d = to %y device=dev:1\n%z = sin %d\n"
      "%s = sum %z\nbackward %s create_graph=1\n%g = read_grad %x\n%t = sum %g\nbackward %t\n");
  EXPECT_TRUE(created.result().single_thread_only);
}

}  // namespace
}  // namespace twingrad::reference
