#include "autograd/ops/loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Loss, MseLoss) {
  const Tensor a = Leaf({2}, {1, 4}), b = Leaf({2}, {3, 1});
  EXPECT_EQ(Elements(MseLoss(a, b, Reduction::kMean)), (Doubles{6.5}));
  EXPECT_EQ(Elements(MseLoss(a, b, Reduction::kSum)), (Doubles{13}));
  EXPECT_EQ(Elements(MseLoss(a, b, Reduction::kNone)), (Doubles{4, 9}));
  const auto mean = Derive(MseLoss(a, b, Reduction::kMean), {a, b});
  EXPECT_EQ(Elements(mean[0]), (Doubles{-2, 3}));
  EXPECT_EQ(Elements(mean[1]), (Doubles{2, -3}));
  const auto each = Derive(Mul(MseLoss(a, b, Reduction::kNone), Values({2}, {1, 10})), {a});
  EXPECT_EQ(Elements(each[0]), (Doubles{-4, 60}));
  EXPECT_TRUE(std::isnan(Elements(MseLoss(Values({0}, {}), Values({0}, {}), Reduction::kMean))[0]));
  EXPECT_THROW(MseLoss(a, Values({1}, {1}), Reduction::kMean), Error);
}

TEST(Loss, MseLossHigherDerivatives) {
  const Tensor x = Leaf({1}, {3});
  const Tensor loss = MseLoss(Mul(x, x), Values({1}, {1}), Reduction::kSum);  // (x^2 - 1)^2
  EXPECT_EQ(Derivative(loss, x, 1), 96);
  EXPECT_EQ(Derivative(loss, x, 2), 104);
  EXPECT_EQ(Derivative(loss, x, 3), 72);
}

TEST(Loss, SmoothL1Loss) {
  const Tensor a = Leaf({4}, {0.5, 3, -1, 1}), b = Leaf({4}, {0, 1, 1, 0});
  const Tensor loss = SmoothL1Loss(a, b, Reduction::kNone);
  EXPECT_EQ(Elements(loss), (Doubles{0.125, 1.5, 1.5, 0.5}));
  const auto first = Derive(loss, {a, b}, true);
  EXPECT_EQ(Elements(first[0]), (Doubles{0.5, 1, -1, 1}));
  EXPECT_EQ(Elements(first[1]), (Doubles{-0.5, -1, 1, -1}));
  EXPECT_EQ(Elements(Derive(first[0], {a})[0]), (Doubles{1, 0, 0, 0}));
  EXPECT_EQ(Elements(SmoothL1Loss(a, b, Reduction::kSum)), (Doubles{3.625}));
  EXPECT_EQ(KindOf([&] { SmoothL1Loss(a, Values({1}, {1}), Reduction::kMean); }),
            ErrorKind::kShape);
}

TEST(Loss, SmoothL1LossOfEqualOnes) {
  const Tensor a = Leaf({1}, {2}), b = Leaf({1}, {2});
  const auto first = Derive(SmoothL1Loss(a, b, Reduction::kSum), {a, b});
  EXPECT_FALSE(std::signbit(Elements(first[0])[0]));
  EXPECT_TRUE(std::signbit(Elements(first[1])[0]));  // the other, negated
}

TEST(Loss, CrossEntropy) {
  const Tensor a = Leaf({2, 2}, {0, 0, 1000, 1000});
  const Tensor classes = Tensor::FromData<int64_t>({2}, {0, 1});
  EXPECT_NEAR(Elements(CrossEntropy(a, classes, Reduction::kMean))[0], std::log(2), 1e-12);
  EXPECT_EQ(Elements(CrossEntropy(a, classes, Reduction::kNone)).size(), 2u);
  EXPECT_EQ(Elements(Derive(CrossEntropy(a, classes, Reduction::kMean), {a})[0]),
            (Doubles{-0.25, 0.25, 0.25, -0.25}));
  EXPECT_EQ(Elements(Derive(CrossEntropy(a, classes, Reduction::kNone), {a})[0]),
            (Doubles{-0.5, 0.5, 0.5, -0.5}));
  const Tensor one = Leaf({2}, {0, 0});
  const Tensor scalar = Tensor::FromData<int64_t>({}, {1});
  EXPECT_EQ(Elements(Derive(CrossEntropy(one, scalar, Reduction::kSum), {one})[0]),
            (Doubles{0.5, -0.5}));
  // The second derivative of -log p0 by a0 is p0 (1 - p0).
  const Tensor x = Leaf({1}, {0});
  const Tensor both = Mul(x, Values({2}, {1, 0}));
  const Tensor zero = Tensor::FromData<int64_t>({}, {0});
  EXPECT_NEAR(Derivative(CrossEntropy(both, zero, Reduction::kSum), x, 2), 0.25, 1e-15);
}

TEST(Loss, ClassesAreChecked) {
  const Tensor a = Values({1, 2}, {0, 0});
  EXPECT_THROW(CrossEntropy(a, Tensor::FromData<int64_t>({1}, {2}), Reduction::kMean), Error);
  EXPECT_THROW(CrossEntropy(a, Tensor::FromData<int64_t>({}, {0}), Reduction::kMean), Error);
  EXPECT_THROW(CrossEntropy(a, Values({1}, {0}), Reduction::kMean), Error);
}

}  // namespace
}  // namespace twingrad::ops
