// Norms against their formula step by step: values, and derivatives of the first three orders.

#include "autograd/ops/norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/graph/saved_variable.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/elementary.h"
#include "autograd/ops/test_gradients.h"
#include "autograd/ops/view.h"

namespace twingrad::ops {
namespace {

// The same in small steps, each with a derivative of its own.
Tensor InSteps(const Tensor& a, const Tensor& weight, const Tensor& bias, Ints dims, double eps) {
  const Tensor apart = Sub(a, Mean(a, dims, true));
  const Tensor variance = Mean(Mul(apart, apart), dims, true);
  const Tensor n = Div(apart, Sqrt(Add(variance, Constant(eps, variance))));
  return Add(Mul(n, weight), bias);
}

void ExpectNear(const Tensor& got, const Tensor& expected, const char* what) {
  const Doubles numbers = Elements(got), others = Elements(expected);
  ASSERT_EQ(numbers.size(), others.size()) << what;
  for (size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_NEAR(numbers[i], others[i], 1e-11 * (1 + std::fabs(others[i]))) << what << " " << i;
  }
}

void ExpectAsInSteps(const Tensor& y, const Tensor& expected, const Tensor& a, const Tensor& weight,
                     const Tensor& bias) {
  ExpectNear(y, expected, "value");
  const auto cube = [](const Tensor& t) { return Mul(Mul(t, t), t); };
  Tensor left = cube(y), right = cube(expected);
  for (const char* order : {"first", "second", "third"}) {
    const auto got = Derive(left, {a, weight, bias}, /*create_graph=*/true);
    const auto others = Derive(right, {a, weight, bias}, /*create_graph=*/true);
    for (size_t i = 0; i < got.size(); ++i) ExpectNear(got[i], others[i], order);
    left = Add(Sum(cube(got[0]), {}, false), Sum(cube(got[1]), {}, false));
    right = Add(Sum(cube(others[0]), {}, false), Sum(cube(others[1]), {}, false));
  }
}

TEST(Norm, OfLayers) {
  const Tensor a = Leaf({2, 2, 2}, {1, 2, 4, 5, 0, 0, 3, 1});
  const Tensor weight = Leaf({2, 2}, {1, 2, 3, 4}), bias = Leaf({2, 2}, {0.5, 0, -1, 1});
  ExpectAsInSteps(LayerNorm(a, weight, bias, 2, 0.5), InSteps(a, weight, bias, Shape{1, 2}, 0.5), a,
                  weight, bias);
  const Tensor row = Leaf({2}, {2, 3}), beside = Leaf({2}, {1, -1});
  ExpectAsInSteps(LayerNorm(a, row, beside, 1, 0.25), InSteps(a, row, beside, Shape{2}, 0.25), a,
                  row, beside);
}

TEST(Norm, OfGroups) {
  const Tensor a = Leaf({2, 4, 2}, {1, 2, 4, 5, 0, 0, 3, 1, 7, 2, 2, 6, 1, 1, 0, 4});
  const Tensor weight = Leaf({4}, {1, 2, 3, 4}), bias = Leaf({4}, {0.5, 0, -1, 1});
  const Tensor four = Reshape(a, {2, 2, 2, 2});
  const Tensor expected =
      InSteps(four, Reshape(weight, {2, 2, 1}), Reshape(bias, {2, 2, 1}), Shape{2, 3}, 0.5);
  ExpectAsInSteps(GroupNorm(a, weight, bias, 2, 0.5), Reshape(expected, {2, 4, 2}), a, weight,
                  bias);
}

TEST(Norm, OfBatches) {
  const Tensor a = Leaf({3, 2, 1, 2}, {1, 2, 4, 5, 0, 0, 3, 1, 7, 2, 2, 6});
  const Tensor weight = Leaf({2}, {2, 3}), bias = Leaf({2}, {1, -1});
  const Tensor expected =
      InSteps(a, Reshape(weight, {2, 1, 1}), Reshape(bias, {2, 1, 1}), Shape{0, 2, 3}, 0.5);
  ExpectAsInSteps(BatchNorm(a, weight, bias, 0.5), expected, a, weight, bias);
}

// Weight and bias may be left out. Of 1 and 3, with a variance of 1 and eps = 3, n = -1/2 and 1/2.
TEST(Norm, WithoutWeights) {
  const Tensor a = Leaf({1, 2}, {1, 3}), none;
  EXPECT_EQ(Elements(LayerNorm(a, none, none, 1, 3)), (Doubles{-0.5, 0.5}));
  EXPECT_EQ(Elements(GroupNorm(a, none, none, 1, 3)), (Doubles{-0.5, 0.5}));
  const Tensor weight = Leaf({2}, {2, 4});
  EXPECT_EQ(Elements(LayerNorm(a, weight, none, 1, 3)), (Doubles{-1, 2}));
  EXPECT_EQ(KindOf([&] { LayerNorm(a, none, weight, 1, 3); }), ErrorKind::kInvalidArgument);
}

// The gradient of the operand needs weight and operand, the bias's neither.
TEST(Norm, SavesWhatGradientsNeed) {
  const Tensor a = Leaf({1, 2}, {1, 3}), fixed = Values({2}, {1, 1});
  const auto saved = [](const Tensor& y) {
    Doubles defined;
    const Node* const node = GradientEdge(y).function.get();
    for (SavedVariable* variable : GradientEdge(y).function->SavedVariables()) {
      defined.push_back(variable->Unpack(node).defined() ? 1 : 0);
    }
    return defined;
  };
  EXPECT_EQ(saved(LayerNorm(a, fixed, Tensor(), 1, 1)), (Doubles{1, 1}));
  EXPECT_EQ(saved(LayerNorm(Values({1, 2}, {1, 3}), Leaf({2}, {1, 1}), Tensor(), 1, 1)),
            (Doubles{1, 0}));
}

TEST(Norm, OfNothing) {
  const Tensor a = Leaf({0, 2}, {}), weight = Leaf({2}, {1, 1}), none;
  EXPECT_EQ(Elements(Derive(LayerNorm(a, weight, none, 1, 1), {weight})[0]), (Doubles{0, 0}));
  EXPECT_EQ(Elements(Derive(BatchNorm(a, weight, none, 1), {weight})[0]), (Doubles{0, 0}));
  EXPECT_EQ(GroupNorm(a, weight, none, 2, 1).numel(), 0);
}

TEST(Norm, Misfits) {
  const Tensor a = Values({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), none;
  EXPECT_EQ(KindOf([&] { LayerNorm(a, none, none, 3, 1); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { LayerNorm(a, none, none, 0, 1); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { LayerNorm(a, Values({2}, {1, 1}), none, 1, 1); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { GroupNorm(a, none, none, 3, 1); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { GroupNorm(a, none, none, 0, 1); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] {
              BatchNorm(Values({4}, {1, 2, 3, 4}), none, none, 1);
            }),
            ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { BatchNorm(a, none, none, -1); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { BatchNorm(none, none, none, 1); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { LayerNorm(a, kernels::Cast(a, DType::kF32), none, 2, 1); }),
            ErrorKind::kDType);
}

}  // namespace
}  // namespace twingrad::ops
