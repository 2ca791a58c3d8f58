#include "autograd/ops/join.h"

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Join, CatGivesEachItsPart) {
  const Tensor a = Leaf({2, 1}, {1, 2}), b = Leaf({2, 2}, {3, 4, 5, 6}), none = Leaf({2, 0}, {});
  const Tensor y = Cat({&a, &none, &b}, 1);
  EXPECT_EQ(Elements(y), (Doubles{1, 3, 4, 2, 5, 6}));
  const auto gradients = Derive(Mul(y, Values({3}, {1, 10, 100})), {a, b, none});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{1, 1}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{10, 100, 10, 100}));
  EXPECT_EQ(gradients[2].sizes(), none.sizes());
}

TEST(Join, StackMakesADimension) {
  const Tensor a = Leaf({}, {1}), b = Leaf({}, {2});
  EXPECT_EQ(Elements(Stack({&a, &b, &a}, 0)), (Doubles{1, 2, 1}));
  const Tensor y = Mul(Stack({&a, &b, &a}, 0), Values({3}, {1, 10, 100}));
  const auto gradients = Derive(y, {a, b});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{101}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{10}));
  const Tensor m = Values({2}, {1, 2}), n = Values({2}, {3, 4});
  EXPECT_EQ(Elements(Stack({&m, &n}, 1)), (Doubles{1, 3, 2, 4}));
}

TEST(Join, SecondDerivative) {
  const Tensor a = Leaf({1}, {3});
  const Tensor y = Cat({&a, &a}, 0);
  EXPECT_EQ(Derivative(Mul(Mul(y, y), y), a, 2), 36);  // of 2 a^3
  EXPECT_EQ(Derivative(Mul(Mul(y, y), y), a, 3), 12);
}

TEST(Join, RefusesWhatDoesNotFit) {
  const Tensor a = Values({2}, {1, 2}), b = Values({2, 1}, {1, 2}), s = Values({}, {1});
  EXPECT_THROW(Cat({}, 0), Error);
  EXPECT_THROW(Cat({&a, &b}, 0), Error);
  EXPECT_THROW(Cat({&s}, 0), Error);
  EXPECT_THROW(Stack({&a, &s}, 0), Error);
  EXPECT_THROW(Stack({&a}, 2), Error);
  const Tensor undefined;
  EXPECT_THROW(Cat({&a, &undefined}, 0), Error);
}

}  // namespace
}  // namespace twingrad::ops
