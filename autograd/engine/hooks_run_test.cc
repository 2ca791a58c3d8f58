// Hooks in whole runs: what they see of gradients, results and modes, with and without workers.

#include "autograd/graph/hooks.h"

#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/engine/engine.h"
#include "autograd/engine/front_end.h"
#include "autograd/engine/validate.h"
#include "autograd/graph/custom_function.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/ops/ops.h"

namespace twingrad {
namespace {

using ::testing::ElementsAre;

double Value(const Tensor& tensor) { return tensor.item<double>(); }

// The parameter is the number of device threads.
class HooksRunTest : public testing::TestWithParam<int> {
 protected:
  Engine engine_{{.device_threads = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(Threads, HooksRunTest, testing::Values(0, 2));

// Rules: H14.
TEST_P(HooksRunTest, GradModeInHooksIsCreateGraph) {
  for (const bool create_graph : {false, true}) {
    const Tensor x = MakeLeaf(3, Device::Sim(0));
    const Tensor y = ops::Mul(x, x);
    int calls = 0;
    const auto look = [&] {
      ++calls;
      EXPECT_EQ(GradMode::IsEnabled(), create_graph);
    };
    RegisterHook(y, [&](const Tensor&) { look(); });
    RegisterPreHook(*GradientEdge(y).function, [&](const VariableList&) { look(); });
    RegisterPostHook(*GradientEdge(y).function,
                     [&](const VariableList&, const VariableList&) { look(); });
    RegisterPostAccumulateGradHook(x, [&](const Tensor&) { look(); });
    NoGradGuard of_the_caller;
    Backward({y}, {}, {.create_graph = create_graph, .engine = &engine_});
    EXPECT_EQ(calls, 4);
    SetGrad(x, Tensor());
  }
}

// Rules: B10.
TEST_P(HooksRunTest, PostHooksSeeResultsThatWereMadeToFit) {
  const Tensor x = MakeLeaf(3);
  const auto returning = [&](const Tensor& result) {
    return MakeFunction(
        [result](FunctionNode&, const VariableList&) { return VariableList{result}; },
        {GradientEdge(x)});
  };
  int calls = 0;
  const auto run = [&](const NodePtr& node) {
    engine_.Execute({Edge(node, 0)}, {Tensor::Scalar(1)}, true, false, true);
  };
  const NodePtr narrow = returning(Tensor::Scalar(2, DType::kF32));
  RegisterPostHook(*narrow, [&](const VariableList& results, const VariableList&) {
    ++calls;
    EXPECT_EQ(results[0].dtype(), DType::kF64);
  });
  run(narrow);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(Value(GradOf(x)), 2);
  const NodePtr wrong = returning(Tensor::Zeros({2}, DType::kF64, Device::Sim(1)));
  RegisterPostHook(*wrong, [&](const VariableList&, const VariableList&) { ++calls; });
  SetGrad(x, Tensor());
  run(wrong);  // summed, then moved, because nothing is left of its shape
  EXPECT_EQ(calls, 2);
  const NodePtr integer = returning(Tensor());
  RegisterPostHook(*integer, [&](const VariableList& results, const VariableList&) {
    EXPECT_FALSE(results[0].defined());
    return VariableList{Tensor::Scalar(1)};
  });
  EXPECT_EQ(KindOf([&] { run(integer); }), ErrorKind::kHook) << "compared with what it replaces";
}

// Rules: B10.
TEST_P(HooksRunTest, ResultsThatDoNotFitReachNoPostHook) {
  const Tensor x = Tensor::Zeros({3}, DType::kF64);
  SetRequiresGrad(x, true);
  const NodePtr node = MakeFunction(
      [](FunctionNode&, const VariableList&) {
        return VariableList{Tensor::Zeros({2}, DType::kF64)};
      },
      {GradientEdge(x)});
  int calls = 0;
  RegisterPostHook(*node, [&](const VariableList&, const VariableList&) { ++calls; });
  EXPECT_EQ(
      KindOf([&] { engine_.Execute({Edge(node, 0)}, {Tensor::Scalar(1)}, true, false, true); }),
      ErrorKind::kShape);
  EXPECT_EQ(calls, 0);
}

// Rules: J9.
TEST_P(HooksRunTest, WhatAPostHookOfAnAccumulatorKeepsIsNotGrad) {
  const Tensor x = MakeLeaf(3);
  Tensor kept;
  RegisterPostHook(
      *GradientEdge(x).function,
      [&](const VariableList&, const VariableList& gradients) { kept = gradients[0]; });
  Backward({ops::Mul(x, x)}, {}, {.engine = &engine_});
  EXPECT_EQ(Value(kept), 6);
  EXPECT_EQ(Value(GradOf(x)), 6);
  EXPECT_FALSE(GradOf(x).HasSameStorage(kept));
  Backward({ops::Mul(x, x)}, {}, {.engine = &engine_});
  EXPECT_EQ(Value(GradOf(x)), 12);
  EXPECT_EQ(Value(kept), 6);
}

// Rules: T4.
TEST_P(HooksRunTest, HooksCapturesAndNodesSeeCompleteSums) {
  for (int round = 0; round < 10; ++round) {
    const Tensor x = MakeLeaf(1);
    const Tensor y = ops::Clone(x);
    std::vector<double> seen;
    RegisterHook(y, [&](const Tensor& g) { seen.push_back(Value(g)); });
    RegisterPreHook(*GradientEdge(y).function,
                    [&](const VariableList& g) { seen.push_back(Value(g[0])); });
    Tensor total = Tensor::Scalar(0);
    for (int i = 0; i < 4; ++i) {
      const Device device = Device::Sim(static_cast<uint8_t>(i));
      const Tensor lane = ops::Mul(ops::To(y, device), Tensor::Scalar(i + 1, DType::kF64, device));
      total = ops::Add(total, ops::To(lane, Device::Cpu()));
    }
    const Tensor g = Grad({total}, {y}, {}, {.retain_graph = true, .engine = &engine_})[0];
    EXPECT_EQ(Value(g), 10);
    Backward({total}, {}, {.engine = &engine_});
    EXPECT_THAT(seen, ElementsAre(10, 10, 10)) << "captured, and run with both hooks";
    EXPECT_EQ(Value(GradOf(x)), 10);
  }
}

struct DoubleInPlace : Function<DoubleInPlace> {
  static Tensor Forward(Context& context, Tensor x) {
    ops::MulInPlace(x, ops::Constant(2, x));
    context.MarkDirty({x});
    return x;
  }
  static VariableList Backward(Context&, VariableList g) {
    return {ops::Mul(g[0], ops::Constant(2, g[0]))};
  }
};

// Rules: H6, M2.
TEST_P(HooksRunTest, OfADirtyArgumentHooksStayAndRetainGradMoves) {
  const Tensor x = MakeLeaf(3);
  const Tensor y = ops::Clone(x);
  std::vector<double> seen;
  RegisterHook(y, [&](const Tensor& g) { seen.push_back(Value(g)); });
  RetainGrad(y);
  DoubleInPlace::Apply(y);
  Backward({ops::Mul(y, y)}, {}, {.engine = &engine_});
  EXPECT_THAT(seen, ElementsAre(24)) << "the gradient of the old contents";
  EXPECT_EQ(Value(GradOf(y)), 12) << "that of the new ones";
}

// Rules: A4.
TEST_P(HooksRunTest, AnUndefinedSeedOfExecuteCountsAsZero) {
  const Tensor x = MakeLeaf(3);
  const Tensor y = ops::Mul(x, x);
  int undefined = 0;
  RegisterHook(y, [&](const Tensor& g) { undefined += g.defined() ? 0 : 1; });
  engine_.Execute({GradientEdge(y)}, {Tensor()}, true, false, true);
  EXPECT_EQ(undefined, 1);
  EXPECT_FALSE(GradOf(x).defined());
}

// Rules: B8.
TEST_P(HooksRunTest, AFloatingGradientForAnIntegerPlaceIsRefused) {
  const InputMetadata place(Tensor::Scalar(0, DType::kI64));
  Tensor gradient = Tensor::Scalar(1);
  EXPECT_EQ(KindOf([&] { FitGradient(place, 0, gradient, "test"); }), ErrorKind::kDType);
}

}  // namespace
}  // namespace twingrad
