// Streams through whole calls, on the simulated accelerator: it reports each access that no event
// orders, so a call without reports has waited where it must; and where one report is expected, the
// call has not waited where it need not.

#include "autograd/engine/gradient_streams.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/device/device_registry.h"
#include "autograd/device/order_after.h"
#include "autograd/device/stream.h"
#include "autograd/engine/dependencies.h"
#include "autograd/engine/engine.h"
#include "autograd/engine/front_end.h"
#include "autograd/engine/graph_task.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/variable.h"
#include "autograd/graph/warning.h"
#include "autograd/ops/ops.h"

namespace twingrad {
namespace {

using Reports = std::vector<std::string>;

class GradientStreamsTest : public testing::TestWithParam<int> {
 protected:
  GradientStreamsTest() { sim_.TakeReports(); }
  ~GradientStreamsTest() override { sim_.SynchronizeDevice(0); }

  // Goes on on `stream`, after all that the current one has got.
  void GoOnOn(Stream stream) {
    OrderAfter(stream, CurrentStream(stream.device));
    SetCurrentStream(stream);
  }
  void Run(const Tensor& root, bool create_graph = false) {
    Run(GradientEdge(root), Tensor::Ones(root.sizes(), root.dtype(), root.device()), create_graph);
  }
  void Run(const Edge& root, const Tensor& seed, bool create_graph = false) {
    engine_.Execute(std::vector<Edge>{root}, std::vector<Tensor>{seed},
                    /*keep_graph=*/create_graph, create_graph, /*accumulate_grad=*/true, {});
  }
  // A scratch block that nodes write where it is to be seen how they are ordered.
  Tensor Scratch() {
    const Tensor scratch = On(device_);
    sim_.SynchronizeDevice(0);
    return scratch;
  }

  const Device device_ = Device::Sim(0);
  DeviceInterface& sim_ = GetDeviceInterface(device_);
  const Stream a_ = sim_.CreateStream(0);
  const Stream b_ = sim_.CreateStream(0);
  const Stream caller_ = sim_.CreateStream(0);
  const StreamsGuard streams_{{caller_}};
  Engine engine_{{.device_threads = GetParam()}};
};

#define EXPECT_NO_REPORTS() EXPECT_EQ(sim_.TakeReports(), Reports())

// Rules: B9, C5.
TEST_P(GradientStreamsTest, ANodeHasTheStreamThatItsOperationRanOn) {
  EXPECT_EQ(MakePass({})->stream(), Stream());
  SetCurrentStream(a_);
  const NodePtr node = MakePass({}, On(device_));
  SetCurrentStream(b_);
  EXPECT_EQ(node->stream(), a_);
  EXPECT_EQ(MakePass({}, On(Device::Sim(1)))->stream(), Stream{Device::Sim(1)});
}

// Rules: I13.
TEST_P(GradientStreamsTest, ACallWithoutDevicesHasNoStreams) {
  const std::vector<Tensor> seeds = {On(Device::Cpu(), 1)};
  const std::vector<Edge> on_cpu = {Edge(MakePass({}), 0)};
  GraphTask without({.roots = on_cpu, .seeds = seeds, .outputs = {}}, nullptr);
  ComputeDependencies(without);
  without.FindStreams(/*warns_of_leaves=*/false);
  EXPECT_EQ(without.streams(), nullptr);
  EXPECT_TRUE(without.IsPlain());
  const std::vector<Tensor> device_seeds = {On(device_, 1)};
  const std::vector<Edge> on_device = {Edge(MakePass({}, On(device_)), 0)};
  GraphTask with({.roots = on_device, .seeds = device_seeds, .outputs = {}}, nullptr);
  ComputeDependencies(with);
  with.FindStreams(/*warns_of_leaves=*/false);
  EXPECT_NE(with.streams(), nullptr);
}

// Rules: D6, E8, I5, I8, I9, O1, O2.
TEST_P(GradientStreamsTest, SumsGradientsAndTheCallersStreamsWait) {
  Tensor x = MakeLeaf(3, device_);
  GoOnOn(a_);
  const Tensor y = ops::Mul(x, x);
  GoOnOn(b_);
  const Tensor z = ops::Mul(x, y);
  GoOnOn(caller_);
  const Tensor sum = ops::Add(ops::Mul(z, y), x);
  Run(sum);
  EXPECT_EQ(ops::Mul(GradOf(x), x).watched_data<double>()[0], 3 * (5 * 81 + 1));
  EXPECT_NO_REPORTS();
}

// From the other side.
// Rules: O2.
TEST_P(GradientStreamsTest, OtherStreamsThanTheCallersDoNotWait) {
  Tensor x = MakeLeaf(3, device_);
  Run(ops::Mul(x, x));
  SetCurrentStream(a_);
  ops::Mul(GradOf(x), GradOf(x));
  EXPECT_FALSE(sim_.TakeReports().empty());
}

// What ran before an error may be looked at.
// Rules: O1, O2.
TEST_P(GradientStreamsTest, TheCallersStreamsWaitAfterAnErrorToo) {
  Tensor x = MakeLeaf(3, device_);
  Tensor bad = MakeLeaf(1, device_);
  RegisterHook(bad, [](const Tensor&) -> Tensor { throw Error(ErrorKind::kUser, "[test] no"); });
  GoOnOn(a_);
  const Tensor y = ops::Mul(x, bad);
  GoOnOn(caller_);
  EXPECT_THROW(Run(y), Error);
  if (GradOf(x).defined()) ops::Mul(GradOf(x), x);
  EXPECT_NO_REPORTS();
}

// A callback runs under the caller's streams, which have waited.
// Rules: D6, G3.
TEST_P(GradientStreamsTest, CallbacksRunOnTheCallersStreams) {
  Tensor x = MakeLeaf(3, device_);
  GoOnOn(a_);
  const Tensor y = ops::Mul(x, x);
  GoOnOn(caller_);
  Stream seen;
  RegisterHook(y, [&](const Tensor& gradient) {
    Engine::QueueCallback([&] {
      seen = CurrentStream(device_);
      ops::Mul(GradOf(x), x);
    });
    return gradient;
  });
  Run(y);
  EXPECT_EQ(seen, caller_);
  EXPECT_NO_REPORTS();
}

// The consumer's stream waits when the consumer runs, so a producer on that stream overlaps one on
// another.
// Rules: I9.
TEST_P(GradientStreamsTest, AProducerOnTheConsumersStreamDoesNotWaitForOthers) {
  const Tensor scratch = Scratch();
  const auto writes = [&](FunctionNode& node, VariableList gradients) {
    scratch.mutable_data<double>()[0] = 1;
    return VariableList(node.num_outputs(), gradients[0]);
  };
  Tensor x = MakeLeaf(3, device_);
  SetCurrentStream(b_);
  const NodePtr consumer = MakePass({GradientEdge(x)}, On(device_));
  const NodePtr on_same = MakeFunction(writes, {Edge(consumer, 0)}, On(device_));
  SetCurrentStream(a_);
  const NodePtr on_other = MakeFunction(writes, {Edge(consumer, 0)}, On(device_));
  SetCurrentStream(caller_);
  const NodePtr root = MakePass({Edge(on_other, 0), Edge(on_same, 0)}, On(device_));
  sim_.SynchronizeDevice(0);
  Run(Edge(root, 0), On(device_, 1));
  const Reports reports = sim_.TakeReports();
  ASSERT_EQ(reports.size(), 1u) << "the writes of the two producers are in no order";
  EXPECT_NE(reports[0].find("write by Function"), std::string::npos) << reports[0];
  EXPECT_EQ(GradOf(x).watched_data<double>()[0], 2);
}

// What else a node gives may be added to a sum on its own stream, which waits for the other terms.
// Rules: I9.
TEST_P(GradientStreamsTest, NothingWaitsForSumsOnTheGiversStream) {
  const Tensor scratch = Scratch();
  const auto writes = [&](FunctionNode& node, VariableList gradients) {
    scratch.mutable_data<double>()[0] = 1;
    return VariableList(node.num_outputs(), gradients[0]);
  };
  SetCurrentStream(b_);
  const NodePtr sum = MakePass({}, On(device_));
  SetCurrentStream(caller_);
  const NodePtr last = MakeFunction(writes, {}, On(device_));
  SetCurrentStream(b_);
  const NodePtr giver = MakePass({Edge(sum, 0), Edge(last, 0)}, On(device_));
  SetCurrentStream(a_);
  const NodePtr term = MakeFunction(writes, {Edge(sum, 0)}, On(device_));
  SetCurrentStream(b_);
  const NodePtr root = MakePass({Edge(giver, 0), Edge(term, 0)}, On(device_));
  sim_.SynchronizeDevice(0);
  Run(Edge(root, 0), On(device_, 1));
  EXPECT_EQ(sim_.TakeReports().size(), 1u) << "the writes of both are in no order";
}

// A node whose memory a sum could take may have been read by work that is queued elsewhere.
// Rules: I8.
TEST_P(GradientStreamsTest, ASumLeavesMemoryToWhoMayStillReadIt) {
  Tensor x = MakeLeaf(3, device_);
  Tensor w = MakeLeaf(2, device_);
  GoOnOn(a_);
  const Tensor reader = ops::Mul(w, w);  // its node reads the gradient on stream a
  GoOnOn(caller_);
  const Tensor twice = ops::Add(ops::Neg(x), x);
  Run(ops::Add(ops::Add(twice, x), reader));
  EXPECT_EQ(GradOf(x).watched_data<double>()[0], 1);
  EXPECT_EQ(GradOf(w).watched_data<double>()[0], 4);
  EXPECT_NO_REPORTS();
}

// So a leaf does not keep it as its .grad, which hooks may write.
// Rules: I8.
TEST_P(GradientStreamsTest, ALeafLeavesMemoryToWhoMayStillReadIt) {
  Tensor x = MakeLeaf(3, device_);
  Tensor w = MakeLeaf(2, device_);
  RegisterPostAccumulateGradHook(x, [](const Tensor& grad) { grad.mutable_data<double>()[0] = 7; });
  const Tensor passes_on = ops::Add(x, ops::Constant(0, x));
  GoOnOn(a_);
  const Tensor reader = ops::Mul(w, w);
  GoOnOn(caller_);
  Run(ops::Neg(ops::Add(passes_on, reader)));  // which gives memory that nobody else holds
  EXPECT_EQ(GradOf(x).watched_data<double>()[0], 7);
  EXPECT_EQ(GradOf(w).watched_data<double>()[0], -4);
  EXPECT_NO_REPORTS();
}

// Without a gradient there is nothing to wait for but what the giver did.
// Rules: I9.
TEST_P(GradientStreamsTest, ANodeComesAfterOneThatGaveItNothing) {
  const Tensor scratch = Scratch();
  const auto writes = [&](FunctionNode& node, VariableList) {
    scratch.mutable_data<double>()[0] = 1;
    return VariableList(node.num_outputs());
  };
  SetCurrentStream(a_);
  const NodePtr last = MakeFunction(writes, {}, On(device_));
  SetCurrentStream(b_);
  const NodePtr giver = MakeFunction(writes, {Edge(last, 0)}, On(device_));
  SetCurrentStream(caller_);
  const NodePtr root = MakePass({Edge(giver, 0)}, On(device_));
  sim_.SynchronizeDevice(0);
  Run(Edge(root, 0), On(device_, 1));
  EXPECT_NO_REPORTS();
}

// To the caller all of it is work of its current streams.
// Rules: I9.
TEST_P(GradientStreamsTest, WhatANodeMakesOfNothingComesAfterTheCallersWork) {
  const Tensor scratch = Scratch();
  const auto writes = [&](FunctionNode& node, VariableList) {
    scratch.mutable_data<double>()[0] = 1;
    return VariableList(node.num_outputs());
  };
  SetCurrentStream(a_);
  const NodePtr taker = MakeFunction(writes, {}, On(device_));
  const NodePtr root = MakeFunction([](FunctionNode&, VariableList) { return VariableList(1); },
                                    {Edge(taker, 0)}, On(Device::Cpu()));
  SetCurrentStream(caller_);
  ops::Mul(scratch, scratch);
  Run(Edge(root, 0), On(Device::Cpu(), 1));  // given by a node of the CPU
  EXPECT_NO_REPORTS();
  SetCurrentStream(b_);
  OrderAfter(b_, caller_);
  ops::Mul(scratch, scratch);
  Run(Edge(taker, 0), Tensor());  // and to a root
  EXPECT_NO_REPORTS();
}

// A node of another device does not order what the caller did on this one.
TEST_P(GradientStreamsTest, WhatANodeMakesOfWhatLiesElsewhereComesAfterTheCallersWork) {
  const Device other = Device::Sim(1);
  const Tensor scratch = Scratch();
  const auto writes = [&](FunctionNode& node, VariableList) {
    scratch.mutable_data<double>()[0] = 1;
    return VariableList(node.num_outputs());
  };
  const auto gives = [&](const Tensor& gradient) {
    return [gradient](FunctionNode&, VariableList) { return VariableList{gradient}; };
  };
  SetCurrentStream(a_);
  const NodePtr taker = MakeFunction(writes, {}, On(device_));
  taker->AddInput(On(other));
  const NodePtr nothing = MakeFunction(gives(Tensor()), {Edge(taker, 0)}, On(other));
  const NodePtr something = MakeFunction(gives(On(other, 1)), {Edge(taker, 1)}, On(other));
  for (const Edge& root : {Edge(nothing, 0), Edge(something, 0), Edge(taker, 1)}) {
    GoOnOn(caller_);
    ops::Mul(scratch, scratch);
    Run(root, On(other, 1));
    EXPECT_NO_REPORTS();
  }
}

// A leaf's accumulator has the stream of its first use, for as long as the leaf lives.
// Rules: I11.
TEST_P(GradientStreamsTest, LeavesThatGetGradientsFromOtherStreamsAreWarnedOf) {
  Tensor x = MakeLeaf(3, device_);
  Tensor w = MakeLeaf(2, device_);
  SetCurrentStream(a_);
  const Tensor first = ops::Neg(x);  // from here on x has stream a
  SetCurrentStream(caller_);
  const Tensor root = ops::Add(ops::Mul(x, w), ops::Mul(x, w));
  Engine warning({.device_threads = GetParam(), .warn_of_leaf_streams = true});
  const auto warnings_of = [&](Engine& engine) {
    CollectedWarnings seen;
    const WarningHandlerScope scope(seen);
    Backward({root}, {}, {.retain_graph = true, .engine = &engine});
    return seen.Messages();
  };
  EXPECT_THAT(warnings_of(engine_), testing::IsEmpty());
  EXPECT_THAT(warnings_of(warning), testing::ElementsAre(testing::HasSubstr(
                                        "the gradient of a leaf of shape [] comes from " +
                                        caller_.ToString() + " and is added on " + a_.ToString())));
}

TEST_P(GradientStreamsTest, DeepCallsHaveTheStreamsOfWhoMakesThem) {
  constexpr int kFreshStack = 70;  // levels; a stack has 60
  Stream seen;
  std::function<void(int)> nest = [&](int depth) {
    seen = CurrentStream(device_);
    if (depth == kFreshStack) return;
    const auto goes_on = [&](FunctionNode&, VariableList) {
      nest(depth + 1);
      return VariableList();
    };
    Run(Edge(MakeFunction(goes_on, {}), 0), On(Device::Cpu(), 1));
  };
  nest(0);
  EXPECT_EQ(seen, caller_);
}

TEST_P(GradientStreamsTest, AsynchronousCallsHaveTheCallersStreams) {
  Stream seen;
  engine_
      .Async([&] {
        seen = CurrentStream(device_);
        return VariableList();
      })
      .Get();
  EXPECT_EQ(seen, caller_);
}

// Copies between devices too.
// Rules: I10, O3.
TEST_P(GradientStreamsTest, GradientsGoFromDeviceToDevice) {
  Tensor x = MakeLeaf(3, device_);
  GoOnOn(a_);
  const Tensor there = ops::To(ops::Mul(x, x), Device::Sim(1));
  GoOnOn(sim_.CreateStream(1));
  const Tensor back = ops::To(ops::Mul(there, there), device_);
  const Tensor host = ops::To(ops::Mul(back, x), Device::Cpu());
  Run(host);
  EXPECT_EQ(ops::To(GradOf(x), Device::Cpu()).watched_data<double>()[0], 5 * 81);
  sim_.SynchronizeDevice(1);
  EXPECT_NO_REPORTS();
}

// Calls in hooks, and the second order.
// Rules: G6.
TEST_P(GradientStreamsTest, NestedCallsAndCreatedGraphsHaveStreamsToo) {
  Tensor x = MakeLeaf(3, device_);
  Tensor w = MakeLeaf(2, device_);
  GoOnOn(a_);
  const Tensor y = ops::Mul(ops::Mul(x, x), x);
  const Tensor inner = ops::Mul(w, w);
  GoOnOn(b_);
  RegisterHook(y, [&](const Tensor& gradient) {
    Run(inner);
    return ops::Mul(gradient, GradOf(w));
  });
  Run(y, /*create_graph=*/true);
  const Tensor gradient = GradOf(x);
  GoOnOn(caller_);
  SetGrad(x, Tensor());
  Run(ops::Mul(gradient, gradient));
  EXPECT_EQ(GradOf(x).watched_data<double>()[0], 2 * (27.0 * 4) * (18.0 * 4));
  EXPECT_NO_REPORTS();
}

INSTANTIATE_TEST_SUITE_P(DeviceThreads, GradientStreamsTest, testing::Values(0, 2));

}  // namespace
}  // namespace twingrad
