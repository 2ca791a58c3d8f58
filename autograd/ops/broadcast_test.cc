#include "autograd/ops/broadcast.h"

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Broadcast, SumToAndExpandToAreAdjoint) {
  const Tensor a = Leaf({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Elements(SumTo(a, {3})), (Doubles{5, 7, 9}));
  EXPECT_EQ(Elements(SumTo(a, {2, 1})), (Doubles{6, 15}));
  EXPECT_EQ(Elements(Derive(Mul(SumTo(a, {3}), Values({3}, {1, 2, 3})), {a})[0]),
            (Doubles{1, 2, 3, 1, 2, 3}));
  const Tensor b = Leaf({3}, {1, 2, 3});
  EXPECT_EQ(Elements(ExpandTo(b, {2, 3})), (Doubles{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(Elements(Derive(Mul(ExpandTo(b, {2, 3}), a), {b})[0]), (Doubles{5, 7, 9}));
}

TEST(Broadcast, EqualShapesAreLeftAlone) {
  const Tensor a = Values({2}, {1, 2});
  EXPECT_TRUE(SumTo(a, {2}).IsSameAs(a));
  EXPECT_TRUE(ExpandTo(a, {2}).IsSameAs(a));
}

TEST(Broadcast, SecondDerivative) {
  const Tensor b = Leaf({}, {2});
  const Tensor y = Mul(Mul(ExpandTo(b, {3}), ExpandTo(b, {3})), b);
  EXPECT_EQ(Derivative(y, b, 1), 36);
  EXPECT_EQ(Derivative(y, b, 2), 36);
  EXPECT_EQ(Derivative(y, b, 3), 18);
}

TEST(Broadcast, UndoRemembersOnlyWhatDiffers) {
  const Tensor g = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(BroadcastUndo(g, g).Undo(g).IsSameAs(g));
  EXPECT_EQ(Elements(BroadcastUndo(Values({1, 3}, {0, 0, 0}), g).Undo(g)), (Doubles{5, 7, 9}));
  EXPECT_THROW(SumTo(g, {4}), Error);
}

}  // namespace
}  // namespace twingrad::ops
