// The one header: a user's program with nothing else included.

#include "autograd/autograd.h"

#include <sstream>
#include <vector>

#include "gtest/gtest.h"

// As in a program of its own, outside the library's namespace.
namespace {

using namespace twingrad;  // NOLINT: what a user writes

TEST(Autograd, OneIncludeIsEnoughForAProgram) {
  Generator generator(1);
  const Tensor x = Uniform({4, 3}, -1, 1, generator);
  const Tensor w = Leaf(Normal({3, 1}, 0, 1, generator));
  const Tensor b = Leaf(Tensor::Zeros({1}, DType::kF64));
  const Tensor loss = Mean(Pow(Tanh(Matmul(x, w) + b) - 0.5, 2));
  int calls = 0;
  RegisterHook(loss, [&](const Tensor& g) { return ++calls, g; });
  Backward({loss});
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(GradOf(w).sizes(), Ints({3, 1}));
  {
    NoGradGuard no_grad;
    EXPECT_FALSE(RequiresGrad(w * 2));
    EnableGradGuard grad;
    EXPECT_TRUE(RequiresGrad(w * 2));
  }
  std::ostringstream text;
  text << At(b, {0});
  EXPECT_EQ(text.str(), "0\nf64[] on cpu, node SelectBackward, view");
}

TEST(Autograd, GuardsNestAndRestore) {
  EXPECT_TRUE(GradMode::IsEnabled());
  {
    NoGradGuard outer;
    EXPECT_FALSE(GradMode::IsEnabled());
    {
      EnableGradGuard inner;
      EXPECT_TRUE(GradMode::IsEnabled());
    }
    EXPECT_FALSE(GradMode::IsEnabled());
  }
  EXPECT_TRUE(GradMode::IsEnabled());
}

struct Cube : Function<Cube> {
  static Tensor Forward(Context& context, const Tensor& x) {
    context.SaveForBackward({x});
    return x * x * x;
  }
  static VariableList Backward(Context& context, VariableList gradients) {
    const Tensor x = context.SavedTensors()[0];
    return {gradients[0] * 3 * x * x};
  }
};

TEST(Autograd, CustomFunctionsMeetHooksAndWarnings) {
  const Tensor x = Leaf(Tensor::Scalar(2));
  const Tensor y = Leaf(Tensor::Scalar(5));
  double both = 0;
  RegisterAllGradsHook({x, y}, [&](const std::vector<Tensor>& gradients) {
    if (!gradients[1].defined()) return;  // the second call wants that of x alone
    both = gradients[0].item<double>() + gradients[1].item<double>();
    Warn("[user] both gradients are here; this is expected; go on");
  });
  CollectedWarnings seen;
  const WarningHandlerScope scope(seen);
  const Tensor product = Cube::Apply(x) * y;
  Backward({product}, {}, {.create_graph = true});
  EXPECT_EQ(both, 3 * 4 * 5 + 8);
  EXPECT_EQ(seen.warnings().size(), 1u);
  EXPECT_EQ(Grad({GradOf(x)}, {x})[0].item<double>(), 6 * 2 * 5);
}

TEST(Autograd, NodesMayAskAboutTheirCallAndRefuse) {
  const Tensor x = Leaf(Tensor::Scalar(3));
  const Tensor y = x * x;
  const GradientEdge edge(y);
  bool will_execute = false;
  RegisterHook(y, [&](const Tensor& g) {
    will_execute = CurrentTask::WillExecute(*edge.function);
    return g;
  });
  const MultithreadingGuard alone(false);
  Backward({edge}, {Tensor::Scalar(1)});
  EXPECT_TRUE(will_execute);
  SetGradDType(Leaf(Tensor::Scalar(1, DType::kF32)), DType::kF64);
  const Tensor refuses = DelayedError("[user] no derivative; none is known; detach", {x * x})[0];
  EXPECT_THROW(Backward({refuses}), Error);
}

}  // namespace
