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

}  // namespace
