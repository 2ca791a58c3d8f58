// Gradients that fit, can be made to fit, or do not.

#include "autograd/engine/validate.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "autograd/graph/test_nodes.h"

namespace twingrad {
namespace {

Tensor Fitted(const Tensor& like, Tensor gradient) {
  NodePtr place = MakePass({}, like);
  const std::vector<Edge> edges = {Edge(place, 0)};
  VariableList gradients = {std::move(gradient)};
  ValidateGradients(edges, gradients, "test");
  EXPECT_TRUE(GradientsMatch(edges, gradients));
  return gradients[0];
}

// Rules: B2.
TEST(ValidateTest, MatchingAndUndefinedGradientsPass) {
  EXPECT_EQ(Fitted(Tensor::Scalar(0), Tensor::Scalar(5)).item<double>(), 5);
  EXPECT_FALSE(Fitted(Tensor::Scalar(0), Tensor()).defined());
}

// Rules: B3.
TEST(ValidateTest, BroadcastShapesAreSummedInGradModeWithHistory) {
  Tensor wide = Tensor::Ones({4, 3}, DType::kF64);
  SetRequiresGrad(wide, true);
  Tensor fitted = Fitted(Tensor::Zeros({1, 3}, DType::kF64), wide);
  EXPECT_EQ(fitted.data<double>()[2], 4);
  EXPECT_TRUE(RequiresGrad(fitted));
}

// Rules: B5.
TEST(ValidateTest, DtypesAreCast) {
  EXPECT_EQ(Fitted(Tensor::Scalar(0, DType::kF32), Tensor::Scalar(0.5)).dtype(), DType::kF32);
  EXPECT_EQ(Fitted(Tensor::Scalar(0), Tensor::Scalar(3, DType::kI64)).item<double>(), 3);
}

// Rules: B7.
TEST(ValidateTest, ScalarsMoveBetweenDevices) {
  const Device device = Device::Sim(1);
  EXPECT_EQ(Fitted(Tensor::Scalar(0, DType::kF64, device), Tensor::Scalar(2)).device(), device);
}

// Rules: B1, B3, B7, B8.
TEST(ValidateTest, WhatDoesNotFitIsAnError) {
  const Tensor three = Tensor::Zeros({3}, DType::kF64);
  EXPECT_EQ(KindOf([&] { Fitted(three, Tensor::Zeros({2}, DType::kF64)); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Fitted(three, Tensor::Scalar(1)); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Fitted(three, Tensor::Zeros({3}, DType::kF64, Device::Sim(0))); }),
            ErrorKind::kDevice);
  VariableList none;
  const std::vector<Edge> edges = {Edge()};
  EXPECT_EQ(KindOf([&] { ValidateGradients(edges, none, "test"); }), ErrorKind::kGradCount);
}

}  // namespace
}  // namespace twingrad
