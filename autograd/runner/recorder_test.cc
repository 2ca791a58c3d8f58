#include "autograd/runner/recorder.h"

#include <gtest/gtest.h>

#include <vector>

#include "autograd/engine/front_end.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/variable.h"
#include "autograd/ops/ops.h"

namespace twingrad::runner {
namespace {

TEST(Recorder, FillsTheRecordOfACall) {
  NodeNames names;
  names.BeginStatement(0, false);
  const Tensor x = Tensor::FromData<double>({}, {3});
  SetRequiresGrad(x, true);
  names.NoteLeaf(x);
  names.BeginStatement(1, false);
  const Tensor y = ops::Mul(x, x);
  std::vector<program::CallRecord> calls;
  Recorder recorder(names, calls, 0);
  const Node* node = GradientEdge(y).function.get();
  RegisterHook(y, [&](const Tensor& g) {
    recorder.NoteHook(*node, 7, g);
    return g;
  });

  Engine engine({.observer = &recorder});
  names.BeginStatement(2, true);
  bool told = false;
  program::CallRecord started;
  started.statement = 2;
  const Recorder::Call at_hand(recorder, started, [&] { told = true; });
  BackwardOptions options;
  options.engine = &engine;
  Backward({y}, {}, options);

  EXPECT_TRUE(told);
  ASSERT_EQ(calls.size(), 1u);
  const program::CallRecord& call = calls[0];
  ASSERT_EQ(call.nodes.size(), 2u);
  EXPECT_EQ(call.nodes[0].next_edges, (program::EdgeRecords{{1, 0}, {1, 0}}));
  EXPECT_EQ(call.dependencies, (std::vector<int32_t>{-1, 2}));
  EXPECT_EQ(call.executed, (std::vector<int32_t>{0, 1}));
  ASSERT_EQ(call.hooks.size(), 1u);
  EXPECT_EQ(call.hooks[0].node, 0);
  EXPECT_EQ(call.hooks[0].statement, 7);
}

TEST(Recorder, MarksWhatIsNeeded) {
  NodeNames names;
  names.BeginStatement(0, false);
  const Tensor x = Tensor::FromData<double>({}, {3}), w = Tensor::FromData<double>({}, {4});
  SetRequiresGrad(x, true);
  SetRequiresGrad(w, true);
  const Tensor y = ops::Mul(ops::Neg(x), ops::Neg(w));
  std::vector<program::CallRecord> calls;
  Recorder recorder(names, calls, 0);
  Engine engine({.observer = &recorder});
  const Recorder::Call at_hand(recorder, {});
  GradOptions options;
  options.engine = &engine;
  Grad({y}, {x}, {}, options);
  ASSERT_EQ(calls[0].needed.size(), 5u);
  ASSERT_EQ(calls[0].inputs.size(), 1u);
  int needed = 0;
  for (bool n : calls[0].needed) needed += n;
  EXPECT_EQ(needed, 2);  // the product and one negation; the leaf is captured only
  EXPECT_EQ(calls[0].executed.size(), 2u);
}

TEST(Recorder, TellsNestedCallsFromTheirs) {
  NodeNames names;
  names.BeginStatement(0, false);
  const Tensor x = Tensor::FromData<double>({}, {3});
  SetRequiresGrad(x, true);
  const Tensor y = ops::Mul(x, x);
  std::vector<program::CallRecord> calls;
  Recorder recorder(names, calls, 0);
  Engine engine({.observer = &recorder});
  const Node* node = GradientEdge(y).function.get();
  const Node* leaf = GradientEdge(x).function.get();
  RegisterHook(x, [&](const Tensor& g) {
    recorder.NoteHook(*leaf, 1, g);
    return g;
  });
  RegisterHook(y, [&](const Tensor& g) {
    program::CallRecord inner;
    inner.statement = 2;
    const Recorder::Call nested(recorder, inner);
    Backward({x}, {}, {.engine = &engine});
    recorder.NoteHook(*node, 2, g);
    Engine::QueueCallback([&] { recorder.NoteCallback(2); });
    return g;
  });
  program::CallRecord outer;
  outer.statement = 3;
  const Recorder::Call call(recorder, outer);
  Backward({y}, {}, {.engine = &engine});

  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].outer, -1);
  EXPECT_EQ(calls[0].executed.size(), 2u);
  ASSERT_EQ(calls[0].hooks.size(), 3u);
  EXPECT_EQ(calls[0].hooks[0].statement, 2);
  EXPECT_EQ(calls[0].hooks[1].statement, 1);
  EXPECT_EQ(calls[0].hooks[2].node, -1);
  EXPECT_EQ(calls[1].outer, 0);
  EXPECT_EQ(calls[1].statement, 2);
  EXPECT_EQ(calls[1].executed, std::vector<int32_t>{0});
  ASSERT_EQ(calls[1].hooks.size(), 1u);
  EXPECT_EQ(calls[1].hooks[0].statement, 1);
}

}  // namespace
}  // namespace twingrad::runner
