#include "autograd/ops/dropout.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

// Of counter 0 and key 0 Philox gives 6627e8d5 e169c58d bc57ac4c 9b00dbd8, as published: the first
// alone is less than half of 2^32.
TEST(Dropout, DropsWhereTheWordIsBelowTheShare) {
  const Tensor a = Leaf({4}, {1, 2, 3, 4});
  const Tensor y = Dropout(a, 0.5, 0);
  EXPECT_EQ(Elements(y), (Doubles{0, 4, 6, 8}));
  EXPECT_EQ(Elements(Dropout(a, 0.75, 0)), (Doubles{0, 8, 0, 0}));
  EXPECT_EQ(Elements(Dropout(a, 0, 0)), (Doubles{1, 2, 3, 4}));
  const Tensor gradient = Derive(Mul(y, y), {a}, /*create_graph=*/true)[0];
  EXPECT_EQ(Elements(gradient), (Doubles{0, 16, 24, 32}));
  EXPECT_EQ(Elements(Derive(gradient, {a})[0]), (Doubles{0, 8, 8, 8}));
}

// Each call with one seed drops the same elements, whatever the type; another seed, others.
TEST(Dropout, GoesByTheSeed) {
  const Tensor ones = Tensor::Ones({64}, DType::kF64);
  const Doubles first = Elements(Dropout(ones, 0.5, 7));
  EXPECT_EQ(Elements(Dropout(ones, 0.5, 7)), first);
  EXPECT_EQ(Elements(Dropout(Tensor::Ones({64}, DType::kF32), 0.5, 7)), first);
  EXPECT_NE(Elements(Dropout(ones, 0.5, 8)), first);
  const auto kept = std::count(first.begin(), first.end(), 2.0);
  EXPECT_GT(kept, 16);
  EXPECT_LT(kept, 48);
}

TEST(Dropout, Misuse) {
  const Tensor a = Values({1}, {1});
  EXPECT_EQ(KindOf([&] { Dropout(a, 1, 0); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Dropout(a, -0.5, 0); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Dropout(kernels::Cast(a, DType::kI64), 0.5, 0); }), ErrorKind::kDType);
  EXPECT_EQ(KindOf([&] { Dropout(Tensor(), 0.5, 0); }), ErrorKind::kUndefined);
}

}  // namespace
}  // namespace twingrad::ops
