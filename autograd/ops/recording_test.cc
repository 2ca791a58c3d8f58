#include "autograd/ops/recording.h"

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/ops.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Recording, OneNodeWithOneEdgeAnOperand) {
  const Tensor a = Leaf({2}, {1, 2}), c = Values({2}, {3, 4});
  const auto edges = [](const Tensor& t) { return GradientEdge(t).function->next_edges(); };
  const Tensor both = Mul(a, Neg(a));
  EXPECT_EQ(edges(both).size(), 2u);
  EXPECT_EQ(edges(both)[0].function->name(), "AccumulateGrad");
  EXPECT_EQ(edges(both)[1].function->name(), "NegBackward");
  EXPECT_FALSE(edges(Mul(a, c))[1].is_valid());
  EXPECT_FALSE(RequiresGrad(Mul(c, c)));
  EXPECT_EQ(edges(Where(Tensor::FromData<bool>({2}, {true, false}), a, c)).size(), 2u);
  EXPECT_EQ(edges(Sum(a, {}, false)).size(), 1u);
  Tensor written = Clone(a);
  CopyInPlace(written, c);
  ASSERT_EQ(edges(written).size(), 2u);
  EXPECT_FALSE(edges(written)[0].is_valid() || edges(written)[1].is_valid());
  Tensor zeroed = Clone(a);
  ZeroInPlace(zeroed);
  ASSERT_EQ(edges(zeroed).size(), 1u);
  EXPECT_FALSE(edges(zeroed)[0].is_valid());
}

TEST(Recording, GradModeDecides) {
  const Tensor a = Leaf({2}, {1, 2});
  GradModeGuard no_grad(false);
  EXPECT_FALSE(RequiresGrad(Mul(a, a)));
}

TEST(Recording, OldContentsKeepTheirHistory) {
  const Tensor x = Leaf({2}, {1, 2});
  Tensor y = Mul(x, x);
  const Tensor old = OldContents(y);
  NegInPlace(y);
  EXPECT_EQ(Elements(old), (Doubles{1, 4}));
  EXPECT_EQ(Elements(Derive(old, {x})[0]), (Doubles{2, 4}));
}

TEST(Recording, StoresWithTheVersion) {
  Tensor y = Values({2}, {1, 2});
  StoreInPlace("add_", y, Values({2}, {5, 6}));
  EXPECT_EQ(Elements(y), (Doubles{5, 6}));
  EXPECT_EQ(y.version(), 1u);
  EXPECT_THROW(StoreInPlace("add_", y, Values({1}, {5})), Error);
  EXPECT_THROW(CheckDefined("add", Tensor()), Error);
}

}  // namespace
}  // namespace twingrad::ops
