// Hooks of Programs that act on others, run on the engine.

#include "autograd/runner/hook_actor.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/program/observation_text.h"
#include "autograd/program/parse.h"
#include "autograd/runner/run.h"

namespace twingrad::runner {
namespace {

using program::CallRecord;
using program::Observation;

// x = 3, h = x x, y = h h on device 0; statements from 3 on.
Observation See(const std::string& rest, int threads = 0) {
  const auto program = program::Parse(absl::StrCat(
      "twingrad 1\n%x = leaf type=f64[] data=3 grad=1\n%h = mul %x %x\n%y = mul %h %h\n", rest));
  EXPECT_TRUE(program.ok()) << program.status();
  Engine engine({.device_threads = threads});
  return Run(*program, engine);
}

std::vector<int> Log(const CallRecord& call) {
  std::vector<int> statements;
  for (const program::HookRecord& hook : call.hooks) statements.push_back(hook.statement);
  return statements;
}

// Rules: G4.
TEST(HookActor, NestedCallsAndCallbacksAreRecordedWhereTheyBelong) {
  const Observation seen =
      See("hook %h do=record\nhook %y do=backward target=%h\nhook %y do=callback\n"
          "hook %x do=callback\nbackward %y\n");
  EXPECT_FALSE(seen.error.has_value());
  ASSERT_EQ(seen.calls.size(), 2u);
  EXPECT_EQ(Log(seen.calls[0]), (std::vector<int>{4, 5, 3, 6, 5, 6}));
  EXPECT_EQ(seen.calls[0].hooks[4].node, -1);
  EXPECT_EQ(Log(seen.calls[1]), (std::vector<int>{3, 6, 6}));
  EXPECT_EQ(seen.calls[1].outer, 0);
  EXPECT_EQ(seen.calls[1].executed.size(), 2u);
}

// Rules: H9.
TEST(HookActor, HooksMakeGradUndefinedAndTheNextCallFindsNothing) {
  const Observation seen =
      See("accumulate_hook %x do=zero_grad\naccumulate_hook %x do=record\n"
          "backward %h retain_graph=1\nbackward %h\n");
  EXPECT_FALSE(seen.error.has_value());
  ASSERT_EQ(seen.calls.size(), 2u);
  for (const CallRecord& call : seen.calls) {
    ASSERT_EQ(Log(call), (std::vector<int>{3, 4}));
    EXPECT_EQ(program::TensorText(call.hooks[0].gradient), "f64[] 6");
    EXPECT_FALSE(call.hooks[1].gradient_defined);
  }
  EXPECT_FALSE(seen.values[0].grad_defined);
}

// On a worker's thread as on the caller's: the hook of %d fires on that of device 0.
// Rules: E9.
TEST(HookActor, HooksOfDevicesMakeCallsToo) {
  const std::string text =
      "%d = to %y device=dev:0\n%e = mul %d %d\n%f = to %e device=cpu\n"
      "hook %d do=backward target=%h\nhook %e do=callback\nhook %e do=register target=%x\n"
      "backward %f\n";
  const Observation one = See(text);
  for (const int threads : {1, 2}) {
    const Observation several = See(text, threads);
    ASSERT_EQ(several.calls.size(), 2u);
    EXPECT_EQ(several.calls[1].outer, 0);
    EXPECT_EQ(several.calls[1].executed.size(), 2u);
    EXPECT_EQ(Log(several.calls[0]), Log(one.calls[0]));
    EXPECT_EQ(several.values[0].grad.bits, one.values[0].grad.bits);
  }
}

TEST(HookActor, RemovesByHandle) {
  const Observation seen =
      See("hook %x id=a do=throw\nhook %y id=b do=remove target=a\nhook %h do=remove target=b\n"
          "backward %y retain_graph=1\nbackward %y\n");
  EXPECT_FALSE(seen.error.has_value());
  EXPECT_EQ(Log(seen.calls[0]), (std::vector<int>{4, 5}));
  EXPECT_EQ(Log(seen.calls[1]), std::vector<int>{5});
}

TEST(HookActor, ActsOnDefinedValuesOnly) {
  const Observation seen = See("%g = read_grad %x\nhook %y do=backward target=%g\nbackward %y\n");
  ASSERT_TRUE(seen.error.has_value());
  EXPECT_EQ(seen.error->error, ErrorKind::kUndefined);
  EXPECT_EQ(seen.error->statement, 5);
}

}  // namespace
}  // namespace twingrad::runner
