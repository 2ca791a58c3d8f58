#include "autograd/ops/einsum.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/linear_algebra.h"
#include "autograd/ops/test_gradients.h"
#include "autograd/ops/view.h"

namespace twingrad::ops {
namespace {

Tensor Of(const Tensor& a, const std::string& equation) { return Einsum({&a}, equation); }
Tensor Of(const Tensor& a, const Tensor& b, const std::string& equation) {
  return Einsum({&a, &b}, equation);
}

Doubles GradientOf(const Tensor& y, const Tensor& x) { return Elements(Derive(y, {x})[0]); }

ErrorKind Refuses(const std::string& equation, std::vector<Tensor> operands) {
  std::vector<const Tensor*> pointers;
  for (const Tensor& operand : operands) pointers.push_back(&operand);
  return KindOf([&] { Einsum({pointers.data(), pointers.size()}, equation); });
}

TEST(Einsum, MatrixProductsOfAnyOrder) {
  const Tensor a = Leaf({2, 3}, {1, 2, 3, 4, 5, 6}), b = Leaf({3, 2}, {7, 8, 9, 10, 11, 12});
  EXPECT_EQ(Elements(Of(a, b, "ij,jk->ik")), Elements(Matmul(a, b)));
  EXPECT_EQ(Elements(Of(a, b, "ij,jk->ki")), (Doubles{58, 139, 64, 154}));
  EXPECT_EQ(Elements(Of(a, b, "ij,ji->")), (Doubles{212}));
  EXPECT_EQ(Elements(Of(a, b, "ij,ji->j")), (Doubles{39, 68, 105}));
  // d/da of sum(a b): the sums of b's rows.
  EXPECT_EQ(GradientOf(Of(a, b, "ij,jk->ki"), a), (Doubles{15, 19, 23, 15, 19, 23}));
  EXPECT_EQ(GradientOf(Of(a, b, "ij,jk->ki"), b), (Doubles{5, 5, 7, 7, 9, 9}));
}

TEST(Einsum, DiagonalsAndSumsOfOne) {
  const Tensor a = Leaf({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(Elements(Of(a, "ii->i")), (Doubles{1, 4}));
  EXPECT_EQ(Elements(Of(a, "ii->")), (Doubles{5}));
  EXPECT_EQ(Elements(Of(a, "ij->ji")), (Doubles{1, 3, 2, 4}));
  EXPECT_EQ(Elements(Of(a, "ij->")), (Doubles{10}));
  EXPECT_EQ(GradientOf(Of(a, "ii->"), a), (Doubles{1, 0, 0, 1}));
  EXPECT_EQ(GradientOf(Of(a, "ij->j"), a), (Doubles{1, 1, 1, 1}));
}

TEST(Einsum, WhatOneAloneHasIsSummed) {
  const Tensor a = Leaf({2}, {3, 5}), b = Leaf({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(Elements(Of(a, b, "i,jk->i")), (Doubles{30, 50}));
  EXPECT_EQ(Elements(Of(a, b, "i,jj->")), (Doubles{40}));
  EXPECT_EQ(GradientOf(Of(a, b, "i,jj->"), b), (Doubles{8, 0, 0, 8}));
  EXPECT_EQ(GradientOf(Of(a, b, "i,jk->i"), a), (Doubles{10, 10}));
}

TEST(Einsum, BatchesAndScalars) {
  const Tensor a = Leaf({2, 1, 2}, {1, 2, 3, 4}), b = Leaf({2, 2, 1}, {5, 6, 7, 8});
  EXPECT_EQ(Elements(Of(a, b, "bij,bjk->bik")), Elements(Bmm(a, b)));
  const Tensor s = Leaf({}, {2});
  EXPECT_EQ(Elements(Of(s, s, ",->")), (Doubles{4}));
  EXPECT_EQ(Elements(Of(s, "->")), (Doubles{2}));
  EXPECT_EQ(GradientOf(Of(s, s, ",->"), s), (Doubles{4}));
}

TEST(Einsum, IsDifferentiatedAgain) {
  const Tensor a = Leaf({2}, {3, 5});
  // The sum of a squared, and of a cubed as (a a) a.
  EXPECT_EQ(Derivative(Of(a, a, "i,i->"), a, 2), 2);
  EXPECT_EQ(Derivative(Of(Of(a, a, "i,i->i"), a, "i,i->"), a, 3), 6);
}

TEST(Einsum, OfNothing) {
  const Tensor a = Leaf({0, 2}, {}), b = Leaf({2, 0}, {});
  EXPECT_EQ(Elements(Of(a, "ij->j")), (Doubles{0, 0}));
  EXPECT_EQ(Elements(Of(b, a, "ij,jk->ik")), (Doubles{0, 0, 0, 0}));
  EXPECT_EQ(Elements(Of(a, "ij->ji")), Doubles());
}

TEST(Einsum, RefusesWhatIsNoEquation) {
  const Tensor a = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const char* const text :
       {"ij", "i j->i", "iJ->i", "ij->k", "ij->ii", "ij,jk->ik", "..j->j"}) {
    EXPECT_EQ(Refuses(text, {a}), ErrorKind::kInvalidArgument) << text;
  }
  EXPECT_EQ(Refuses("ij,ij,ij->i", {a, a, a}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(Refuses("i->i", {a}), ErrorKind::kShape);
  EXPECT_EQ(Refuses("ii->i", {a}), ErrorKind::kShape);
  EXPECT_EQ(Refuses("ij,jk->ik", {a, a}), ErrorKind::kShape);
  EXPECT_EQ(Refuses("ij->i", {Tensor()}), ErrorKind::kUndefined);
  EXPECT_EQ(Refuses("ij,ij->i", {a, kernels::Cast(a, DType::kF32)}), ErrorKind::kDType);
}

}  // namespace
}  // namespace twingrad::ops
