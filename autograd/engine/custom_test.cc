// Custom functions in whole backward runs: derivatives of their derivatives, which gradients a call
// asks them for, nested calls through their own node, and the lock of the node.

#include <any>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/device/device_registry.h"
#include "autograd/device/stream.h"
#include "autograd/engine/current_task.h"
#include "autograd/engine/engine.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/anomaly.h"
#include "autograd/graph/custom_function.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/ops/ops.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

double Value(const Tensor& tensor) { return tensor.item<double>(); }

Tensor Times(double factor, const Tensor& x) { return ops::Mul(ops::Constant(factor, x), x); }

struct Cube : Function<Cube> {
  static Tensor Forward(Context& context, const Tensor& x, double factor) {
    context.SaveForBackward({x});
    context.saved_data["factor"] = factor;
    return Times(factor, ops::Mul(x, ops::Mul(x, x)));
  }
  static VariableList Backward(Context& context, VariableList gradients) {
    const Tensor x = context.SavedTensors()[0];
    const double factor = std::any_cast<double>(context.saved_data["factor"]);
    return {ops::Mul(gradients[0], Times(3 * factor, ops::Mul(x, x))), Tensor()};
  }
};

// Rules: M1, M6, M7.
TEST(CustomTest, ABackwardOfDifferentiableOperationsCanBeDifferentiatedAgain) {
  const Tensor x = MakeLeaf(2);
  Tensor g = Cube::Apply(x, 5.0);
  EXPECT_EQ(Value(g), 40);
  for (const double expected : {60.0, 60.0, 30.0}) {
    g = Grad({g}, {x}, {}, {.create_graph = true})[0];
    EXPECT_EQ(Value(g), expected);
  }
}

// Rules: K3, K5, M7.
TEST(CustomTest, WhatItSavedIsFreedWithTheGraph) {
  const Tensor y = Cube::Apply(MakeLeaf(2), 1.0);
  Backward({y});
  EXPECT_EQ(KindOf([&] { Backward({y}); }), ErrorKind::kFreed);
}

struct Product : Function<Product> {
  static Tensor Forward(Context& context, const Tensor& a, const Tensor& b) {
    context.SaveForBackward({a, b});
    return ops::Mul(a, b);
  }
  static VariableList Backward(Context& context, VariableList g) {
    const VariableList saved = context.SavedTensors();
    VariableList results(2);
    if (context.NeedsInputGrad(0)) results[0] = ops::Mul(g[0], saved[1]);
    if (context.NeedsInputGrad(1)) results[1] = ops::Mul(g[0], saved[0]);
    EXPECT_NE(results[0].defined(), results[1].defined());
    return results;
  }
};

// Rules: D10.
TEST(CustomTest, NeedsInputGradKnowsWhatTheCallWants) {
  const Tensor a = MakeLeaf(2);
  const Tensor b = MakeLeaf(3);
  const Tensor y = Product::Apply(a, b);
  EXPECT_EQ(Value(Grad({y}, {a}, {}, {.retain_graph = true})[0]), 3);
  EXPECT_EQ(Value(Grad({y}, {b}, {}, {.retain_graph = true})[0]), 2);
  Backward({y}, {}, {.inputs = std::vector<Tensor>{b}});
  EXPECT_EQ(Value(GradOf(b)), 2);
  EXPECT_FALSE(GradOf(a).defined());
}

struct Once : Function<Once> {
  static constexpr bool kOnceDifferentiable = true;
  static Tensor Forward(Context& context, const Tensor& x) {
    context.SaveForBackward({x});
    return ops::Mul(x, x);
  }
  static VariableList Backward(Context& context, VariableList g) {
    EXPECT_FALSE(GradMode::IsEnabled());
    return {ops::Mul(g[0], Times(2, context.SavedTensors()[0]))};
  }
};

// Rules: M9.
TEST(CustomTest, OnceDifferentiableGradientsRefuseToBeDifferentiated) {
  const Tensor x = MakeLeaf(3);
  const Tensor y = ops::Add(Once::Apply(x), ops::Mul(x, x));
  EXPECT_EQ(Value(Grad({y}, {x}, {}, {.retain_graph = true})[0]), 12);
  const Tensor g = Grad({y}, {x}, {}, {.create_graph = true})[0];
  EXPECT_EQ(Value(g), 12);
  EXPECT_EQ(KindOf([&] { Backward({g}); }), ErrorKind::kInvalidArgument);
}

struct DoubleInPlace : Function<DoubleInPlace> {
  static Tensor Forward(Context& context, Tensor x) {
    ops::MulInPlace(x, ops::Constant(2, x));
    context.MarkDirty({x});
    return x;
  }
  static VariableList Backward(Context&, VariableList g) { return {Times(2, g[0])}; }
};

// Rules: L3, M2.
TEST(CustomTest, GradientsPassAWriteToAVariableAndToAView) {
  const Tensor x = MakeLeaf(3);
  const Tensor y = ops::Clone(x);
  DoubleInPlace::Apply(y);
  Backward({ops::Mul(y, y)});
  EXPECT_EQ(Value(GradOf(x)), 24);

  const Tensor v = Tensor::FromData<double>({2}, {3, 5});
  SetRequiresGrad(v, true);
  const Tensor base = ops::Clone(v);
  DoubleInPlace::Apply(ops::Select(base, 0, 1));
  const Tensor g = Grad({ops::Sum(ops::Mul(base, base), {}, false)}, {v})[0];
  EXPECT_EQ(g.data<double>()[0], 6);
  EXPECT_EQ(g.data<double>()[1], 40);
}

struct Frees : Function<Frees> {
  static VariableList Forward(Context&, const Tensor& x) { return {ops::Clone(x), ops::Clone(x)}; }
  static VariableList Backward(Context&, VariableList g) {
    EXPECT_TRUE(g[0].IsUniquelyOwned()) << "nobody else holds the gradient";
    g[0].reset();
    return {g[1]};
  }
};

// Rules: Q7.
TEST(CustomTest, BackwardMayFreeEachGradientEarly) {
  const Tensor x = MakeLeaf(3);
  const VariableList r = Frees::Apply(x);
  Backward({ops::Add(ops::Mul(r[0], r[0]), ops::Mul(r[1], r[1]))});
  EXPECT_EQ(Value(GradOf(x)), 6);
}

// A copy of an f64 tensor whose gradients are f32.
struct Narrow : Function<Narrow> {
  static Tensor Forward(Context& context, const Tensor& x) {
    context.SetGradDTypes({DType::kF32});
    return ops::Clone(x);
  }
  static VariableList Backward(Context&, VariableList g) {
    EXPECT_EQ(g[0].dtype(), DType::kF32);
    return {g[0]};
  }
};

// Rules: Q5.
TEST(CustomTest, GradientsOfResultsAreCastToTheDTypeThatForwardSets) {
  const Tensor x = MakeLeaf(3);
  const Tensor y = Narrow::Apply(x);
  // 2^-30 is lost beside 1 in f32.
  const Tensor weight = Tensor::Scalar(1 + 0x1p-30);
  Backward({ops::Mul(y, weight)}, {}, {.retain_graph = true});
  EXPECT_EQ(Value(GradOf(x)), 1);
  EXPECT_EQ(GradOf(x).dtype(), DType::kF64) << "the leaf's own";
  EXPECT_EQ(Grad({ops::Mul(y, weight)}, {y}, {}, {.retain_graph = true})[0].dtype(), DType::kF32);
}

// Runs a backward of what its context holds.
struct Nests : Function<Nests> {
  static Tensor Forward(Context& context, const Tensor& x, int* depth) {
    context.saved_data["depth"] = depth;
    return ops::Clone(x);
  }
  static VariableList Backward(Context& context, VariableList g) {
    auto* depth = std::any_cast<int*>(context.saved_data["depth"]);
    if (++*depth < 3) {
      const NodePtr self(const_cast<Node*>(context.node()));
      Engine::Default().Execute({Edge(self, 0)}, {g[0]}, true, false, true, {});
    }
    return {g[0], Tensor()};
  }
};

// Rules: M8.
TEST(CustomTest, ANestedCallMayComeThroughTheSameNode) {
  const Tensor x = MakeLeaf(3);
  int depth = 0;
  Backward({Nests::Apply(x, &depth)});
  EXPECT_EQ(depth, 3);
  EXPECT_EQ(Value(GradOf(x)), 3);
}

// Counts without an atomic: the node's lock is what keeps the sum right.
struct Counts : Function<Counts> {
  static Tensor Forward(Context& context, const Tensor& x) {
    context.saved_data["runs"] = 0;
    return ops::Clone(x);
  }
  static VariableList Backward(Context& context, VariableList g) {
    auto& runs = std::any_cast<int&>(context.saved_data["runs"]);
    runs = runs + 1;
    return {Times(runs > 0 ? 1 : 0, g[0])};
  }
};

// Rules: M8.
TEST(CustomTest, OneBackwardOfANodeRunsAtATime) {
  const Tensor x = MakeLeaf(3);
  const Tensor y = Counts::Apply(x);
  const auto run = [&] {
    for (int i = 0; i < 200; ++i) Backward({y}, {}, {.retain_graph = true});
  };
  sync::Thread other("other", run);
  run();
  other.Join();
  EXPECT_EQ(Value(GradOf(x)), 400);
}

// Each of two nodes runs, in its backward, a call through the other one.
struct Crosses : Function<Crosses> {
  static Tensor Forward(Context& context, const Tensor& x, const std::vector<Tensor>* others) {
    context.saved_data["others"] = others;
    return ops::Clone(x);
  }
  static VariableList Backward(Context& context, VariableList g) {
    const auto* others = std::any_cast<const std::vector<Tensor>*>(context.saved_data["others"]);
    for (const Tensor& other : *others) {
      if (GradientEdge(other).function.get() == context.node()) continue;
      if (Value(g[0]) > 1) twingrad::Backward({other}, {}, {.retain_graph = true});
    }
    return {g[0], Tensor()};
  }
};

// Rules: M8.
TEST(CustomTest, NodesThatRunEachOtherDoNotWaitInACircle) {
  const Tensor x = MakeLeaf(3);
  std::vector<Tensor> both;
  both.push_back(Crosses::Apply(x, &both));
  both.push_back(Crosses::Apply(x, &both));
  const auto run = [&](size_t i) {
    for (int n = 0; n < 100; ++n) {
      Backward({both[i]}, {Tensor::Scalar(2)}, {.retain_graph = true});
    }
  };
  sync::Thread other("other", [&] { run(1); });
  run(0);
  other.Join();
  EXPECT_EQ(Value(GradOf(x)), 600);
}

// Writes into each gradient that it gets.
struct Writes : Function<Writes> {
  static Tensor Forward(Context&, const Tensor& x) { return ops::Clone(x); }
  static VariableList Backward(Context&, VariableList g) {
    GradModeGuard no_grad(false);
    ops::MulInPlace(g[0], ops::Constant(2, g[0]));
    return g;
  }
};

// Rules: I14.
TEST(CustomTest, WritingAGradientThatOthersHoldIsAnError) {
  const Tensor x = MakeLeaf(3);
  // Both operands get one tensor.
  const Tensor y = ops::Add(Writes::Apply(x), ops::Clone(x));
  EXPECT_EQ(KindOf([&] { Backward({y}, {}, {.retain_graph = true}); }), ErrorKind::kVersion);
  EXPECT_EQ(KindOf([&] { Backward({Writes::Apply(x)}, {Tensor::Scalar(1)}); }), ErrorKind::kVersion)
      << "a seed is the user's";
  SetGrad(x, Tensor());
  Backward({ops::Mul(Writes::Apply(x), Tensor::Scalar(5))});
  EXPECT_EQ(Value(GradOf(x)), 10) << "nobody else has it";
}

// Adds its gradient to the sum below, where it may, and counts how often that was.
struct AddsBelow : Function<AddsBelow> {
  static Tensor Forward(Context& context, const Tensor& x, double* found) {
    EXPECT_EQ(KindOf([&] { CurrentTask::InputGradBuffers(context); }), ErrorKind::kInvalidArgument);
    context.saved_data["found"] = found;
    return Times(2, x);
  }
  static VariableList Backward(Context& context, VariableList g) {
    VariableList sums = CurrentTask::InputGradBuffers(context);
    EXPECT_EQ(sums.size(), 2u);
    EXPECT_FALSE(sums[1].defined()) << "no tensor";
    if (!sums[0].defined()) return {Times(2, g[0]), Tensor()};
    *std::any_cast<double*>(context.saved_data["found"]) = Value(sums[0]);
    ops::AddInPlace(sums[0], Times(2, g[0]));
    return {Tensor(), Tensor()};
  }
};

// Rules: I15, Q4.
TEST(CustomTest, BackwardMayAddToTheSumBelow) {
  const Tensor x = MakeLeaf(3);
  double found = 0;
  const auto run = [&](const Tensor& y, bool create_graph = false) {
    found = 0;
    SetGrad(x, Tensor());
    Backward({y}, {}, {.create_graph = create_graph});
    const double sum = Value(GradOf(x));
    SetGrad(x, Tensor());
    return sum;
  };
  const auto first = [&] {  // made first, so its node runs last
    const Tensor mine = AddsBelow::Apply(x, &found);
    return ops::Add(mine, Times(5, x));
  };
  EXPECT_EQ(run(first()), 7);
  EXPECT_EQ(found, 5);
  const Tensor five = Times(5, x);
  EXPECT_EQ(run(ops::Add(five, AddsBelow::Apply(x, &found))), 7);
  EXPECT_EQ(found, 0) << "nothing has arrived";
  const Tensor early = AddsBelow::Apply(x, &found);
  EXPECT_EQ(run(ops::Add(early, ops::Clone(x))), 3);
  EXPECT_EQ(found, 0) << "the sum is the gradient of the other operand too";
  EXPECT_EQ(run(first(), /*create_graph=*/true), 7);
  EXPECT_EQ(found, 0);
  {
    DetectAnomalyGuard anomaly;
    EXPECT_EQ(run(first()), 7);
    EXPECT_EQ(found, 0);
  }
  const Tensor hooked = AddsBelow::Apply(x, &found);
  int hook_calls = 0;
  RegisterPostHook(*GradientEdge(hooked).function,
                   [&](const VariableList& results, const VariableList&) {
                     ++hook_calls;
                     EXPECT_TRUE(results[0].defined());
                   });
  EXPECT_EQ(run(ops::Add(hooked, Times(5, x))), 7);
  EXPECT_EQ(hook_calls, 1);
}

// A run of several threads has no such sums: whether one is there would depend on timing.
// Rules: I15, Q4.
TEST(CustomTest, NoSumsBelowInARunOfSeveralThreads) {
  Engine engine({.device_threads = 2});
  const Tensor x = MakeLeaf(3);
  double found = 0;
  for (int round = 0; round < 20; ++round) {
    const Tensor mine = AddsBelow::Apply(x, &found);
    const Tensor there = ops::To(Times(5, x), Device::Sim(0));
    Backward({ops::Add(ops::To(mine, Device::Sim(0)), there)}, {}, {.engine = &engine});
    EXPECT_EQ(Value(GradOf(x)), 7);
    EXPECT_EQ(found, 0);
    SetGrad(x, Tensor());
  }
}

// Nor has one that uses several streams of a device: the sum is made on that of the node below.
// Rules: Q4.
TEST(CustomTest, NoSumsBelowInARunOfSeveralStreams) {
  const Device device = Device::Sim(0);
  const Tensor x = MakeLeaf(3, device);
  const auto found_on = [&](Stream stream) {
    double found = 0;
    const StreamGuard other(stream);
    const Tensor mine = AddsBelow::Apply(x, &found);
    const StreamGuard same(Stream{device});
    Backward({ops::Add(mine, Times(5, x))});
    SetGrad(x, Tensor());
    return found;
  };
  EXPECT_EQ(found_on(Stream{device}), 5);
  EXPECT_EQ(found_on(GetDeviceInterface(device).CreateStream(0)), 0);
}

// Rules: C8.
TEST(CustomTest, LongChainsRunAndAreFreed) {
  const Tensor x = MakeLeaf(1);
  Tensor y = x;
  for (int i = 0; i < 100'000; ++i) y = Cube::Apply(y, 1.0);
  Backward({y});
  y.reset();
  EXPECT_EQ(GradOf(x).numel(), 1);
}

}  // namespace
}  // namespace twingrad
