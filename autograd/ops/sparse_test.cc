// Sparse tensors as operations make and take them, and where their gradients go.

#include "autograd/ops/sparse.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "autograd/ops/test_gradients.h"
#include "autograd/tensor/sparse.h"

namespace twingrad::ops {
namespace {

// Rows 2, 0 and 2 of four.
Tensor Rows(const Tensor& values) { return SparseCoo(values, Indices({1, 3}, {2, 0, 2}), {4, 2}); }

TEST(Sparse, DenseFormAndItsGradient) {
  const Tensor v = Leaf({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor dense = ToDense(Rows(v));
  EXPECT_EQ(Elements(dense), (Doubles{3, 4, 0, 0, 6, 8, 0, 0}));
  EXPECT_EQ(Weighed(dense, v), (Doubles{5, 6, 1, 2, 5, 6}));
}

TEST(Sparse, CoalescedParts) {
  const Tensor v = Leaf({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor c = Coalesce(Rows(v), 2);
  const Tensor values = SparseValues(c), indices = SparseIndices(c);
  EXPECT_EQ(Elements(values), (Doubles{3, 4, 6, 8}));
  EXPECT_EQ(Elements(indices), (Doubles{0, 2}));
  EXPECT_FALSE(RequiresGrad(indices));
  EXPECT_EQ(Weighed(values, v), (Doubles{3, 4, 1, 2, 3, 4}));
}

TEST(Sparse, SecondDerivatives) {
  const Tensor v = Leaf({3}, {3, 5, 7}), i = Indices({2, 3}, {1, 0, 1, 0, 1, 0});
  const Tensor y = SparseValues(Coalesce(SparseCoo(v, i, {2, 2})));
  EXPECT_EQ(Elements(y), (Doubles{5, 10}));
  const auto first = Derive(Mul(Mul(y, y), y), {v}, /*create_graph=*/true);
  EXPECT_EQ(Elements(first[0]), (Doubles{300, 75, 300}));
  EXPECT_EQ(Elements(Derive(first[0], {v})[0]), (Doubles{120, 30, 120}));
}

TEST(Sparse, Nothing) {
  const Tensor v = Leaf({0, 2}, {});
  const Tensor c = Coalesce(SparseCoo(v, Indices({1, 0}, {}), {3, 2}), 0);
  EXPECT_EQ(Elements(ToDense(c)), Doubles(6, 0));
  EXPECT_EQ(SparseValues(c).sizes(), Ints({0, 2}));
}

TEST(Sparse, WritesToWhatItIsMadeOfDoNotReachIt) {
  Tensor v = Values({2}, {1, 2}), i = Indices({1, 2}, {1, 0});
  const Tensor s = SparseCoo(v, i, {2});
  NegInPlace(v);
  AddInPlace(i, i);
  EXPECT_EQ(Elements(ToDense(s)), (Doubles{2, 1}));
}

TEST(Sparse, Errors) {
  const Tensor v = Leaf({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor s = Rows(v);
  EXPECT_EQ(KindOf([&] { SparseCoo(v, Indices({1, 3}, {2, 0, 4}), {4, 2}); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { SparseCoo(v, Indices({1, 2}, {2, 0}), {4, 2}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Coalesce(s, 3); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { SparseValues(s); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { ToDense(v); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Mul(s, s); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { ToDense(Tensor()); }), ErrorKind::kUndefined);
}

}  // namespace
}  // namespace twingrad::ops
