#include "autograd/ops/linear_algebra.h"

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(LinearAlgebra, Matrices) {
  const Tensor a = Leaf({2, 3}, {1, 2, 3, 4, 5, 6}), b = Leaf({3, 1}, {1, 10, 100});
  const Tensor y = Matmul(a, b);
  EXPECT_EQ(Elements(y), (Doubles{321, 654}));
  const auto gradients = Derive(y, {a, b});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{1, 10, 100, 1, 10, 100}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{5, 7, 9}));
}

TEST(LinearAlgebra, VectorsGetGradientsOfTheirShape) {
  const Tensor m = Leaf({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor x = Leaf({3}, {1, 1, 2}), y = Leaf({2}, {1, 10});
  auto gradients = Derive(Matmul(m, x), {m, x});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{1, 1, 2, 1, 1, 2}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{5, 7, 9}));
  EXPECT_EQ(gradients[1].dim(), 1);
  gradients = Derive(Matmul(y, m), {y, m});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{6, 15}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{1, 1, 1, 10, 10, 10}));
  gradients = Derive(Matmul(x, x), {x});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{2, 2, 4}));
}

TEST(LinearAlgebra, BroadcastBatchesAreSummed) {
  const Tensor a = Leaf({2, 1, 2}, {1, 2, 3, 4}), b = Leaf({2, 1}, {5, 6});
  const auto gradients = Derive(Matmul(a, b), {a, b});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{5, 6, 5, 6}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{4, 6}));
  const Tensor v = Leaf({2}, {1, 1});
  EXPECT_EQ(Elements(Derive(Matmul(a, v), {v})[0]), (Doubles{4, 6}));
}

TEST(LinearAlgebra, EmptyProducts) {
  const Tensor a = Leaf({2, 0}, {}), b = Leaf({0, 3}, {});
  const Tensor y = Matmul(a, b);
  EXPECT_EQ(Elements(y), Doubles(6, 0));
  EXPECT_EQ(Derive(y, {a, b})[1].sizes(), b.sizes());
}

TEST(LinearAlgebra, SecondDerivative) {
  const Tensor a = Leaf({1, 2}, {1, 2}), b = Leaf({2, 1}, {3, 4});
  const Tensor y = Matmul(a, b);                        // 11
  const Tensor by_a = Derive(Mul(y, y), {a}, true)[0];  // 2 y b
  EXPECT_EQ(Elements(by_a), (Doubles{66, 88}));
  // The sum of 2 y b: by a it is 2 b (b0 + b1), by b 2 a (b0 + b1) + 2 y.
  const auto second = Derive(by_a, {a, b});
  EXPECT_EQ(Elements(second[0]), (Doubles{42, 56}));
  EXPECT_EQ(Elements(second[1]), (Doubles{36, 50}));
}

TEST(LinearAlgebra, AddmmBroadcastsWhatItAddsTo) {
  const Tensor a = Leaf({2}, {10, 20}), b = Leaf({1, 2}, {1, 2}), c = Leaf({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(Elements(Addmm(a, b, c)), (Doubles{17, 30}));
  const Tensor wide = Leaf({2, 1}, {1, 1});
  const auto gradients = Derive(Addmm(a, Matmul(wide, b), c), {a, b, c});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{2, 2}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{6, 14}));
  EXPECT_EQ(Elements(gradients[2]), (Doubles{2, 2, 4, 4}));
  EXPECT_THROW(Addmm(Values({3}, {1, 2, 3}), b, c), Error);
  EXPECT_THROW(Addmm(a, a, c), Error);
  const Tensor x = Leaf({1, 1}, {3});
  EXPECT_EQ(Derivative(Addmm(x, Matmul(x, x), x), x, 2), 18);  // of x + x^3
}

TEST(LinearAlgebra, AddedProductsOfVectors) {
  const Tensor a = Leaf({}, {10}), m = Leaf({2, 2}, {1, 2, 3, 4}), v = Leaf({2}, {1, 10});
  EXPECT_EQ(Elements(Addmv(a, m, v)), (Doubles{31, 53}));
  auto gradients = Derive(Mul(Addmv(a, m, v), Values({2}, {1, 2})), {a, m, v});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{3}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{1, 10, 2, 20}));
  EXPECT_EQ(Elements(gradients[2]), (Doubles{7, 10}));
  const Tensor u = Leaf({2}, {2, 3});
  EXPECT_EQ(Elements(Addr(a, u, v)), (Doubles{12, 30, 13, 40}));
  gradients = Derive(Mul(Addr(a, u, v), Values({2, 2}, {1, 2, 3, 4})), {a, u, v});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{10}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{21, 43}));
  EXPECT_EQ(Elements(gradients[2]), (Doubles{11, 16}));
  EXPECT_EQ(KindOf([&] { Addmv(a, v, v); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Addr(Values({3}, {1, 2, 3}), u, v); }), ErrorKind::kShape);
}

TEST(LinearAlgebra, AddedProductsOfStacks) {
  const Tensor a = Leaf({1}, {10}), b = Leaf({2, 1, 2}, {1, 2, 3, 4});
  const Tensor c = Leaf({2, 2, 1}, {1, 10, 100, 1000});
  EXPECT_EQ(Elements(Baddbmm(a, b, c)), (Doubles{31, 4310}));
  EXPECT_EQ(Elements(Addbmm(a, b, c)), (Doubles{4331}));
  for (const auto add : {Baddbmm, Addbmm}) {
    const auto gradients = Derive(add(a, b, c), {a, b, c});
    EXPECT_EQ(Elements(gradients[0]), (Doubles{add == Baddbmm ? 2.0 : 1.0}));
    EXPECT_EQ(Elements(gradients[1]), (Doubles{1, 10, 100, 1000}));
    EXPECT_EQ(Elements(gradients[2]), (Doubles{1, 2, 3, 4}));
    const Tensor x = Leaf({1, 1, 1}, {3});
    const Tensor matrix = Leaf({1, 1}, {1});
    EXPECT_EQ(Derivative(add(matrix, Matmul(x, x), x), x, 2), 18);  // of 1 + x^3
    EXPECT_EQ(KindOf([&] { add(a, b, Values({1, 2, 1}, {1, 2})); }), ErrorKind::kShape);
  }
}

TEST(LinearAlgebra, LinearMultipliesRowsByRows) {
  const Tensor a = Leaf({2, 1, 2}, {1, 2, 3, 4}), weight = Leaf({3, 2}, {1, 0, 0, 1, 1, 10});
  const Tensor bias = Leaf({3}, {100, 200, 300});
  const Tensor y = Linear(a, weight, bias);
  EXPECT_EQ(Elements(y), (Doubles{101, 202, 321, 103, 204, 343}));
  EXPECT_EQ(Elements(Linear(a, weight, Tensor())), (Doubles{1, 2, 21, 3, 4, 43}));
  EXPECT_EQ(Weighed(y, a), (Doubles{4, 32, 10, 65}));
  EXPECT_EQ(Weighed(y, weight), (Doubles{13, 18, 17, 24, 21, 30}));
  EXPECT_EQ(Weighed(y, bias), (Doubles{5, 7, 9}));
  const Tensor vector = Leaf({2}, {1, 2});
  EXPECT_EQ(Elements(Linear(vector, weight, bias)), (Doubles{101, 202, 321}));
  EXPECT_EQ(Weighed(Linear(vector, weight, bias), vector), (Doubles{4, 32}));
  const Tensor x = Leaf({1, 1}, {3});
  EXPECT_EQ(Derivative(Linear(x, Matmul(x, x), Tensor()), x, 2), 18);  // of x^3
  EXPECT_EQ(Linear(Values({0, 2}, {}), weight, bias).numel(), 0);
  EXPECT_EQ(KindOf([&] { Linear(a, bias, bias); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Linear(bias, weight, bias); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Linear(a, weight, vector); }), ErrorKind::kShape);
}

}  // namespace
}  // namespace twingrad::ops
