#include "autograd/program/observation_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "autograd/program/parse.h"

namespace twingrad::program {
namespace {

TEST(Print, TensorsInDecimalAndHexWhereItMatters) {
  const auto bits = [](double x) { return std::bit_cast<uint64_t>(x); };
  EXPECT_EQ(TensorText({DType::kF64, {3}, {bits(1), bits(-0.0), bits(0.1)}}),
            "f64[3] 1,-0,0.10000000000000001 (0x1.999999999999ap-4)");
  EXPECT_EQ(TensorText({DType::kF32, {}, {bits(0.5)}}), "f32[] 0.5 (0x1p-1)");
  EXPECT_EQ(TensorText({DType::kI64, {2}, {uint64_t(-3), 4}}), "i64[2] -3,4");
  EXPECT_EQ(TensorText({DType::kBool, {2}, {1, 0}}), "bool[2] 1,0");
  EXPECT_EQ(TensorText({DType::kF64, {0, 2}, {}}), "f64[0,2]");
}

Program Small() {
  return *Parse("twingrad 1\n%x = leaf type=f64[] data=3 grad=1\n%y = mul %x %x\nbackward %y\n");
}

TEST(Print, Nodes) {
  const Program program = Small();
  EXPECT_EQ(NodeText(program, {NodeRole::kStatement, 1, 0}), "mul@1");
  EXPECT_EQ(NodeText(program, {NodeRole::kAccumulateGrad, 0, 0}), "accumulate_grad@0");
  EXPECT_EQ(NodeText(program, {NodeRole::kBackward, 2, 0}), "backward@2.0");
  EXPECT_EQ(NodeText(program, {NodeRole::kRegeneratedView, 1, 2}), "regenerated_mul@1.2");
}

// Nothing is said of what is as it should be.
TEST(Print, WhatOnlyTheEngineShows) {
  const Program program = Small();
  Observation seen;
  CallRecord call;
  call.statement = 2;
  call.roots = {{-1, 0}};
  call.threads = {1, kCallingThread};
  call.left_changed = 1u << static_cast<int>(ThreadPart::kDepth) | 1;
  call.sharing = {{.value = 0, .is_grad = true, .with = 1},
                  {.value = 1, .with = kNoValue, .hook = 4}};
  call.held_blocks = 3;
  call.hooks.emplace_back().statement = 4;
  call.hooks[0].overwritten = true;
  seen.calls = {call};
  seen.leaked_blocks = 2;
  seen.leaked_bytes = 64;
  EXPECT_EQ(PrintObservation(program, seen), R"(values
call 0: backward@2 keep_graph=0 create_graph=0 accumulate_grad=0
  roots _
  executed
  hook @4 at the end: undefined, later overwritten
  on worker_1 caller
  left changed: grad_mode depth
  shared memory: %x.grad and %y
  shared memory: %y and what the hook @4 keeps
  failed, and kept 3 blocks of memory
leaked 2 blocks, 64 bytes
)");
}

TEST(Print, AnObservation) {
  const Program program = Small();
  const auto three = TensorData{DType::kF64, {}, {std::bit_cast<uint64_t>(3.0)}};
  Observation seen;
  seen.values.resize(2);
  seen.values[0] = {true, true, three, 1, true, three};
  CallRecord call;
  call.statement = 2;
  call.accumulate_grad = true;
  call.nodes.resize(2);
  call.nodes[0] = {{NodeRole::kStatement, 1, 0}, 1, {{1, 0}, {-1, 0}}};
  call.nodes[1].name = {NodeRole::kAccumulateGrad, 0, 0};
  call.roots = {{0, 0}};
  call.dependencies = {-1, 2};
  call.executed = {0, 1};
  call.hooks = {{1, 4, true, three}, {-1, 5, false, {}}};
  seen.calls = {call};
  seen.error = ErrorRecord{ErrorKind::kUser, 2, "thrown"};
  EXPECT_EQ(PrintObservation(program, seen), R"(values
  %x = f64[] 3 version=1 requires_grad
  %x.grad = f64[] 3
  %y undefined
call 0: backward@2 keep_graph=0 create_graph=0 accumulate_grad=1
  roots #0
  #0 mul@1 -> #1 _
  #1 accumulate_grad@0 dependencies=2
  executed #0 #1
  hook @4 at #1: f64[] 3
  hook @5 at the end: undefined
error user at backward@2: thrown
)");
}

}  // namespace
}  // namespace twingrad::program
