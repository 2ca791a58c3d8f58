// Checkpoints: the gradients are those of the function itself, memory is what was promised, and
// functions that do not repeat themselves are found out.

#include "autograd/engine/checkpoint.h"

#include <any>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/engine/front_end.h"
#include "autograd/graph/inference_mode.h"
#include "autograd/graph/saved_tensor_hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/ops/ops.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

// x^3 e^x, and how often it ran and how far.
struct Cubed {
  int began = 0;
  int ended = 0;
  CheckpointFunction function() {
    return [this](const VariableList& in) -> VariableList {
      ++began;
      const Tensor& x = in[0];
      Tensor y = ops::Mul(ops::Mul(ops::Mul(x, x), x), ops::Exp(x));
      ++ended;
      return {y};
    };
  }
  static double At(double x) { return x * x * x * std::exp(x); }
  static double Slope(double x) { return (x * x * x + 3 * x * x) * std::exp(x); }
};

double GradValue(const Tensor& leaf) { return GradOf(leaf).item<double>(); }

// Rules: N8.
TEST(CheckpointTest, GivesTheGradientsOfTheFunctionAndRunsItTwice) {
  Cubed cubed;
  Tensor x = MakeLeaf(2);
  const Tensor y = Checkpoint(cubed.function(), {x})[0];
  EXPECT_EQ(cubed.began, 1);
  EXPECT_DOUBLE_EQ(y.item<double>(), Cubed::At(2));
  Backward({y});
  EXPECT_EQ(cubed.began, 2);
  EXPECT_DOUBLE_EQ(GradValue(x), Cubed::Slope(2));
}

// Rules: N8.
TEST(CheckpointTest, ARecomputationStopsAsSoonAsItHasEverything) {
  Cubed cubed;
  Tensor x = MakeLeaf(2);
  Backward({Checkpoint(cubed.function(), {x})[0]});
  EXPECT_EQ(cubed.ended, 1);
  Backward({Checkpoint(cubed.function(), {x}, {.early_stop = false})[0]});
  EXPECT_EQ(cubed.began, 4);
  EXPECT_EQ(cubed.ended, 3);
  EXPECT_DOUBLE_EQ(GradValue(x), 2 * Cubed::Slope(2));
}

// Rules: N8.
TEST(CheckpointTest, EveryCallRecomputesOnce) {
  Cubed cubed;
  Tensor x = MakeLeaf(2);
  const Tensor y = Checkpoint(cubed.function(), {x})[0];
  for (int call = 1; call <= 3; ++call) {
    Backward({y}, {}, {.retain_graph = true});
    EXPECT_EQ(cubed.began, 1 + call);
  }
  EXPECT_DOUBLE_EQ(Grad({y}, {x})[0].item<double>(), Cubed::Slope(2));
  EXPECT_EQ(KindOf([&] { Backward({y}); }), ErrorKind::kFreed);
  EXPECT_DOUBLE_EQ(GradValue(x), 3 * Cubed::Slope(2));
}

TEST(CheckpointTest, WithoutGradModeTheFunctionJustRuns) {
  Cubed cubed;
  GradModeGuard no_grad(false);
  EXPECT_FALSE(RequiresGrad(Checkpoint(cubed.function(), {MakeLeaf(2)})[0]));
}

TEST(CheckpointTest, DerivativesOfHigherOrderPassThrough) {
  Cubed cubed;
  Tensor x = MakeLeaf(2);
  const Tensor y = Checkpoint(cubed.function(), {x})[0];
  const VariableList first = Grad({y}, {x}, {}, {.create_graph = true});
  EXPECT_DOUBLE_EQ(first[0].item<double>(), Cubed::Slope(2));
  // (x^3 + 6 x^2 + 6 x) e^x
  EXPECT_DOUBLE_EQ(Grad({first[0]}, {x})[0].item<double>(), (8 + 24 + 12) * std::exp(2.0));
}

// What the function saves lives neither after the first run nor after its use.
TEST(CheckpointTest, NothingInsideIsKept) {
  const NodePtr end = MakePass({});
  Tensor x = MakeLeaf(2), y;
  const auto function = [&end](const VariableList& in) -> VariableList {
    Tensor inner = Tensor::Scalar(3);
    AutogradMeta::Of(inner).node = end;
    return {ops::Mul(ops::Tanh(inner.Detach()), ops::Mul(in[0], in[0]))};
  };
  y = Checkpoint(function, {x})[0];
  const Tensor grad = Grad({y}, {x}, {}, {.retain_graph = true})[0];
  EXPECT_EQ(end->ReferenceCount(), 1u);
  Backward({y});
  EXPECT_EQ(GradValue(x), grad.item<double>());
}

// Rules: N8.
TEST(CheckpointTest, CheckpointsNest) {
  Cubed cubed;
  int outer = 0;
  const auto function = [&](const VariableList& in) -> VariableList {
    ++outer;
    const Tensor inner = Checkpoint(cubed.function(), {ops::Mul(in[0], in[0])})[0];
    return {ops::Mul(inner, ops::Sin(in[0]))};
  };
  const auto directly = [&](const Tensor& in) {
    const Tensor inner = cubed.function()({ops::Mul(in, in)})[0];
    return ops::Mul(inner, ops::Sin(in));
  };
  Tensor x = MakeLeaf(0.5), z = MakeLeaf(0.5);
  Backward({directly(z)});
  const Tensor y = Checkpoint(function, {x})[0];
  Backward({y}, {}, {.retain_graph = true});
  EXPECT_EQ(GradValue(x), GradValue(z));
  EXPECT_GE(outer, 2);
  const VariableList first = Grad({y}, {x}, {}, {.create_graph = true});
  const VariableList second = Grad({first[0]}, {x});
  const VariableList expected =
      Grad({Grad({directly(z)}, {z}, {}, {.create_graph = true})[0]}, {z});
  EXPECT_EQ(second[0].item<double>(), expected[0].item<double>());
}

// Pairs of the function's own are innermost; a pair outside sees the inputs alone.
TEST(CheckpointTest, OtherHooksGoTogetherWithIt) {
  int outside = 0, inside = 0;
  const auto counting = [](int& count) -> SavedTensorHooks {
    return {.pack =
                [&count](const Tensor& t) {
                  ++count;
                  return std::any(t);
                },
            .unpack = [](const std::any& p) { return std::any_cast<Tensor>(p); }};
  };
  const auto function = [&](const VariableList& in) -> VariableList {
    const Tensor a = ops::Mul(in[0], in[0]);
    SavedTensorHooksGuard guard(counting(inside));
    return {ops::Exp(a)};
  };
  Tensor x = MakeLeaf(1), y;
  {
    SavedTensorHooksGuard guard(counting(outside));
    y = Checkpoint(function, {x})[0];
  }
  EXPECT_EQ(outside, 1);
  EXPECT_EQ(inside, 1);
  Backward({y});
  EXPECT_DOUBLE_EQ(GradValue(x), 2 * std::exp(1.0));
}

// Rules: N8.
TEST(CheckpointTest, AFunctionThatDoesNotRepeatItselfIsAnError) {
  int run = 0;
  const auto kind_of = [&](CheckpointFunction function) {
    run = 0;
    const Tensor y = Checkpoint(std::move(function), {MakeLeaf(2)}, {.early_stop = false})[0];
    return KindOf([&] { Backward({y}); });
  };
  const auto more = [&](const VariableList& in) -> VariableList {
    Tensor y = ops::Mul(in[0], in[0]);
    return {run++ == 0 ? y : ops::Mul(y, y)};
  };
  const auto fewer = [&](const VariableList& in) -> VariableList {
    Tensor y = ops::Mul(in[0], in[0]);
    return {run++ != 0 ? y : ops::Mul(y, y)};
  };
  const auto shape = [&](const VariableList& in) -> VariableList {
    const Tensor ones = Tensor::Ones({run++ == 0 ? 1 : 2}, DType::kF64);
    return {ops::Sum(ops::Exp(ops::Mul(in[0], ones)), {}, false)};
  };
  const auto dtype = [&](const VariableList& in) -> VariableList {
    const DType type = run++ == 0 ? DType::kF32 : DType::kF64;
    return {ops::Exp(ops::Cast(in[0], type))};
  };
  const auto writes = [](const VariableList& in) -> VariableList {
    Tensor y = ops::Exp(in[0]);
    Tensor z = ops::Exp(y);
    ops::MulInPlace(y, z);
    return {y};
  };
  EXPECT_EQ(kind_of(more), ErrorKind::kHook);
  EXPECT_EQ(kind_of(fewer), ErrorKind::kHook);
  EXPECT_EQ(kind_of(shape), ErrorKind::kHook);
  EXPECT_EQ(kind_of(dtype), ErrorKind::kHook);
  EXPECT_EQ(kind_of(writes), ErrorKind::kVersion);
}

TEST(CheckpointTest, AWrittenInputIsAnError) {
  Cubed cubed;
  Tensor x = MakeLeaf(2);
  Tensor in = ops::Add(x, x);
  const Tensor y = Checkpoint(cubed.function(), {in})[0];
  ops::AddInPlace(in, x);
  EXPECT_EQ(KindOf([&] { Backward({y}); }), ErrorKind::kVersion);
}

TEST(CheckpointTest, RecomputesWithTheModesOfTheFirstRun) {
  Cubed cubed;
  Tensor x = MakeLeaf(2);
  const Tensor y = Checkpoint(cubed.function(), {x})[0];
  {
    InferenceMode mode;
    Backward({y}, {}, {.retain_graph = true});
  }
  EXPECT_DOUBLE_EQ(GradValue(x), Cubed::Slope(2));
  Backward({y});
  EXPECT_DOUBLE_EQ(GradValue(x), 2 * Cubed::Slope(2));
}

TEST(CheckpointTest, AFunctionMayRunABackwardOfItsOwn) {
  const auto function = [](const VariableList& in) -> VariableList {
    const Tensor y = ops::Mul(ops::Mul(in[0], in[0]), in[0]);
    return {Grad({y}, {in[0]}, {}, {.create_graph = true})[0]};
  };
  Tensor x = MakeLeaf(2);
  Backward({Checkpoint(function, {x})[0]});
  EXPECT_EQ(GradValue(x), 12);
}

// Rules: N8.
TEST(CheckpointTest, SeveralThreadsMayRunOneGraph) {
  Tensor x = MakeLeaf(2);
  const Tensor y = Checkpoint(
      [](const VariableList& in) -> VariableList {
        return {ops::Mul(ops::Mul(in[0], in[0]), in[0])};
      },
      {x})[0];
  const auto differentiate = [&] {
    for (int i = 0; i < 30; ++i) {
      EXPECT_EQ(Grad({y}, {x}, {}, {.retain_graph = true})[0].item<double>(), 12);
    }
  };
  sync::Thread other("other", differentiate);
  differentiate();
  other.Join();
}

// Rules: G8.
TEST(CheckpointTest, ValidityIsThatOfAllCallsAround) {
  EXPECT_TRUE(Engine::IsCheckpointValid());
  std::vector<bool> seen;
  Tensor x = MakeLeaf(2);
  const NodePtr inner = MakeFunction(
      [&](FunctionNode&, VariableList g) {
        seen.push_back(Engine::IsCheckpointValid());
        return VariableList{g[0]};
      },
      {GradientEdge(x)});
  Tensor y = Tensor::Scalar(1);
  AutogradMeta::Of(y).node = inner;
  Backward({y});
  Grad({y}, {x});
  Backward({y}, {}, {.inputs = std::vector<Tensor>{x}});
  EXPECT_EQ(seen, (std::vector<bool>{true, false, false}));
  // A plain call inside one that is not.
  const NodePtr outer = MakeFunction(
      [&](FunctionNode&, VariableList g) {
        Backward({y});
        seen.push_back(Engine::IsCheckpointValid());
        return VariableList{g[0]};
      },
      {GradientEdge(x)});
  Tensor z = Tensor::Scalar(1);
  AutogradMeta::Of(z).node = outer;
  seen.clear();
  Grad({z}, {x});
  Backward({z});
  EXPECT_EQ(seen, (std::vector<bool>{false, false, true, true}));
  const NodePtr failing = MakeFunction(
      [](FunctionNode&, VariableList) -> VariableList { throw Error(ErrorKind::kUser, "[t] no"); },
      {GradientEdge(x)});
  Tensor f = Tensor::Scalar(1);
  AutogradMeta::Of(f).node = failing;
  EXPECT_EQ(KindOf([&] { Grad({f}, {x}); }), ErrorKind::kUser);
  EXPECT_TRUE(Engine::IsCheckpointValid());
}

}  // namespace
}  // namespace twingrad
