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

TEST(Einsum, WithoutAResultLettersThatOccurOnceAreItsOwn) {
  const Tensor a = Leaf({2, 3}, {1, 2, 3, 4, 5, 6}), b = Leaf({3, 2}, {7, 8, 9, 10, 11, 12});
  EXPECT_EQ(Elements(Of(a, b, "ij,jk")), Elements(Matmul(a, b)));
  EXPECT_EQ(Elements(Of(a, "ba")), (Doubles{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(Elements(Of(a, "Ba")), Elements(a));  // capitals come first
  EXPECT_EQ(Elements(Of(a, b, " i J , J k -> k i ")), (Doubles{58, 139, 64, 154}));
  EXPECT_EQ(Elements(Of(Leaf({}, {2}), "")), (Doubles{2}));
}

TEST(Einsum, WhatLettersLeaveOverIsBroadcast) {
  const Tensor a = Leaf({2, 2, 1}, {1, 2, 3, 4}), b = Leaf({1, 1, 2}, {5, 6});
  const Tensor product = Of(a, b, "...ij,...jk->...ik");
  EXPECT_EQ(product.sizes(), (Ints{2, 2, 2}));
  EXPECT_EQ(Elements(product), (Doubles{5, 6, 10, 12, 15, 18, 20, 24}));
  EXPECT_EQ(GradientOf(product, b), (Doubles{10, 10}));
  EXPECT_EQ(GradientOf(product, a), (Doubles{11, 11, 11, 11}));
  // Dimensions are aligned from the last; those that the result lacks are summed over.
  const Tensor c = Leaf({2}, {1, 10});
  EXPECT_EQ(Elements(Of(a, c, "...i,...->...i")), (Doubles{1, 20, 3, 40}));
  EXPECT_EQ(Elements(Of(a, c, "...i,...->")), (Doubles{64}));
  EXPECT_EQ(Elements(Of(a, c, "...i,...")), (Doubles{1, 20, 3, 40}));
  EXPECT_EQ(Of(a, "i...->...i").sizes(), (Ints{2, 1, 2}));
  const Tensor none = Leaf({0, 1}, {});
  EXPECT_EQ(Of(none, Leaf({1, 1}, {7}), "...j,...j->...").sizes(), (Ints{0}));
  EXPECT_EQ(GradientOf(Of(c, Leaf({1}, {3}), "...,...->"), c), (Doubles{3, 3}));
}

TEST(Einsum, ManyOperandsFromLeftToRight) {
  const Tensor a = Leaf({2, 3}, {1, 2, 3, 4, 5, 6}), b = Leaf({3, 2}, {7, 8, 9, 10, 11, 12});
  const Tensor c = Leaf({2}, {1, -1});
  const Tensor product = Einsum({&a, &b, &c}, "ij,jk,k->i");
  EXPECT_EQ(Elements(product), (Doubles{-6, -15}));
  EXPECT_EQ(GradientOf(product, c), (Doubles{58 + 139, 64 + 154}));
  EXPECT_EQ(GradientOf(product, a), (Doubles{-1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(GradientOf(product, b), (Doubles{5, -5, 7, -7, 9, -9}));
  // A letter is summed with the last that has it: Σ c³.
  EXPECT_EQ(Derivative(Einsum({&c, &c, &c}, "i,i,i->"), c, 3), 6);
  EXPECT_EQ(Elements(Einsum({&c, &c, &c}, "i,j,k->kji")), (Doubles{1, -1, -1, 1, -1, 1, 1, -1}));
  EXPECT_EQ(Elements(Einsum({&c, &b, &a, &c}, "...,j...,...j,...->j")), (Doubles{39, 68, 105}));
}

TEST(Einsum, RefusesWhatIsNoEquation) {
  const Tensor a = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Refuses("ij->k", {a}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(Refuses("ij,ij->i", {a}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(Refuses("", {}), ErrorKind::kInvalidArgument);
  EXPECT_EQ(Refuses("ii->i", {a}), ErrorKind::kShape);
  EXPECT_EQ(Refuses("ij,jk->ik", {a, a}), ErrorKind::kShape);
  EXPECT_EQ(Refuses("ij,ji,ij->i", {a, a, a}), ErrorKind::kShape);
  EXPECT_EQ(Refuses("ij->i", {Tensor()}), ErrorKind::kUndefined);
  EXPECT_EQ(Refuses("ij,ij->i", {a, kernels::Cast(a, DType::kF32)}), ErrorKind::kDType);
}

}  // namespace
}  // namespace twingrad::ops
