// Sums of gradients: in place only where nobody can see it.

#include "autograd/engine/accumulate.h"

#include <gtest/gtest.h>

#include <utility>

#include "autograd/graph/test_nodes.h"
#include "autograd/graph/thread_state.h"

namespace twingrad {
namespace {

// Rules: I1, I2.
TEST(AccumulateTest, UndefinedCountsAsZeroAndTheFirstIsMoved) {
  GradModeGuard no_grad(false);
  Tensor sum;
  AddGradient(sum, Tensor());
  EXPECT_FALSE(sum.defined());
  Tensor first = Tensor::Scalar(1);
  const TensorImpl* impl = first.impl();
  AddGradient(sum, std::move(first));
  EXPECT_EQ(sum.impl(), impl);
  AddGradient(sum, Tensor());
  EXPECT_EQ(sum.item<double>(), 1);
}

// Rules: I4.
TEST(AccumulateTest, AddsInPlaceWhenPrivate) {
  GradModeGuard no_grad(false);
  Tensor sum = Tensor::Scalar(1);
  const TensorImpl* impl = sum.impl();
  AddGradient(sum, Tensor::Scalar(2));
  EXPECT_EQ(sum.impl(), impl);
  EXPECT_EQ(sum.item<double>(), 3);
}

// Rules: I6.
TEST(AccumulateTest, NeverWritesMemoryOfOthers) {
  GradModeGuard no_grad(false);
  Tensor held = Tensor::Scalar(1);
  Tensor sum = held;
  AddGradient(sum, Tensor::Scalar(2));
  EXPECT_EQ(held.item<double>(), 1);
  EXPECT_EQ(sum.item<double>(), 3);
  Tensor whole = Tensor::Ones({2}, DType::kF64);
  Tensor view = whole.AsStrided({2}, {1}, 0);
  AddGradient(view, Tensor::Ones({2}, DType::kF64));
  EXPECT_EQ(whole.data<double>()[0], 1);
}

// Rules: I3.
TEST(AccumulateTest, HasHistoryInGradMode) {
  Tensor a = MakeLeaf(1);
  Tensor sum = a;
  AddGradient(sum, Tensor::Scalar(2));
  EXPECT_EQ(a.item<double>(), 1);
  EXPECT_EQ(GradientEdge(sum).function->name(), "GradientAdd");
}

}  // namespace
}  // namespace twingrad
