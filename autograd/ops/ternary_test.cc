// Values, first and second derivatives of the functions of three operands, one of them broadcast.

#include "autograd/ops/ternary.h"

#include <gtest/gtest.h>

#include <vector>

#include "autograd/base/error.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

struct Operands {
  Tensor a = Leaf({2}, {1, 2}), b = Leaf({2}, {3, 4}), c = Leaf({}, {2});
};

TEST(Ternary, Addcmul) {
  const Operands x;
  const Tensor y = Addcmul(x.a, x.b, x.c);
  EXPECT_EQ(Elements(y), (Doubles{7, 10}));
  const std::vector<Tensor> g = Derive(y, {x.a, x.b, x.c}, true);
  EXPECT_EQ(Elements(g[0]), (Doubles{1, 1}));
  EXPECT_EQ(Elements(g[1]), (Doubles{2, 2}));
  EXPECT_EQ(Elements(g[2]), (Doubles{7}));
  EXPECT_EQ(Elements(Derive(g[1], {x.c})[0]), (Doubles{2}));
  EXPECT_EQ(Elements(Derive(g[2], {x.b})[0]), (Doubles{1, 1}));
}

TEST(Ternary, Addcdiv) {
  const Operands x;
  const Tensor y = Addcdiv(x.a, x.b, x.c);
  EXPECT_EQ(Elements(y), (Doubles{2.5, 4}));
  const std::vector<Tensor> g = Derive(y, {x.a, x.b, x.c}, true);
  EXPECT_EQ(Elements(g[1]), (Doubles{0.5, 0.5}));
  EXPECT_EQ(Elements(g[2]), (Doubles{-1.75}));
  EXPECT_EQ(Elements(Derive(g[2], {x.c})[0]), (Doubles{1.75}));
  EXPECT_EQ(Elements(Derive(g[2], {x.b})[0]), (Doubles{-0.25, -0.25}));
}

TEST(Ternary, Lerp) {
  const Operands x;
  const Tensor y = Lerp(x.a, x.b, x.c);
  EXPECT_EQ(Elements(y), (Doubles{5, 6}));
  const std::vector<Tensor> g = Derive(y, {x.a, x.b, x.c}, true);
  EXPECT_EQ(Elements(g[0]), (Doubles{-1, -1}));
  EXPECT_EQ(Elements(g[1]), (Doubles{2, 2}));
  EXPECT_EQ(Elements(g[2]), (Doubles{4}));
  EXPECT_EQ(Elements(Derive(g[2], {x.a})[0]), (Doubles{-1, -1}));
}

TEST(Ternary, ShapesThatDoNotFitAreErrors) {
  const Operands x;
  const Tensor three = Values({3}, {1, 2, 3});
  EXPECT_EQ(KindOf([&] { Addcmul(x.a, x.b, three); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Addcdiv(three, x.b, x.c); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Lerp(x.a, three, x.c); }), ErrorKind::kShape);
}

}  // namespace
}  // namespace twingrad::ops
