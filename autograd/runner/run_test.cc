#include "autograd/runner/run.h"
#include "autograd/runner/test_program.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/program/observation_text.h"
#include "autograd/program/parse.h"
#include "proptests/oracles/expect.h"

namespace twingrad::runner {
namespace {

using program::NodeName;
using program::NodeRole;
using program::Observation;
using program::Program;

// Runs the lines on an engine with `threads` device threads; its expectations must be met.
Observation Check(std::string_view text, int threads = 0) {
  const Program program = Parsed(text);
  Engine engine({.device_threads = threads});
  Observation seen = runner::Run(program, engine);
  for (const oracles::Unmet& unmet : oracles::UnmetExpectations(program, seen)) {
    ADD_FAILURE() << unmet.text << "\n" << program::PrintObservation(program, seen);
  }
  return seen;
}

TEST(Run, ValuesGradientsAndCounts) {
  const Observation seen = Check(R"(%x = leaf type=f64[2] data=3,4 grad=1
%w = leaf type=f64[2] data=1,2
%y = mul %x %w
%z = mul %y %y
%s = sum %z
backward %s
expect %y kind=value type=f64[2] data=3,8
expect %x kind=grad data=6,32
expect %w kind=undefined_grad
expect %x kind=dependencies count=1
expect %y kind=dependencies count=2
expect %s kind=executed count=1
)");
  ASSERT_EQ(seen.calls.size(), 1u);
  const program::CallRecord& call = seen.calls[0];
  EXPECT_EQ(call.statement, 5);
  EXPECT_TRUE(call.accumulate_grad);
  EXPECT_FALSE(call.keep_graph || call.create_graph);
  ASSERT_EQ(call.nodes.size(), 4u);
  EXPECT_EQ(call.nodes[0].name, (NodeName{NodeRole::kStatement, 4, 0}));
  EXPECT_EQ(call.roots.size(), 1u);
  EXPECT_TRUE(call.needed.empty());
}

TEST(Run, NamesNodesByWhatMadeThem) {
  constexpr std::string_view kText = R"(%x = leaf type=f64[2] data=3,4 grad=1
%y = clone %x
%v = slice %y dim=0 stop=1
neg_ %v
%z = exp %v
backward %z %y seeds=_,%x inputs=%x retain_graph=1
)";
  const Observation seen = Check(kText);
  EXPECT_EQ(seen.error, std::nullopt);
  std::string names;
  const Program program = Parsed(kText);
  for (const auto& node : seen.calls[0].nodes) names += program::NodeText(program, node.name) + " ";
  for (const char* name : {"graph_root@5", "exp@4", "regenerated_slice@2", "copy_slices@3",
                           "clone@1", "accumulate_grad@0"}) {
    EXPECT_NE(names.find(name), std::string::npos) << name << " is missing in " << names;
  }
}

TEST(Run, GradientsOfGradients) {
  const Observation seen = Check(R"(%x = leaf type=f64[] data=3 grad=1
%y = mul %x %x
%z = mul %y %x
%g = grad %z inputs=%x create_graph=1
%h = grad %g inputs=%x create_graph=1
%k = grad %h inputs=%x
expect %g kind=value data=27
expect %g kind=requires_grad
expect %h kind=value data=18
expect %k kind=value data=6
expect %k kind=no_requires_grad
)");
  EXPECT_EQ(seen.calls.size(), 3u);
  bool made_by_call = false;
  for (const auto& node : seen.calls[1].nodes) {
    made_by_call |= node.name.role == NodeRole::kBackward && node.name.statement == 3;
  }
  EXPECT_TRUE(made_by_call);
}

// Rules: H.
TEST(Run, Hooks) {
  const Observation seen = Check(R"(%x = leaf type=f64[2] data=1,2 grad=1
%y = mul %x %x
hook %y id=h do=scale by=10
hook %y do=record
pre_hook %y do=scale by=2
post_hook %y do=record
accumulate_hook %x do=record
retain_grad %y
%s = sum %y
backward %s retain_graph=1
remove_hook id=h
backward %s
expect %x kind=grad data=44,88
expect %y kind=grad data=22,22
)");
  ASSERT_EQ(seen.calls.size(), 2u);
  ASSERT_EQ(seen.calls[0].hooks.size(), 5u);
  const auto bits = [&](int call, int hook) {
    return program::TensorText(seen.calls[call].hooks[hook].gradient);
  };
  EXPECT_EQ(bits(0, 0), "f64[2] 1,1");
  EXPECT_EQ(bits(0, 1), "f64[2] 10,10");
  EXPECT_EQ(bits(0, 2), "f64[2] 10,10");
  EXPECT_EQ(bits(0, 3), "f64[2] 20,20");
  EXPECT_EQ(bits(0, 4), "f64[2] 40,80");
  EXPECT_EQ(seen.calls[0].hooks[4].statement, 6);
  EXPECT_EQ(seen.calls[1].hooks.size(), 4u);
}

// Rules: H13.
TEST(Run, HooksThatEndACall) {
  const std::string_view start = R"(%x = leaf type=f64[2] data=1,2 grad=1
%y = mul %x %x
%s = sum %y
)";
  const auto error_of = [&](const char* hook) {
    const Program program = Parsed(std::string(start) + hook + "backward %s\n");
    Engine engine;
    const Observation seen = runner::Run(program, engine);
    EXPECT_FALSE(seen.values[0].grad_defined);
    return seen.error.has_value() ? seen.error->error : ErrorKind::kInternal;
  };
  EXPECT_EQ(error_of("hook %y do=throw\n"), ErrorKind::kUser);
  EXPECT_EQ(error_of("post_hook %y do=throw\n"), ErrorKind::kUser);
  EXPECT_EQ(error_of("hook %y do=wrong_shape\n"), ErrorKind::kHook);
  EXPECT_EQ(error_of("pre_hook %y do=wrong_dtype\n"), ErrorKind::kHook);
  EXPECT_EQ(error_of("post_hook %y do=wrong_shape\n"), ErrorKind::kHook);
}

TEST(Run, ErrorsEndTheRunAtTheirStatement) {
  const Observation seen = Check(R"(%x = leaf type=f64[2] data=1,2 grad=1
%y = mul %x %x
%s = sum %y
backward %s
backward %s
%after = neg %x
expect kind=error error=freed at=4
expect %x kind=grad data=2,4
expect %after kind=undefined
)");
  EXPECT_EQ(seen.calls.size(), 2u);
}

TEST(Run, TryRegionsHoldErrors) {
  Check(R"(%x = leaf type=f64[2] data=1,2 grad=1
begin kind=try
begin kind=no_grad
neg_ %x
end
neg_ %x
%skipped = exp %x
end
%y = mul %x %x
expect %skipped kind=undefined
expect %y kind=value data=1,4
expect %y kind=requires_grad
expect %x kind=version count=1
)");
}

TEST(Run, StreamsAndCallsOfCustomFunctionsAreRun) {
  for (const char* text : {"%y = custom %x do=backward target=%x\nbackward %y\n",
                           "stream id=s device=dev:0\n%y = neg %x\nbackward %y\n"}) {
    const Program program = Parsed(std::string("%x = leaf type=f64[] data=3 grad=1\n") + text);
    Engine engine;
    const Observation seen = runner::Run(program, engine);
    EXPECT_FALSE(seen.error.has_value()) << text << seen.error->message;
    EXPECT_TRUE(seen.values[0].grad_defined) << text;
  }
}

TEST(Run, ACustomFunctionThrowsWhateverItsGradientsAre) {
  const Observation seen = Check(R"(
%x = leaf type=f64[] data=3 grad=1
%y = custom %x do=throw keep_undefined=1
%a,%b = custom %y %x do=undefined
backward %b
expect kind=error error=user at=3
)");
  EXPECT_FALSE(seen.values[0].grad_defined);
}

TEST(Run, ACustomFunctionThatWroteAViewIsLoggedAtTheNodeOfItsBase) {
  const Observation seen = Check(R"(
%x = leaf type=f64[2] data=2,3 grad=1
%b = neg %x
%v = slice %b dim=0 stop=1
custom_ %v do=scale by=5
%s = sum %b
backward %s
expect %x kind=grad data=-5,-1
)");
  ASSERT_EQ(seen.calls.at(0).hooks.size(), 1u);
  const int32_t node = seen.calls[0].hooks[0].node;
  ASSERT_GE(node, 0);
  EXPECT_EQ(seen.calls[0].nodes[node].name, (NodeName{NodeRole::kCopySlices, 3, 0}));
}

// The product fails because its hooks refuse to pack, but has asked for the view's gradient edge.
TEST(Run, NamesANodeThatAFailingStatementMadeAnew) {
  const Program program = Parsed(R"(
%x = leaf type=f64[] data=3 grad=1
%b = leaf type=f64[1] data=2
%v = slice %b dim=0
mul_ %b %x
begin kind=try
begin kind=saved_tensor_hooks do=throw
%p = mul %x %v
end
end
backward %v
)");
  Engine engine;
  const Observation observed = runner::Run(program, engine);
  ASSERT_EQ(observed.calls.size(), 1u);
  EXPECT_EQ(observed.calls[0].nodes[0].name,
            (program::NodeName{program::NodeRole::kRegeneratedView, 2, 0}));
}

TEST(Run, SeveralDevices) {
  for (int threads : {0, 1, 2, 4}) {
    Check(R"(%x = leaf type=f64[2] data=1,2 grad=1
%a = to %x device=dev:0
%b = to %x device=dev:1
%p = mul %a %a
%q = exp %b
%pc = to %p device=cpu
%qc = sub %x %x
%s = add %pc %qc
%t = sum %s
%u = to %q device=dev:0
%v = sum %u
backward %t %v
expect %x kind=executed count=1
expect %x kind=dependencies count=4
expect %x kind=version count=0
)",
          threads);
  }
}

// Rules: E15.
TEST(Run, AStopBesideACallMakesNoDifference) {
  const Program program = Parsed(R"(%x = leaf type=f64[2] data=3,4 grad=1
%y = to %x device=dev:0
%z = mul %y %y
%s = sum %z
backward %s retain_graph=1
backward %s
)");
  Engine alone;
  const Observation expected = runner::Run(program, alone, {.record_calls = false});
  for (const int32_t call : {4, 5}) {
    for (const auto limit : {std::optional<sync::Duration>(), {std::chrono::milliseconds(50)}}) {
      Engine engine({.device_threads = 1});
      const Observation seen =
          runner::Run(program, engine, {.record_calls = false, .stop = StopBeside{call, limit}});
      EXPECT_EQ(program::PrintObservation(program, seen),
                program::PrintObservation(program, expected));
    }
  }
}

TEST(Run, ReadAndZeroGrad) {
  Check(R"(%x = leaf type=f64[] data=3 grad=1
%none = read_grad %x
%y = mul %x %x
%z = mul %y %x
backward %z create_graph=1
%g = read_grad %x
zero_grad %x
backward %g
expect %none kind=undefined
expect %g kind=value data=27
expect %x kind=grad data=18
)");
}

TEST(Run, SparseGradientsAreReadAsDenseOnes) {
  Check(R"(%x = leaf type=f64[3,1] data=3,4,5 grad=1
%i = leaf type=i64[2] data=2,2
%e = embedding %x %i sparse=1
%y = mul %e %e
%s = sum %y
%g = grad %s inputs=%x create_graph=1
backward %s create_graph=1
%r = read_grad %x
%t = add %g %r
zero_grad %x
%u = sum %t
backward %u
expect %g kind=value data=0,0,20
expect %r kind=value data=0,0,20
expect %x kind=grad data=0,0,8
)");
}

TEST(Run, MaterializedGradientsAreLeavesOfTheirCall) {
  const Program program = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\n%y = leaf type=f64[] data=2 grad=1\n%z = mul %y %y\n"
      "%g = grad %z inputs=%x create_graph=1 materialize=1\nbackward %g\n");
  Engine engine;
  const Observation seen = runner::Run(program, engine);
  ASSERT_EQ(seen.calls.size(), 2u);
  ASSERT_EQ(seen.calls[1].nodes.size(), 1u);
  EXPECT_EQ(seen.calls[1].nodes[0].name,
            (program::NodeName{program::NodeRole::kAccumulateGrad, 3, 0}));
}

TEST(Run, WithoutRecords) {
  const Program program =
      Parsed("%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n");
  Engine engine;
  const Observation seen = runner::Run(program, engine, {.record_calls = false});
  EXPECT_TRUE(seen.values[0].grad_defined);
  ASSERT_EQ(seen.calls.size(), 1u);
  EXPECT_TRUE(seen.calls[0].nodes.empty());
}

// Grad mode and the engine's observer are as they were, whatever the Program did.
// Rules: K10.
TEST(Run, LeavesNothingBehind) {
  const Program program = Parsed(
      "%x = leaf type=f64[] data=3 grad=1\nbegin kind=no_grad\n%e = exp %x\nbackward "
      "%e\nend\n");
  Engine engine;
  const Observation first = runner::Run(program, engine);
  ASSERT_TRUE(first.error.has_value());
  EXPECT_EQ(first.error->error, ErrorKind::kNoGraph);
  const Observation again = runner::Run(program, engine);
  EXPECT_EQ(program::PrintObservation(program, first), program::PrintObservation(program, again));
}

}  // namespace
}  // namespace twingrad::runner
