// Jacobian, Hessian and products against derivatives in closed form.

#include "autograd/functional/functional.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/engine/front_end.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

using Doubles = std::vector<double>;
using Tensors = std::vector<Tensor>;

Tensor Of(Ints shape, const Doubles& numbers) { return Tensor::FromData<double>(shape, numbers); }

void ExpectNear(const Tensor& a, Ints shape, const Doubles& expected) {
  ASSERT_EQ(a.sizes(), shape) << ShapeToString(a.sizes());
  const Doubles actual = Elements(a);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-12) << i;
}

// f(x, w) = (x w, sin x), elementwise, of two elements.
Tensors Two(const Tensors& in) { return {in[0] * in[1], Sin(in[0])}; }

TEST(Functional, JacobianHasTheShapesOfResultAndInput) {
  const Tensor x = Of({2}, {1, 2});
  ExpectNear(Jacobian([](const Tensor& a) { return a * a; }, x), {2, 2}, {2, 0, 0, 4});
  const Tensor table = Of({2, 2}, {1, 2, 3, 4});
  ExpectNear(Jacobian([](const Tensor& a) { return Sum(a * a, {-1}); }, table), {2, 2, 2},
             {2, 4, 0, 0, 0, 0, 6, 8});
  ExpectNear(Jacobian([](const Tensor& a) { return Sum(a); }, x), {2}, {1, 1});
  EXPECT_EQ(Jacobian([](const Tensor& a) { return Slice(a, 0, 2); }, x).sizes(), Ints({0, 2}));
}

TEST(Functional, JacobianOfSeveral) {
  const Tensor x = Of({2}, {0.5, 1});
  const Tensor w = Of({2}, {3, 4});
  const auto j = Jacobian(Two, Tensors{x, w});
  ExpectNear(j[0][0], {2, 2}, {3, 0, 0, 4});
  ExpectNear(j[0][1], {2, 2}, {0.5, 0, 0, 1});
  ExpectNear(j[1][0], {2, 2}, {std::cos(0.5), 0, 0, std::cos(1)});
  ExpectNear(j[1][1], {2, 2}, {0, 0, 0, 0});
}

TEST(Functional, WhatDoesNotDependHasZeros) {
  const Tensor x = Of({2}, {1, 2});
  ExpectNear(Jacobian([](const Tensor&) { return Tensor::Scalar(3); }, x), {2}, {0, 0});
  ExpectNear(Hessian([](const Tensor& a) { return Sum(a); }, x), {2, 2}, {0, 0, 0, 0});
  ExpectNear(Hessian([](const Tensor&) { return Tensor::Scalar(3); }, x), {2, 2}, {0, 0, 0, 0});
}

TEST(Functional, HessianOfPolynomialsAndOfProducts) {
  const Tensor x = Of({2}, {1, 2});
  ExpectNear(Hessian([](const Tensor& a) { return Sum(a * a * a); }, x), {2, 2}, {6, 0, 0, 12});
  // x₀² x₁: [[2 x₁, 2 x₀], [2 x₀, 0]].
  const auto mixed = [](const Tensor& a) {
    return Select(a, 0, 0) * Select(a, 0, 0) * Select(a, 0, 1);
  };
  ExpectNear(Hessian(mixed, x), {2, 2}, {4, 2, 2, 0});
  const auto h = Hessian([](const Tensors& in) { return Tensors{Sum(in[0] * in[1])}; },
                         Tensors{x, Of({2}, {3, 4})});
  ExpectNear(h[0][0], {2, 2}, {0, 0, 0, 0});
  ExpectNear(h[0][1], {2, 2}, {1, 0, 0, 1});
  EXPECT_THROW(Hessian([](const Tensor& a) { return a; }, x), Error);
}

TEST(Functional, ProductsAgreeWithTheJacobian) {
  const Tensor x = Of({2}, {0.5, 1});
  const Tensor w = Of({2}, {3, 4});
  const Product vjp = Vjp(Two, {x, w}, {Of({2}, {1, 2}), Of({2}, {10, 20})});
  ExpectNear(vjp.values[0], {2}, {1.5, 4});
  ExpectNear(vjp.values[1], {2}, {std::sin(0.5), std::sin(1)});
  ExpectNear(vjp.products[0], {2}, {3 + 10 * std::cos(0.5), 8 + 20 * std::cos(1)});
  ExpectNear(vjp.products[1], {2}, {0.5, 2});
  EXPECT_FALSE(RequiresGrad(vjp.values[0]) || RequiresGrad(vjp.products[0]));
  const Product jvp = Jvp(Two, {x, w}, {Of({2}, {1, 2}), Of({2}, {10, 20})});
  ExpectNear(jvp.products[0], {2}, {3 + 5, 8 + 20});
  ExpectNear(jvp.products[1], {2}, {std::cos(0.5), 2 * std::cos(1)});
  // H of x₀ x₁ is [[0, 1], [1, 0]].
  const auto product = [](const Tensors& in) { return Tensors{Prod(in[0])}; };
  const Product hvp = Hvp(product, {Of({2}, {5, 6})}, {Of({2}, {1, 2})});
  ExpectNear(hvp.values[0], {}, {30});
  ExpectNear(hvp.products[0], {2}, {2, 1});
}

TEST(Functional, AResultOfJvpThatDependsOnNothingHasZeros) {
  const Tensor x = Of({2}, {1, 2});
  const Product jvp =
      Jvp([](const Tensors&) { return Tensors{Tensor::Ones({3}, DType::kF64)}; }, {x}, {x});
  ExpectNear(jvp.products[0], {3}, {0, 0, 0});
}

TEST(Functional, CreateGraphLeadsBackToTheInputs) {
  const Tensor x = Leaf(Of({2}, {1, 2}));
  const Tensor j = Jacobian([](const Tensor& a) { return a * a * a; }, x, {.create_graph = true});
  Backward({Sum(j)});
  ExpectNear(GradOf(x), {2}, {6, 12});
  SetGrad(x, {});
  const Product jvp = Jvp([](const Tensors& in) { return Tensors{in[0] * in[0]}; }, {x},
                          {Of({2}, {1, 1})}, {.create_graph = true});
  Backward({Sum(jvp.products[0])});
  ExpectNear(GradOf(x), {2}, {2, 2});
  EXPECT_FALSE(RequiresGrad(Jacobian([](const Tensor& a) { return a * a; }, x)));
}

TEST(Functional, RunsInsideNoGradAndLeavesGradAlone) {
  const Tensor x = Leaf(Of({2}, {1, 2}));
  NoGradGuard no_grad;
  ExpectNear(Jacobian([](const Tensor& a) { return a * a; }, x), {2, 2}, {2, 0, 0, 4});
  EXPECT_FALSE(GradOf(x).defined());
}

TEST(Functional, RefusesVectorsThatDoNotFit) {
  const Tensor x = Of({2}, {1, 2});
  const std::vector<std::function<void()>> kWrong = {
      [&] {
        Vjp(Two, {x, x}, {x});
      },
      [&] {
        Vjp(Two, {x, x}, {x, Of({1}, {1})});
      },
      [&] {
        Jvp(Two, {x, x}, {x, Tensor()});
      },
      [&] {
        Jvp(Two, {x, x}, {});
      },
  };
  for (const auto& call : kWrong) {
    try {
      call();
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kShape) << error.what();
    }
  }
}

}  // namespace
}  // namespace twingrad
