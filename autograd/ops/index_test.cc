// What indices in several dimensions and masks take and put, and where its gradients go.

#include "autograd/ops/index.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>

#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

Tensor Mask(std::initializer_list<int64_t> sizes, std::initializer_list<bool> elements) {
  return Tensor::FromData<bool>(sizes, elements);
}

TEST(Index, RowsAndElements) {
  const Tensor a = Leaf({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor i = Indices({3}, {2, 0, 2}), j = Indices({2, 1}, {1, 0});
  const Tensor rows = Index(a, {&i});
  EXPECT_EQ(rows.sizes(), Ints({3, 2}));
  EXPECT_EQ(Elements(rows), (Doubles{5, 6, 1, 2, 5, 6}));
  EXPECT_EQ(Weighed(rows, a), (Doubles{3, 4, 0, 0, 6, 8}));
  const Tensor elements = Index(a, {&i, &j});
  EXPECT_EQ(elements.sizes(), Ints({2, 3}));
  EXPECT_EQ(Elements(elements), (Doubles{6, 2, 6, 5, 1, 5}));
  EXPECT_EQ(Weighed(elements, a), (Doubles{5, 2, 0, 0, 10, 4}));
  const Tensor none = Indices({0}, {});
  EXPECT_EQ(Index(a, {&none}).sizes(), Ints({0, 2}));
}

TEST(Index, Masks) {
  const Tensor a = Leaf({2, 2}, {1, 2, 3, 4});
  const Tensor rows = Mask({2}, {false, true}), flags = Mask({2, 2}, {true, false, true, false});
  EXPECT_EQ(Elements(Index(a, {&rows}, 1)), (Doubles{3, 4}));
  const Tensor y = Index(a, {&flags}, 2);
  EXPECT_EQ(Elements(y), (Doubles{1, 3}));
  EXPECT_EQ(Weighed(y, a), (Doubles{1, 0, 2, 0}));
  EXPECT_EQ(KindOf([&] { Index(a, {&flags}, 1); }), ErrorKind::kInvalidArgument);
}

TEST(Index, SecondDerivatives) {
  const Tensor a = Leaf({2}, {3, 5}), i = Indices({3}, {1, 1, 0});
  const Tensor y = Index(a, {&i});
  const auto first = Derive(Mul(Mul(y, y), y), {a}, /*create_graph=*/true);
  EXPECT_EQ(Elements(first[0]), (Doubles{27, 150}));
  EXPECT_EQ(Elements(Derive(first[0], {a})[0]), (Doubles{18, 60}));
}

TEST(IndexPut, TheLastOfSeveralStays) {
  const Tensor a = Leaf({3, 2}, {1, 2, 3, 4, 5, 6}), v = Leaf({3, 1}, {10, 20, 30});
  const Tensor i = Indices({3}, {2, 0, 2});
  const Tensor y = IndexPut(a, v, {&i}, /*accumulate=*/false);
  EXPECT_EQ(Elements(y), (Doubles{20, 20, 3, 4, 30, 30}));
  EXPECT_EQ(Weighed(y, a), (Doubles{0, 0, 3, 4, 0, 0}));
  EXPECT_EQ(Weighed(y, v), (Doubles{0, 3, 11}));
  const auto first = Derive(Mul(y, y), {a, v}, /*create_graph=*/true);
  EXPECT_EQ(Elements(Derive(first[0], {a})[0]), (Doubles{0, 0, 2, 2, 0, 0}));
  EXPECT_EQ(Elements(Derive(first[1], {v})[0]), (Doubles{0, 4, 4}));
}

TEST(IndexPut, AddsInOrder) {
  const Tensor a = Leaf({2}, {1e8, 0}), v = Leaf({2}, {1, -1e8}), i = Indices({2}, {0, 0});
  const Tensor y = IndexPut(a, v, {&i}, /*accumulate=*/true);
  EXPECT_EQ(Elements(y), (Doubles{1, 0}));
  EXPECT_EQ(Weighed(y, a), (Doubles{1, 2}));
  EXPECT_EQ(Weighed(y, v), (Doubles{1, 1}));
  const Tensor mask = Mask({2}, {true, true}), one = Leaf({}, {3});
  EXPECT_EQ(Weighed(IndexPut(a, one, {&mask}, true, 2), one), (Doubles{3}));
  EXPECT_EQ(Weighed(IndexPut(a, one, {&mask}, false, 2), one), (Doubles{3}));
}

TEST(MaskedSelect, BroadcastsBoth) {
  const Tensor a = Leaf({2, 1}, {3, 5}), mask = Mask({3}, {true, false, true});
  const Tensor y = MaskedSelect(a, mask, 4);
  EXPECT_EQ(Elements(y), (Doubles{3, 3, 5, 5}));
  EXPECT_EQ(Weighed(y, a), (Doubles{3, 7}));
  const auto first = Derive(Mul(y, y), {a}, /*create_graph=*/true);
  EXPECT_EQ(Elements(Derive(first[0], {a})[0]), (Doubles{4, 4}));
  EXPECT_EQ(Elements(MaskedSelect(Values({}, {2}), Mask({}, {true}))), (Doubles{2}));
  EXPECT_EQ(KindOf([&] { MaskedSelect(a, mask, 2); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { MaskedSelect(a, Indices({3}, {1, 0, 1})); }), ErrorKind::kDType);
}

TEST(Index, Refusals) {
  const Tensor a = Values({3, 2}, {1, 2, 3, 4, 5, 6}), v = Values({3}, {1, 2, 3});
  const Tensor i = Indices({1}, {3}), j = Indices({2}, {0, 1}), k = Indices({3}, {0, 0, 0});
  const Tensor low = Indices({1}, {-1}), mask = Mask({2}, {true, false}), none;
  const Tensor flags = Mask({3, 2}, {true, true, true, true, true, true});
  EXPECT_EQ(KindOf([&] { Index(a, {&i}); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Index(a, {&j, &low}); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Index(a, {&j, &k}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Index(a, {&j, &j, &j}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Index(a, {&mask}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Index(a, {&v}); }), ErrorKind::kDType);
  EXPECT_EQ(KindOf([&] { Index(a, {&none}); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { IndexPut(a, v, {&j}, false); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { IndexPut(flags, flags, {&k}, true); }), ErrorKind::kDType);
}

}  // namespace
}  // namespace twingrad::ops
