// Sparse tensors as operations make and take them, and where their gradients go.

#include "autograd/ops/sparse.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "autograd/ops/rearrange.h"
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

TEST(Sparse, EmbeddingsListRowsInTheGradientOfALeaf) {
  const Tensor w = Leaf({3, 2}, {1, 2, 3, 4, 5, 6}), index = Indices({2, 2}, {2, 0, 2, 2});
  const Tensor y = Embedding(w, index, /*sparse=*/true);
  const Tensor g = Derive(Mul(y, y), {w})[0];
  ASSERT_TRUE(g.is_sparse());
  const SparseParts& parts = SparsePartsOf(g);
  EXPECT_FALSE(parts.is_coalesced);
  EXPECT_EQ(Elements(parts.indices), (Doubles{2, 0, 2, 2}));
  EXPECT_EQ(Elements(parts.values), (Doubles{10, 12, 2, 4, 10, 12, 10, 12}));
  // The functions that made another weight take dense gradients, as the leaf does without sparse.
  const Tensor made = Neg(w);
  EXPECT_FALSE(Derive(Embedding(made, index, true), {made})[0].is_sparse());
  EXPECT_FALSE(Derive(Embedding(w, index), {w})[0].is_sparse());
}

TEST(Sparse, GradientsOfSparseGradients) {
  const Tensor w = Leaf({2, 1}, {2, 3});
  const Tensor y = Embedding(w, Indices({3}, {1, 1, 0}), /*sparse=*/true);
  const auto derived = [&w](const Tensor& of) {
    return ToDense(Derive(of, {w}, /*create_graph=*/true)[0]);
  };
  const Tensor first = derived(Mul(Mul(y, y), y));
  const Tensor second = derived(first);
  EXPECT_EQ(Elements(first), (Doubles{12, 54}));
  EXPECT_EQ(Elements(second), (Doubles{12, 36}));
  EXPECT_EQ(Elements(derived(second)), (Doubles{6, 12}));
}

TEST(Sparse, EmbeddingsOfNothing) {
  const Tensor none = Leaf({3, 0}, {});
  const Tensor g = Derive(Embedding(none, Indices({2}, {2, 0}), true), {none})[0];
  EXPECT_EQ(SparsePartsOf(g).entries(), 2);
  EXPECT_EQ(g.sizes(), Ints({3, 0}));
  const Tensor w = Leaf({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(SparsePartsOf(Derive(Embedding(w, Indices({0}, {}), true), {w})[0]).entries(), 0);
}

TEST(Sparse, EmbeddingsOfTypesOfStorage) {
  const Tensor w = kernels::Cast(Values({2, 1}, {2, -0.5}), DType::kF16);
  SetRequiresGrad(w, true);
  const Tensor y = Embedding(w, Indices({3}, {1, 0, 1}), /*sparse=*/true);
  const Tensor g = Derive(Mul(y, y), {w})[0];
  EXPECT_EQ(g.dtype(), DType::kF16);
  EXPECT_EQ(Elements(SparsePartsOf(g).values), (Doubles{-1, 4, -1}));
}

TEST(Sparse, EntriesInAnotherType) {
  const Tensor v = Leaf({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor cast = CastSparse(Rows(v), DType::kF32);
  EXPECT_EQ(SparsePartsOf(cast).values.dtype(), DType::kF32);
  const Tensor back = CastSparse(cast, DType::kF64);
  EXPECT_EQ(Weighed(ToDense(back), v), (Doubles{5, 6, 1, 2, 5, 6}));
  EXPECT_EQ(KindOf([&] { CastSparse(v, DType::kF32); }), ErrorKind::kInvalidArgument);
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
