// Turns at a leaf's `.grad`: hooks that step and empty it, on several threads and within each
// other.

#include "autograd/graph/grad_turn.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>

#include "autograd/graph/basic_nodes.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"

namespace twingrad {
namespace {

constexpr int kTimes = 2000;

void Accumulate(const Tensor& leaf, double gradient) {
  const GradModeGuard no_grad(false);
  GradientEdge(leaf).function->Apply({Tensor::Scalar(gradient)});
}

// Rules: H9, J2.
TEST(GradTurnTest, AHookMaySetGradAndAccumulateThroughItsOwnLeaf) {
  const Tensor x = MakeLeaf(1);
  double stepped = 0;
  int depth = 0;
  RegisterPostAccumulateGradHook(x, [&](const Tensor& grad) {
    if (++depth == 1) Accumulate(x, 10);
    --depth;
    if (depth > 0) return;
    stepped += grad.item<double>();
    EXPECT_TRUE(GradOf(x).IsSameAs(grad));
    SetGrad(x, Tensor());
  });
  Accumulate(x, 1);
  EXPECT_EQ(stepped, 11);
  EXPECT_FALSE(GradOf(x).defined());
}

// Rules: H9.
TEST(GradTurnTest, EachHookSeesGradAsTheOneBeforeLeftIt) {
  const Tensor x = MakeLeaf(1);
  RegisterPostAccumulateGradHook(x, [&](const Tensor& grad) {
    EXPECT_EQ(grad.item<double>(), 2);
    SetGrad(x, Tensor::Scalar(7.0));
  });
  int seen = 0;
  RegisterPostAccumulateGradHook(x, [&](const Tensor& grad) {
    EXPECT_EQ(grad.item<double>(), 7);
    ++seen;
  });
  Accumulate(x, 2);
  EXPECT_EQ(seen, 1);
}

// Rules: H9, J2.
TEST(GradTurnTest, StepsOfThreadsLoseNothingAndTakeNothingTwice) {
  const Tensor x = MakeLeaf(1);
  double stepped = 0;  // the turn orders them
  RegisterPostAccumulateGradHook(x, [&](const Tensor& grad) {
    stepped += grad.item<double>();
    SetGrad(x, Tensor());
  });
  const auto run = [&] {
    for (int i = 0; i < kTimes; ++i) Accumulate(x, 1);
  };
  std::thread other(run);
  run();
  other.join();
  EXPECT_EQ(stepped, 2 * kTimes);
}

// Two leaves whose hooks accumulate into one another, on two threads: nobody waits in a circle.
// Rules: J2.
TEST(GradTurnTest, HooksThatAccumulateIntoEachOthersLeavesDoNotWaitForEachOther) {
  const Tensor x = MakeLeaf(1), y = MakeLeaf(1);
  std::atomic<int> hooks{0};
  static thread_local bool may_nest = false;
  const auto hook_into = [&hooks](const Tensor& other) {
    return [&hooks, other](const Tensor&) {
      ++hooks;
      if (std::exchange(may_nest, false)) Accumulate(other, 1);
    };
  };
  const ScopedHook into_y(RegisterPostAccumulateGradHook(x, hook_into(y)));
  const ScopedHook into_x(RegisterPostAccumulateGradHook(y, hook_into(x)));
  const auto run = [](const Tensor& leaf) {
    for (int i = 0; i < kTimes; ++i) {
      may_nest = true;
      Accumulate(leaf, 1);
    }
  };
  std::thread other([&] { run(y); });
  run(x);
  other.join();
  EXPECT_EQ(GradOf(x).item<double>() + GradOf(y).item<double>(), 4 * kTimes);
  EXPECT_EQ(hooks, 4 * kTimes);
}

// Rules: H9.
TEST(GradTurnTest, AHookThatThrowsEndsTheTurn) {
  const Tensor x = MakeLeaf(1);
  RegisterPostAccumulateGradHook(
      x, [](const Tensor&) { throw Error(ErrorKind::kUser, "[test] stop"); });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(KindOf([&] { Accumulate(x, 1); }), ErrorKind::kUser);
  }
  EXPECT_EQ(GradOf(x).item<double>(), 2);
}

}  // namespace
}  // namespace twingrad
