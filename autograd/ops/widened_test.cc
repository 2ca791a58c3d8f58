#include "autograd/ops/widened.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "autograd/base/float_format.h"
#include "autograd/ops/ops.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

Tensor ShortLeaf(std::initializer_list<int64_t> sizes, std::initializer_list<double> elements,
                 DType dtype) {
  Tensor leaf = kernels::Cast(Values(sizes, elements), dtype);
  SetRequiresGrad(leaf, true);
  return leaf;
}

double RoundedTo(DType dtype, double x) { return Rounded(x, FormatOf(dtype)); }

TEST(Widened, TellsShortFloats) {
  EXPECT_TRUE(IsShort(DType::kF16) && IsShort(DType::kBF16));
  EXPECT_FALSE(IsShort(DType::kI32) || IsShort(DType::kF32) || IsShort(DType::kBool));
}

TEST(Widened, LeavesOtherTensors) {
  Tensor none, integers = Tensor::Ones({2}, DType::kI32), half = Tensor::Ones({2}, DType::kF16);
  for (Tensor* tensor : {&none, &integers, &half}) Widen(*tensor);
  EXPECT_FALSE(none.defined());
  EXPECT_EQ(integers.dtype(), DType::kI32);
  EXPECT_EQ(half.dtype(), DType::kF32);
  VariableList results = {Tensor(), integers, half};
  NarrowAll(results, DType::kBF16);
  EXPECT_EQ(results[1].dtype(), DType::kI32);
  EXPECT_EQ(results[2].dtype(), DType::kBF16);
}

// One node an operation, gradients of the operand's type, one rounding each.
// Rules: R11.
TEST(Widened, DerivativesAreRoundedOnce) {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    SCOPED_TRACE(DTypeName(dtype));
    const Tensor x = ShortLeaf({}, {1.5}, dtype);
    const Tensor y = Sigmoid(x);
    EXPECT_EQ(GradientEdge(y).function->name(), "SigmoidBackward");
    const double s = Elements(y)[0];
    EXPECT_EQ(s, RoundedTo(dtype, 1 / (1 + std::exp(-1.5))));
    const Tensor slope = Derive(y, {x})[0];
    EXPECT_EQ(slope.dtype(), dtype);
    EXPECT_EQ(Elements(slope)[0], RoundedTo(dtype, s * (1 - s)));

    const Tensor a = ShortLeaf({}, {3}, dtype), b = ShortLeaf({}, {7}, dtype);
    const std::vector<Tensor> g = Derive(Div(a, b), {a, b});
    EXPECT_EQ(Elements(g[0])[0], RoundedTo(dtype, 1.0 / 7));
    EXPECT_EQ(Elements(g[1])[0], RoundedTo(dtype, -3.0 / 49));
  }
}

TEST(Widened, DerivativesCanBeDerivedAgain) {
  const Tensor x = ShortLeaf({}, {0.5}, DType::kBF16);
  const Tensor first = Derive(Mul(Mul(x, x), x), {x}, /*create_graph=*/true)[0];
  EXPECT_EQ(Elements(first)[0], 0.75);
  const Tensor second = Derive(first, {x}, /*create_graph=*/true)[0];
  EXPECT_EQ(second.dtype(), DType::kBF16);
  EXPECT_EQ(Elements(second)[0], 3);
  EXPECT_EQ(Elements(Derive(second, {x})[0])[0], 6);
}

// Sums and squares on the way to a result are beyond f16, the result is not.
// Rules: R11.
TEST(Widened, WhatIsInBetweenMayBeLarge) {
  const Tensor x = ShortLeaf({4}, {60000, 60000, 60000, 59968}, DType::kF16);
  EXPECT_EQ(Elements(Mean(x, {}, false)), (Doubles{60000}));
  EXPECT_EQ(Elements(Var(x, {}, false)), (Doubles{192}));
  EXPECT_EQ(Elements(Norm(ShortLeaf({2}, {3000, 4000}, DType::kF16), {}, false)), (Doubles{5000}));
  const Tensor far = ShortLeaf({2}, {600, 0}, DType::kF16),
               zero = ShortLeaf({2}, {0, 0}, DType::kF16);
  EXPECT_EQ(Elements(MseLoss(far, zero, Reduction::kMean)), (Doubles{HUGE_VAL}));
  EXPECT_EQ(Elements(MseLoss(ShortLeaf({2}, {256, 0}, DType::kF16), zero, Reduction::kMean)),
            (Doubles{32768}));
  const Tensor line = ShortLeaf({1, 1, 2}, {60000, 60000}, DType::kF16);
  const Tensor average = AvgPool<1>(line, {2}, {}, {});
  EXPECT_EQ(Elements(average), (Doubles{60000}));
  EXPECT_EQ(Elements(Derive(average, {line})[0]), (Doubles{0.5, 0.5}));
}

// The number of elements is beyond f16, and a mean's gradient is not.
TEST(Widened, CountsMayBeLarge) {
  Tensor x = Tensor::Ones({100'000}, DType::kF16);
  SetRequiresGrad(x, true);
  const Tensor y = Mean(x, {}, false);
  EXPECT_EQ(Elements(y), (Doubles{1}));
  EXPECT_EQ(Elements(Derive(y, {x})[0])[0], RoundedTo(DType::kF16, 1e-5));
}

TEST(Widened, ConversionsHaveTheTypeOfTheirOperand) {
  const Tensor x = ShortLeaf({}, {2}, DType::kF32);
  const Tensor y = Cast(x, DType::kF16);
  const Tensor g = Derive(Mul(y, y), {x})[0];
  EXPECT_EQ(g.dtype(), DType::kF32);
  EXPECT_EQ(Elements(g), (Doubles{4}));
}

}  // namespace
}  // namespace twingrad::ops
