#include "autograd/ops/rearrange.h"

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/order.h"
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

Tensor Index(std::initializer_list<int64_t> sizes, std::initializer_list<int64_t> elements) {
  return Tensor::FromData<int64_t>(sizes, elements);
}

TEST(Pick, Flip) {
  const Tensor a = Leaf({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(Elements(Flip(a, {0})), (Doubles{3, 4, 1, 2}));
  EXPECT_EQ(Weighed(Flip(a, {0, 1}), a), (Doubles{4, 3, 2, 1}));
}

TEST(Pick, DuplicateIndicesAddUp) {
  const Tensor a = Leaf({3}, {1, 2, 3});
  EXPECT_EQ(Weighed(IndexSelect(a, 0, Index({4}, {2, 0, 2, 2})), a), (Doubles{2, 0, 8}));
  EXPECT_EQ(Weighed(Gather(a, 0, Index({3}, {1, 1, 0})), a), (Doubles{3, 3, 0}));
  const Tensor source = Leaf({3}, {1, 1, 1});
  const Tensor sum = ScatterAdd(a, 0, Index({3}, {0, 0, 2}), source);
  EXPECT_EQ(Elements(sum), (Doubles{3, 2, 4}));
  EXPECT_EQ(Weighed(sum, a), (Doubles{1, 2, 3}));
  EXPECT_EQ(Weighed(sum, source), (Doubles{1, 1, 3}));
}

TEST(Pick, GatherReadsPartsOfOtherDimensions) {
  const Tensor a = Leaf({2, 2}, {1, 2, 3, 4});
  const Tensor y = Gather(a, 1, Index({1, 3}, {1, 0, 1}));
  EXPECT_EQ(Elements(y), (Doubles{2, 1, 2}));
  EXPECT_EQ(Weighed(y, a), (Doubles{2, 4, 0, 0}));
}

// Rules: S4.
TEST(Pick, OrderAndExtremesGoByTheFirst) {
  const Tensor a = Leaf({4}, {2, 1, 2, 0});
  EXPECT_EQ(Elements(Sort(a, 0, false)), (Doubles{0, 1, 2, 2}));
  EXPECT_EQ(Elements(Argsort(a, 0, true)), (Doubles{0, 2, 1, 3}));
  EXPECT_EQ(Weighed(Sort(a, 0, false), a), (Doubles{3, 2, 4, 1}));
  EXPECT_EQ(Weighed(Max(a, 0, false), a), (Doubles{1, 0, 0, 0}));
  EXPECT_EQ(Weighed(Min(a, 0, true), a), (Doubles{0, 0, 0, 1}));
  EXPECT_EQ(Elements(Argmax(a, 0, false)), (Doubles{0}));
  EXPECT_EQ(Argmin(a, 0, true).dim(), 1);
  EXPECT_FALSE(RequiresGrad(Argsort(a, 0, false)));
}

TEST(Pick, Cumsum) {
  const Tensor a = Leaf({3}, {1, 2, 3});
  EXPECT_EQ(Elements(Cumsum(a, 0)), (Doubles{1, 3, 6}));
  EXPECT_EQ(Weighed(Cumsum(a, 0), a), (Doubles{6, 5, 3}));
}

TEST(Pick, CumprodIsRightAtZeros) {
  const Tensor a = Leaf({4}, {2, 0, 3, 5});
  EXPECT_EQ(Elements(Cumprod(a, 0)), (Doubles{2, 0, 0, 0}));
  EXPECT_EQ(Weighed(Cumprod(a, 0), a), (Doubles{1, 142, 0, 0}));
  // With a graph of the gradient too: the sum of 1 + x1 + x1 x2 + x1 x2 x3 and its like.
  const Tensor b = Leaf({3}, {2, 0, 3});
  const Tensor first = Derive(Cumprod(b, 0), {b}, true)[0];
  EXPECT_EQ(Elements(first), (Doubles{1, 8, 0}));
  EXPECT_EQ(Elements(Derive(first, {b})[0]), (Doubles{4, 6, 2}));
  const Tensor m = Leaf({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(Elements(Cumprod(m, 0)), (Doubles{1, 2, 3, 8}));
}

TEST(Pick, RollAndTriangles) {
  const Tensor a = Leaf({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Elements(Roll(a, 1, 1)), (Doubles{3, 1, 2, 6, 4, 5}));
  EXPECT_EQ(Elements(Roll(a, 1, -4)), (Doubles{2, 3, 1, 5, 6, 4}));
  EXPECT_EQ(Weighed(Roll(a, 0, 1), a), (Doubles{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(Elements(Tril(a, 0)), (Doubles{1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(Elements(Triu(a, 1)), (Doubles{0, 2, 3, 0, 0, 6}));
  EXPECT_EQ(Weighed(Tril(a, -1), a), (Doubles{0, 0, 0, 4, 0, 0}));
  EXPECT_EQ(KindOf([&] { Tril(Values({2}, {1, 2}), 0); }), ErrorKind::kShape);
}

TEST(Pick, Padding) {
  const Tensor a = Leaf({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Elements(Pad(a, {1, 0}, 7)), (Doubles{7, 1, 2, 3, 7, 4, 5, 6}));
  const Tensor both = Pad(a, {0, 1, 1, 0}, 0);
  EXPECT_EQ(Elements(both), (Doubles{0, 0, 0, 0, 1, 2, 3, 0, 4, 5, 6, 0}));
  EXPECT_EQ(Weighed(both, a), (Doubles{5, 6, 7, 9, 10, 11}));
  EXPECT_EQ(Elements(Pad(Values({0, 1}, {}), {1, 0, 1, 0}, 3)), (Doubles{3, 3}));
  EXPECT_EQ(KindOf([&] { Pad(a, {1}, 0); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Pad(a, {1, -1}, 0); }), ErrorKind::kShape);
}

TEST(Pick, PaddingByWhatIsThere) {
  const Tensor a = Leaf({1, 3}, {1, 2, 3});
  EXPECT_EQ(Elements(PadReflect(a, {2, 1})), (Doubles{3, 2, 1, 2, 3, 2}));
  EXPECT_EQ(Weighed(PadReflect(a, {2, 1}), a), (Doubles{3, 12, 6}));
  EXPECT_EQ(Elements(PadReplicate(a, {2, 1})), (Doubles{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(Weighed(PadReplicate(a, {2, 1}), a), (Doubles{6, 4, 11}));
  EXPECT_EQ(Elements(PadCircular(a, {2, 1})), (Doubles{2, 3, 1, 2, 3, 1}));
  EXPECT_EQ(Weighed(PadCircular(a, {2, 1}), a), (Doubles{9, 5, 7}));
  // Two dimensions, the last one first.
  const Tensor m = Leaf({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(Elements(PadReflect(m, {1, 0, 0, 1})), (Doubles{2, 1, 2, 4, 3, 4, 2, 1, 2}));
  EXPECT_EQ(KindOf([&] { PadReflect(a, {3, 0}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { PadCircular(a, {0, 4}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { PadReplicate(Values({1, 0}, {}), {1, 0}); }), ErrorKind::kShape);
}

TEST(Pick, Repeat) {
  const Tensor a = Leaf({2}, {1, 2});
  EXPECT_EQ(Elements(Repeat(a, {2})), (Doubles{1, 2, 1, 2}));
  EXPECT_EQ(Weighed(Repeat(a, {2}), a), (Doubles{4, 6}));
  EXPECT_EQ(Elements(Repeat(a, {2, 1})), (Doubles{1, 2, 1, 2}));
  EXPECT_EQ(Weighed(Repeat(a, {2, 2}), a), (Doubles{16, 20}));
  EXPECT_EQ(Elements(Derive(Repeat(a, {0}), {a})[0]), (Doubles{0, 0}));
  const Tensor copy = Repeat(a, {1});
  EXPECT_NE(copy.data<double>(), a.data<double>());
  EXPECT_EQ(KindOf([&] { Repeat(a, {}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Repeat(a, {-1}); }), ErrorKind::kShape);
}

TEST(Pick, SecondDerivatives) {
  const Tensor x = Leaf({1}, {3});
  const auto cube = [](const Tensor& t) { return Mul(Mul(t, t), t); };
  EXPECT_EQ(Derivative(cube(Flip(x, {0})), x, 2), 18);
  EXPECT_EQ(Derivative(cube(IndexSelect(x, 0, Index({2}, {0, 0}))), x, 2), 36);
  EXPECT_EQ(Derivative(cube(Gather(x, 0, Index({2}, {0, 0}))), x, 3), 12);
  EXPECT_EQ(Derivative(cube(ScatterAdd(x, 0, Index({1}, {0}), x)), x, 2), 144);  // of (2 x)^3
  EXPECT_EQ(Derivative(cube(Sort(x, 0, false)), x, 3), 6);
  EXPECT_EQ(Derivative(cube(Max(x, 0, false)), x, 2), 18);
  EXPECT_EQ(Derivative(cube(Cumsum(x, 0)), x, 2), 18);
}

// Rules: R4.
TEST(Pick, IndicesAreChecked) {
  const Tensor a = Leaf({2}, {1, 2});
  EXPECT_THROW(Gather(a, 0, Index({1}, {2})), Error);
  EXPECT_THROW(Gather(a, 0, Index({1, 1}, {0})), Error);
  EXPECT_THROW(IndexSelect(a, 0, Index({}, {0})), Error);
  EXPECT_THROW(ScatterAdd(a, 0, Index({1}, {0}), a), Error);
  EXPECT_THROW(Max(Values({0}, {}), 0, false), Error);
  EXPECT_THROW(Sort(a, 1, false), Error);
  // Where there are no columns too.
  const Tensor none = Leaf({2, 0}, {});
  EXPECT_EQ(KindOf([&] { Embedding(none, Index({1}, {2})); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Embedding(none, Index({2}, {0, -1}), true); }), ErrorKind::kIndex);
  EXPECT_EQ(Embedding(none, Index({3}, {0, 1, 0})).sizes(), Ints({3, 0}));
  EXPECT_EQ(KindOf([&] { IndexSelect(none, 0, Index({1}, {2})); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { IndexSelect(none, 1, Index({1}, {0})); }), ErrorKind::kIndex);
  EXPECT_EQ(IndexSelect(none, 0, Index({3}, {0, 1, 0})).sizes(), Ints({3, 0}));
  EXPECT_EQ(IndexSelect(none, 1, Index({0}, {})).sizes(), Ints({2, 0}));
  Tensor index = Index({2}, {0, 0});
  const Tensor y = Gather(a, 0, index);
  index.BumpVersion();
  EXPECT_THROW(Derive(y, {a}), Error);
}

}  // namespace
}  // namespace twingrad::ops
