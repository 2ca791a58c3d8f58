#include "autograd/ops/unary.h"

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"
#include "autograd/tensor/kernels/arithmetic.h"

namespace twingrad::ops {
namespace {

Tensor Square(const Tensor& a) { return kernels::Mul(a, a); }

constexpr UnaryRule kSquare = {
    "square", "SquareBackward", Square, Saves::kOperand,
    [](const Tensor& g, const Tensor& x) { return Mul(Mul(Constant(2, x), x), g); }};

TEST(Unary, AppliesARule) {
  const Tensor x = Leaf({2}, {3, 4});
  const Tensor y = ApplyUnary(kSquare, x);
  EXPECT_EQ(Elements(y), (Doubles{9, 16}));
  EXPECT_EQ(GradientEdge(y).function->name(), "SquareBackward");
  EXPECT_EQ(Elements(Derive(y, {x})[0]), (Doubles{6, 8}));
}

TEST(Unary, InPlaceSavesAPrivateCopy) {
  const Tensor x = Leaf({2}, {3, 4});
  Tensor y = Neg(x);
  ApplyUnaryInPlace(kSquare, y);
  NegInPlace(y);
  EXPECT_EQ(Elements(y), (Doubles{-9, -16}));
  const Tensor first = Derive(y, {x}, true)[0];
  EXPECT_EQ(Elements(first), (Doubles{-6, -8}));
  EXPECT_EQ(Elements(Derive(first, {x})[0]), (Doubles{-2, -2}));
}

TEST(Unary, ReleasedAfterARunThatDoesNotKeepTheGraph) {
  const Tensor x = Leaf({}, {3});
  const Tensor y = ApplyUnary(kSquare, x);
  Backward(y);
  EXPECT_EQ(Elements(GradOf(x)), (Doubles{6}));
  EXPECT_EQ(KindOf([&] { Backward(y); }), ErrorKind::kFreed) << "released variables were used";
}

}  // namespace
}  // namespace twingrad::ops
