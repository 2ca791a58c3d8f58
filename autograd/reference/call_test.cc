// Calls: counts, pruning, order, hooks, errors, what several devices may do.

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/reference/test_program.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

using program::NodeRole;
using Ints = std::vector<int>;

constexpr NodeRole kLeaf = NodeRole::kAccumulateGrad;

// z = y * x + y with y = x * x: three edges into the leaf's accumulator.
TEST(CallTest, DependencyCounts) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
%w = mul %y %x
%z = add %w %y
%s = sum %z
backward %s
)");
  const auto& call = run.Call(0);
  EXPECT_EQ(call.dependencies[run.Node(0, 0, kLeaf)], 3);
  EXPECT_EQ(call.dependencies[run.Node(0, 1)], 2);
  EXPECT_EQ(call.dependencies[run.Node(0, 2)], 1);
  EXPECT_EQ(call.dependencies[run.Node(0, 3)], 1);
  EXPECT_EQ(call.dependencies[run.Node(0, 4)], -1);
  EXPECT_TRUE(call.needed.empty());
  EXPECT_EQ(run.Executed(0), Ints({4, 3, 2, 1, 0}));
  EXPECT_EQ(run.Grad("x"), Row({33}));
}

// The derivative of atan2 is a product with b, or a quotient that keeps the product of g and b.
TEST(CallTest, WhatCreateGraphHasSavedOfAWrittenOperandIsLeftToTheEngine) {
  const auto run = [](const char* write) {
    return TwinRun(
        absl::StrCat("%a = leaf type=f64[] data=1 grad=1\n%b = leaf type=f64[] data=2\n"
                     "%y = atan2 %a %b\n%g = grad %y inputs=%a create_graph=1\n",
                     write, "backward %g\n"));
  };
  EXPECT_TRUE(run("neg_ %b\n").result().skipped.has_value());
  EXPECT_FALSE(run("").result().skipped.has_value());
}

TEST(CallTest, CapturesStopTheWalk) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
%w = mul %y %x
%z = add %w %y
%g = grad %z inputs=%y
)");
  EXPECT_EQ(run.Value("g"), Row({4}));
  const auto& call = run.Call(0);
  EXPECT_TRUE(call.needed[run.Node(0, 3)]);
  EXPECT_TRUE(call.needed[run.Node(0, 2)]);
  EXPECT_FALSE(call.needed[run.Node(0, 1)]);  // captured only
  EXPECT_FALSE(call.needed[run.Node(0, 0, kLeaf)]);
  EXPECT_EQ(call.dependencies[run.Node(0, 0, kLeaf)], 3);  // y is not below the lowest input
  EXPECT_EQ(run.Executed(0), Ints({3, 2}));
  EXPECT_FALSE(run.Record("x").grad_defined);
}

TEST(CallTest, SeveralRootsOneAboveAnother) {
  const TwinRun run(R"(%x = leaf type=f64[] data=2 grad=1
%y = mul %x %x
%z = neg %y
backward %y %z seeds=_,_
)");
  EXPECT_EQ(run.Grad("x"), Row({0}));
  const int root = run.Node(0, 3, NodeRole::kGraphRoot);
  ASSERT_GE(root, 0);
  EXPECT_EQ(run.Call(0).executed[0], root);
  EXPECT_EQ(run.Call(0).dependencies[run.Node(0, 1)], 2);
}

TEST(CallTest, RootsMayRepeatAndBeLeaves) {
  EXPECT_EQ(TwinRun(R"(%x = leaf type=f64[] data=2 grad=1
backward %x %x %x
)")
                .Grad("x"),
            Row({3}));
  EXPECT_EQ(TwinRun(R"(%x = leaf type=f64[] data=2 grad=1
%s = leaf type=f64[] data=5
%g,%h = grad %x seeds=%s inputs=%x,%x
)")
                .Value("h"),
            Row({5}));
}

TEST(CallTest, YoungerNodesFirstAndAccumulatorsBeforeAll) {
  const TwinRun run(R"(%a = leaf type=f64[] data=1 grad=1
%b = leaf type=f64[] data=1 grad=1
%p = neg %a
%q = neg %b
%s = add %p %q
backward %s
)");
  EXPECT_EQ(run.Executed(0), Ints({4, 3, 1, 2, 0}));
}

TEST(CallTest, BackwardIntoANonLeafExecutesItsNode) {
  const TwinRun run(R"(%x = leaf type=f64[] data=2 grad=1
%y = mul %x %x
%z = mul %y %y
backward %z inputs=%y retain_graph=1
backward %z
)");
  EXPECT_EQ(run.Grad("y"), Row({16}));
  EXPECT_EQ(run.Executed(0), Ints({2, 1}));
  EXPECT_EQ(run.Grad("x"), Row({32}));  // of the second call
}

TEST(CallTest, HookOrder) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
post_hook %y id=post do=record
pre_hook %y id=pre do=scale by=5
hook %y id=second do=scale by=3
hook %y id=first do=record
retain_grad %y
accumulate_hook %x do=record
backward %y
)");
  const auto& hooks = run.Call(0).hooks;
  ASSERT_EQ(hooks.size(), 5u);
  EXPECT_EQ(hooks[0].statement, 4);
  EXPECT_EQ(Numbers(hooks[0].gradient), Row({1}));
  EXPECT_EQ(hooks[1].statement, 5);
  EXPECT_EQ(Numbers(hooks[1].gradient), Row({3}));
  EXPECT_EQ(hooks[2].statement, 3);
  EXPECT_EQ(hooks[3].statement, 2);
  EXPECT_EQ(Numbers(hooks[3].gradient), Row({15}));
  EXPECT_EQ(hooks[4].statement, 7);
  EXPECT_EQ(Numbers(hooks[4].gradient), Row({90}));
  EXPECT_EQ(run.Grad("y"), Row({15}));
}

TEST(CallTest, HooksSeeCompleteGradientsAndStayOnTheOldNode) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
hook %y do=scale by=10
retain_grad %y
neg_ %y
%a = neg %y
%b = neg %y
%z = add %a %b
backward %z
)");
  EXPECT_EQ(run.Grad("y"), Row({-2}));  // retained at the node of neg_
  EXPECT_EQ(run.Grad("x"), Row({120}));
  ASSERT_EQ(run.Call(0).hooks.size(), 1u);
  EXPECT_EQ(Numbers(run.Call(0).hooks[0].gradient), Row({2}));
}

TEST(CallTest, UndefinedGradients) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
hook %y do=undefined
accumulate_hook %x do=record
%z = neg %y
backward %z
)");
  EXPECT_FALSE(run.Record("x").grad_defined);
  EXPECT_EQ(run.Executed(0), Ints({4, 1, 0}));
  EXPECT_EQ(run.Call(0).hooks.size(), 1u);
}

TEST(CallTest, RemovedHooksAreSilent) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
hook %x id=h do=scale by=2
%y = neg %x
backward %y
remove_hook id=h
%z = neg %x
backward %z
)");
  EXPECT_EQ(run.Grad("x"), Row({-3}));
}

TEST(CallTest, GradientsAddUpOverCalls) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
backward %y create_graph=1
%g = read_grad %x
%h = mul %g %g
zero_grad %x
backward %h
)");
  // g = 2x, h = 4x^2, h' = 8x.
  EXPECT_EQ(run.Value("g"), Row({6}));
  EXPECT_EQ(run.Grad("x"), Row({24}));
  EXPECT_TRUE(run.result().call_predicted[0]);
  EXPECT_FALSE(run.result().call_predicted[1]);
  EXPECT_TRUE(run.Call(1).nodes.empty());
}

TEST(CallTest, UnusedInputs) {
  constexpr const char* kLeaves = R"(%x = leaf type=f64[] data=3 grad=1
%u = leaf type=f64[2] grad=1
%y = neg %x
)";
  const TwinRun error(std::string(kLeaves) + "%g,%h = grad %y inputs=%x,%u\n");
  EXPECT_EQ(error.Error(), ErrorKind::kUnusedInput);
  const TwinRun allowed(std::string(kLeaves) + "%g,%h = grad %y inputs=%x,%u allow_unused=1\n");
  EXPECT_FALSE(allowed.Record("h").defined);
  EXPECT_EQ(allowed.Value("g"), Row({-1}));
  const TwinRun zeros(std::string(kLeaves) + "%g,%h = grad %y inputs=%x,%u materialize=1\n");
  EXPECT_EQ(zeros.Value("h"), Row({0, 0}));
}

TEST(CallTest, ErrorsOfArguments) {
  const auto error = [](const std::string& call) {
    return TwinRun(R"(%x = leaf type=f64[2] data=1,2 grad=1
%c = leaf type=f64[2] data=1,2
%f = leaf type=f32[2] data=1,2
%d = leaf type=f64[2] data=1,2 device=dev:0
%t = leaf type=f64[] data=1
%y = neg %x
)" + call + "\n")
        .Error();
  };
  EXPECT_EQ(error("backward %y"), ErrorKind::kImplicitSeed);
  EXPECT_EQ(error("backward %y seeds=%c,%c"), ErrorKind::kGradCount);
  EXPECT_EQ(error("backward %c seeds=%c"), ErrorKind::kNoGraph);
  EXPECT_EQ(error("backward %y seeds=%t"), ErrorKind::kShape);
  EXPECT_EQ(error("backward %y seeds=%f"), ErrorKind::kDType);
  EXPECT_EQ(error("backward %y seeds=%d"), ErrorKind::kDevice);
  EXPECT_EQ(error("backward %y seeds=%c inputs=%c"), ErrorKind::kNoGraph);
  EXPECT_EQ(error("backward %y seeds=%c inputs=none"), ErrorKind::kInvalidArgument);
}

// Where there is one element too, whose place is known without them.
TEST(CallTest, ClassesAreSavedByDerivatives) {
  for (const char* shape : {"1", "2"}) {
    EXPECT_EQ(TwinRun(absl::StrCat("%a = leaf type=f64[", shape, R"(] grad=1
%c = leaf type=i64[] data=0
%y = nll_loss %a %c reduction=sum
%s = leaf type=f64[] data=3 grad=1
%g = grad %y seeds=%s inputs=%a create_graph=1
%z = sum %g
backward %z
backward %z
)"))
                  .Error(),
              ErrorKind::kFreed);
  }
}

TEST(CallTest, SavedVariables) {
  EXPECT_EQ(TwinRun(R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
backward %y
backward %y
)")
                .Error(),
            ErrorKind::kFreed);
  EXPECT_EQ(TwinRun(R"(%x = leaf type=f64[] data=3 grad=1
%y = neg %x
backward %y
backward %y
)")
                .Grad("x"),
            Row({-2}));
  EXPECT_EQ(TwinRun(R"(%x = leaf type=f64[] data=3 grad=1
%c = leaf type=f64[] data=3
%y = mul %x %c
neg_ %c
backward %y
)")
                .Error(),
            ErrorKind::kVersion);
  EXPECT_EQ(TwinRun(R"(%x = leaf type=f64[] data=3 grad=1
%y = exp %x
neg_ %y
backward %y
)")
                .Error(),
            ErrorKind::kVersion);
}

TEST(CallTest, NothingIsWrittenAfterAnError) {
  const TwinRun run(R"(%a = leaf type=f64[] data=1 grad=1
%b = leaf type=f64[] data=2 grad=1
%p = neg %a
%q = neg %b
hook %p do=throw
%s = add %p %q
backward %s
)");
  EXPECT_EQ(run.Error(), ErrorKind::kUser);
  EXPECT_EQ(run.ErrorStatement(), 6);
  EXPECT_FALSE(run.Record("a").grad_defined);
  EXPECT_EQ(run.Grad("b"), Row({-1}));  // q is younger and ran before
  EXPECT_EQ(run.result().legal_errors.size(), 1u);
  EXPECT_TRUE(run.result().grad_alternatives.empty());
}

// With a thread a device, either thrower may be first, and either leaf may have its gradient.
TEST(CallTest, SeveralDevicesHaveSeveralLegalOutcomes) {
  const TwinRun run(R"(%a = leaf type=f64[] data=1 grad=1
%b = leaf type=f64[] data=2 grad=1 device=dev:0
%c = leaf type=f64[] data=2 grad=1 device=dev:0
%p = mul %a %a
%d = add %b %c
hook %c do=throw
%k = leaf type=f64[] data=4 device=dev:0
%e = mul %d %k
%f = to %e device=cpu
%s = add %p %f
begin kind=no_grad
neg_ %a
end
backward %s
)");
  const TwinResult& result = run.result();
  EXPECT_EQ(run.Error(), ErrorKind::kUser);
  ASSERT_EQ(result.legal_errors.size(), 2u);
  EXPECT_EQ(result.legal_errors[1].error, ErrorKind::kVersion);
  EXPECT_EQ(run.Grad("b"), Row({4}));
  ASSERT_EQ(result.grad_alternatives.size(), 1u);
  EXPECT_EQ(result.grad_alternatives[0].value, ValueOf(run.program(), "b"));
  EXPECT_FALSE(result.grad_alternatives[0].defined);
}

// Terms of inf and -inf that come of create_graph's nodes another engine may not have; those of
// statements every engine adds.
TEST(CallTest, ASumOfInfinitiesIsComparedWhereStatementsMakeIt) {
  const TwinRun second(
      "%x = leaf type=f64[] data=1 grad=1\n%r = sigmoid %x\n%z = leaf type=f64[] data=0\n"
      "%y = xlogy %r %z\n%g = grad %y inputs=%x create_graph=1\nbackward %g\n");
  EXPECT_TRUE(std::isinf(second.result().grad_bounds[0].Of(0)));
  const TwinRun first(
      "%x = leaf type=f64[] data=1 grad=1\n%i = leaf type=f64[] data=inf\n%a = mul %x %i\n"
      "%j = neg %i\n%b = mul %x %j\n%y = add %a %b\nbackward %y\n");
  EXPECT_TRUE(std::isnan(first.Grad("x").at(0)));
  EXPECT_EQ(first.result().grad_bounds[0].Of(0), 0);
}

// How an engine's derivative is made of nodes is its own affair, and so is their order.
TEST(CallTest, AnErrorAmongNodesOfCreateGraphHasSeveralLegalOutcomes) {
  const TwinRun run(R"(%a = leaf type=f64[] data=2 grad=1
%b = leaf type=f64[] data=3 grad=1
hook %a do=throw
%p = mul %a %b
%g = grad %p seeds=%b inputs=%b create_graph=1
backward %g
)");
  EXPECT_EQ(run.Error(), ErrorKind::kUser);
  EXPECT_TRUE(run.result().ends_in_any_order);
  ASSERT_EQ(run.result().grad_alternatives.size(), 1u);
  EXPECT_EQ(run.result().grad_alternatives[0].value, ValueOf(run.program(), "b"));
  EXPECT_NE(run.result().grad_alternatives[0].defined, run.Record("b").grad_defined);
}

// The same on one thread, where the order of nodes is not known.
// The broadcast of an operand is no node of the engine's: what reduces its gradient runs within the
// node before it.
TEST(CallTest, BroadcastsRunWithinTheirConsumers) {
  const TwinRun run(R"(%x = leaf type=f64[1] data=2 grad=1
%e = leaf type=f64[] data=3 grad=1
%y = pow %x %e
post_hook %x do=record
accumulate_hook %e do=record
%g = grad %y inputs=%x create_graph=1
backward %g
)");
  const auto& hooks = run.Call(1).hooks;
  ASSERT_EQ(hooks.size(), 2u);
  EXPECT_EQ(hooks[0].statement, 4);
  EXPECT_EQ(hooks[1].statement, 3);
}

TEST(CallTest, AnyOrderHasSeveralLegalOutcomes) {
  const program::Program program = ParseOrThrow(R"(%a = leaf type=f64[] data=1 grad=1
%b = leaf type=f64[] data=2 grad=1
%y = mul %a %b
pre_hook %b do=throw
backward %y
)");
  EXPECT_TRUE(RunTwin(program).grad_alternatives.empty());
  const TwinResult result = RunTwin(program, Dialect::kTwingrad, /*any_order=*/true);
  EXPECT_EQ(result.legal_errors.size(), 1u);
  ASSERT_EQ(result.grad_alternatives.size(), 1u);
  EXPECT_EQ(result.grad_alternatives[0].value, ValueOf(program, "a"));
  EXPECT_FALSE(result.grad_alternatives[0].defined);
}

// The caller hands the roots out, and the device may have failed before it gets the second.
TEST(CallTest, SeveralRootsOnOneDeviceHaveSeveralLegalOutcomes) {
  const TwinRun run(R"(%a = leaf type=f64[] data=1 grad=1 device=dev:0
%b = leaf type=f64[] data=2 grad=1 device=dev:0
%p = neg %a
hook %p do=throw
%seed = leaf type=f64[] data=1 device=dev:0
backward %p %b seeds=%seed,%seed
)");
  const TwinResult& result = run.result();
  EXPECT_EQ(run.Error(), ErrorKind::kUser);
  EXPECT_EQ(result.legal_errors.size(), 1u);
  ASSERT_EQ(result.grad_alternatives.size(), 1u);
  EXPECT_EQ(result.grad_alternatives[0].value, ValueOf(run.program(), "b"));
}

// A node with two inputs: edges say which, contributions and hooks belong to one of them, and what
// no edge reached comes as zeros.
TEST(CallTest, CustomFunctionsHaveAnInputForEachResult) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%y = leaf type=f64[] data=4 grad=1
%a,%b = custom %x %y do=scale by=2
hook %b do=scale by=10
%z = mul %b %b
backward %z
)");
  const auto& call = run.Call(0);
  const auto& node = call.nodes[run.Node(0, 2)];
  EXPECT_EQ(node.num_inputs, 2);
  EXPECT_EQ(node.next_edges.size(), 2u);
  EXPECT_EQ(call.nodes[run.Node(0, 4)].next_edges[0].input_nr, 1);
  EXPECT_EQ(call.dependencies[run.Node(0, 2)], 2);
  EXPECT_EQ(run.Grad("x"), Row({0}));
  EXPECT_EQ(run.Grad("y"), Row({160}));
  ASSERT_EQ(call.hooks.size(), 3u);  // the hook; then the function, once a result
  EXPECT_EQ(call.hooks[0].statement, 3);
  EXPECT_EQ(call.hooks[1].statement, 2);
  EXPECT_EQ(Numbers(call.hooks[1].gradient), Row({0}));
  EXPECT_EQ(call.hooks[2].node, run.Node(0, 2));
}

TEST(CallTest, ErrorsOfCustomFunctions) {
  const auto error = [](const std::string& action, const std::string& type) {
    const TwinRun run("%x = leaf type=" + type + " fill=3 grad=1\n%y = custom %x do=" + action +
                      "\nbackward %y seeds=%x\n");
    const auto& seen = run.result().observation.error;
    return seen.has_value() ? std::string(ErrorKindName(seen->error)) : "none";
  };
  EXPECT_EQ(error("throw", "f64[3]"), "user");
  EXPECT_EQ(error("wrong_count", "f64[3]"), "grad_count");
  EXPECT_EQ(error("wrong_shape", "f64[3]"), "shape");
  EXPECT_EQ(error("wrong_shape", "f64[1,2]"), "none");
  EXPECT_EQ(error("wrong_dtype", "f64[3]"), "none");
}

// Of two gradients of one sum only one is written, and only one's hook is run.
TEST(CallTest, ReturnedGradientsAreVariablesOfTheirOwn) {
  const std::string graph =
      "%x = leaf type=f64[] data=3 grad=1\n%w = leaf type=f64[] data=5 grad=1\n%s = add %x %w\n"
      "%y = mul %s %s\n%g,%h = grad %y inputs=%x,%w create_graph=1\n";
  for (const Dialect dialect : {Dialect::kTwingrad, Dialect::kPytorch, Dialect::kPytorch1}) {
    const TwinRun written(graph + "mul_ %g %h\nbackward %h\n", dialect);
    EXPECT_EQ(written.Value("g"), Row({256}));
    EXPECT_EQ(written.Value("h"), Row({16}));
    const TwinRun hooked(graph + "hook %g do=scale by=3\nbackward %h\n", dialect);
    EXPECT_EQ(hooked.Grad("x"), Row({2}));
    const TwinRun input(graph + "%i = grad %h inputs=%g allow_unused=1\n", dialect);
    EXPECT_FALSE(input.Record("i").defined);
    EXPECT_FALSE(input.result().skipped.has_value());
  }
}

TEST(CallTest, CustomFunctionsAreDerivedTwice) {
  const TwinRun run(R"(%x = leaf type=f64[] data=3 grad=1
%y = leaf type=f64[] data=0 grad=1
%a,%b = custom %x %y do=exp
%c,%d = custom %x %y do=square
%g = grad %b inputs=%y create_graph=1
%h = grad %g inputs=%y
%i = grad %c inputs=%x create_graph=1
%j = grad %i inputs=%x
)");
  EXPECT_EQ(run.Value("h"), Row({1}));
  EXPECT_EQ(run.Value("i"), Row({6}));
  EXPECT_EQ(run.Value("j"), Row({2}));
}

}  // namespace
}  // namespace twingrad::reference
