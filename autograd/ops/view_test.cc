#include "autograd/ops/view.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/base/error.h"
#include "autograd/graph/view.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/elementary.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(View, SharesStorageAndVersion) {
  const Tensor a = Values({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const Tensor& v :
       {View(a, {3, 2}), Reshape(a, {6}), Transpose(a, 0, 1), Permute(a, {1, 0}),
        Expand(a, {2, 2, 3}), Select(a, 0, 1), Slice(a, 1, 0, 9, 2), Squeeze(a, {}),
        Unsqueeze(a, 1), T(a), Diagonal(a, {0, 1}, 1), Unfold(a, 1, 1, 2), AliasOf(a), Detach(a),
        AsStrided(a, {2, 2}, {1, 1}, 3)}) {
    EXPECT_TRUE(v.HasSameStorage(a));
  }
  Tensor row = Select(a, 0, 1);
  AddInPlace(row, Values({3}, {10, 10, 10}));
  EXPECT_EQ(Elements(a), (Doubles{1, 2, 3, 14, 15, 16}));
  EXPECT_EQ(a.version(), 1u);
}

// Each view weighed by 1, 2, 3, ...: its gradient is the weights, put back in place.
TEST(View, GradientsGoBackInPlace) {
  const Tensor a = Leaf({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Weighed(View(a, {3, 2}), a), (Doubles{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Weighed(Transpose(a, 0, 1), a), (Doubles{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(Weighed(Permute(a, {1, 0}), a), (Doubles{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(Weighed(Expand(a, {2, 2, 3}), a), (Doubles{8, 10, 12, 14, 16, 18}));
  EXPECT_EQ(Weighed(Select(a, 1, 2), a), (Doubles{0, 0, 1, 0, 0, 2}));
  EXPECT_EQ(Weighed(Slice(a, 1, 0, 3, 2), a), (Doubles{1, 0, 2, 3, 0, 4}));
  EXPECT_EQ(Weighed(Slice(a, 0, 2, 5, 1), a), (Doubles{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Weighed(Unsqueeze(a, 0), a), (Doubles{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Weighed(Squeeze(Unsqueeze(a, 1), {1}), a), (Doubles{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Weighed(T(a), a), (Doubles{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(Weighed(T(Select(a, 0, 1)), a), (Doubles{0, 0, 0, 1, 2, 3}));
  EXPECT_EQ(Weighed(Diagonal(a, {0, 1}, 0), a), (Doubles{1, 0, 0, 0, 2, 0}));
  EXPECT_EQ(Weighed(Diagonal(a, {1, 0}, -2), a), (Doubles{0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(Weighed(Diagonal(a, {0, 1}, 3), a), (Doubles{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Weighed(Unfold(a, 1, 1, 2), a), (Doubles{1, 5, 4, 5, 13, 8}));
  EXPECT_EQ(Weighed(Unfold(a, 1, 2, 1), a), (Doubles{1, 0, 2, 3, 0, 4}));
  EXPECT_EQ(Weighed(AliasOf(a), a), (Doubles{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Weighed(AsStrided(a, {2, 2}, {1, 1}, 2), a), (Doubles{0, 0, 1, 2 + 3, 4, 0}));
  EXPECT_EQ(Weighed(AsStrided(Select(a, 0, 1), {2}, {2}, 0), a), (Doubles{0, 0, 0, 1, 0, 2}));
  EXPECT_EQ(Weighed(AsStrided(a, {3, 0}, {1, 1}, 6), a), (Doubles{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Weighed(Reshape(Transpose(a, 0, 1), {6}), a), (Doubles{1, 3, 5, 2, 4, 6}));
}

TEST(View, SecondDerivativesThroughViews) {
  const Tensor a = Leaf({2, 2}, {1, 2, 3, 4});
  const Tensor v = Select(Transpose(a, 0, 1), 0, 1);  // 2, 4
  const Tensor first = Derive(Mul(Mul(v, v), v), {a}, true)[0];
  EXPECT_EQ(Elements(first), (Doubles{0, 12, 0, 48}));
  EXPECT_EQ(Elements(Derive(first, {a})[0]), (Doubles{0, 12, 0, 24}));
}

// What comes back to it may lie in another order.
TEST(View, SecondDerivativesOfStridesTakeGradientsInAnyOrder) {
  const Tensor a = Leaf({2, 2}, {1, 2, 3, 4}), w = Leaf({2, 2}, {1, 10, 100, 1000});
  const Tensor v = AsStrided(a, {3}, {1}, 1);  // 2, 3, 4
  const Tensor first = Derive(Mul(Mul(v, v), v), {a}, true)[0];
  EXPECT_EQ(Elements(first), (Doubles{0, 12, 27, 48}));
  EXPECT_EQ(Elements(Derive(Mul(T(first), w), {a})[0]), (Doubles{0, 12 * 100, 18 * 10, 24 * 1000}));
}

TEST(View, WritesThroughAViewReachTheBase) {
  const Tensor x = Leaf({2, 2}, {1, 2, 3, 4}), w = Leaf({2}, {10, 100});
  const Tensor base = Clone(x);
  Tensor row = Select(base, 0, 0);
  const Tensor other = Select(base, 0, 1);
  MulInPlace(row, w);
  EXPECT_EQ(Elements(base), (Doubles{10, 200, 3, 4}));
  const auto gradients = Derive(Mul(base, base), {x, w});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{200, 40000, 6, 8}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{20, 800}));
  // The view that was not written is of the new base all the same.
  EXPECT_EQ(Elements(Derive(other, {x})[0]), (Doubles{0, 0, 1, 1}));
  EXPECT_EQ(Elements(Derive(row, {x})[0]), (Doubles{10, 100, 0, 0}));
}

TEST(View, WritesThroughADiagonalAndWindows) {
  const Tensor x = Leaf({2, 2}, {1, 2, 3, 4}), w = Leaf({2}, {10, 100});
  const Tensor base = Clone(x);
  const Tensor windows = Unfold(base, 1, 1, 1);
  Tensor diagonal = Diagonal(base, {0, 1}, 0);
  MulInPlace(diagonal, w);
  EXPECT_EQ(Elements(base), (Doubles{10, 2, 3, 400}));
  EXPECT_EQ(Elements(Derive(windows, {x})[0]), (Doubles{10, 1, 1, 100}));
  EXPECT_EQ(Elements(Derive(Mul(base, base), {w})[0]), (Doubles{20, 2 * 400 * 4}));
}

TEST(View, SecondDerivativeOfAWriteThroughAView) {
  const Tensor x = Leaf({2}, {0.5, 3});
  const Tensor base = Clone(x);
  Tensor first = Slice(base, 0, 0, 1, 1);
  ExpInPlace(first);
  const Tensor gradient = Derive(Mul(base, base), {x}, true)[0];
  EXPECT_DOUBLE_EQ(Elements(gradient)[0], 2 * std::exp(1.0));
  EXPECT_DOUBLE_EQ(Elements(Derive(gradient, {x})[0])[0], 4 * std::exp(1.0));
}

TEST(View, CopyAndZeroDropWhatTheyOverwrite) {
  const Tensor x = Leaf({2}, {1, 2}), w = Leaf({}, {7});
  const Tensor base = Clone(x);
  Tensor head = Slice(base, 0, 0, 1, 1), tail = Slice(base, 0, 1, 2, 1);
  CopyInPlace(head, w);
  auto gradients = Derive(base, {x, w});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{0, 1}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{1}));
  ZeroInPlace(tail);
  gradients = Derive(base, {x, w});
  EXPECT_EQ(Elements(gradients[0]), (Doubles{0, 0}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{1}));
}

TEST(View, Refusals) {
  const Tensor a = Leaf({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(KindOf([&] { View(Transpose(a, 0, 1), {6}); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { View(a, {4}); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Select(a, 0, 2); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Transpose(a, 0, 2); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Permute(a, {0, 0}); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Expand(a, {4, 3}); }), ErrorKind::kShape);
  Tensor of_leaf = Select(a, 0, 0);
  EXPECT_EQ(KindOf([&] { NegInPlace(of_leaf); }), ErrorKind::kLeafInPlace);
  EXPECT_EQ(KindOf([&] { T(View(a, {1, 2, 3})); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Diagonal(a, {0, 2}, 0); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Diagonal(a, {0, 0}, 0); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Unfold(a, 2, 1, 1); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Unfold(a, 1, 1, 4); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Unfold(a, 1, 0, 1); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { AsStrided(a, {2}, {3}, 4); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { AsStrided(a, {2}, {-1}, 4); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { AsStrided(a, {2}, {1, 1}, 0); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { AsStrided(a, {3, 9}, {INT64_MAX, 1}, 0); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { AsStrided(T(a), {2}, {1}, 0); }), ErrorKind::kInvalidArgument);
  Tensor windows = Unfold(Values({3}, {1, 2, 3}), 0, 1, 2);
  EXPECT_EQ(KindOf([&] { NegInPlace(windows); }), ErrorKind::kInvalidArgument);
  Tensor repeated = Expand(Values({1}, {1}), {3});
  EXPECT_EQ(KindOf([&] { NegInPlace(repeated); }), ErrorKind::kInvalidArgument);
}

// Rules: L6.
TEST(View, MadeWithoutGradModeCannotBeWrittenWithIt) {
  const Tensor base = Clone(Leaf({2}, {1, 2}));
  Tensor view;
  {
    GradModeGuard no_grad(false);
    view = Slice(base, 0, 0, 1, 1);
  }
  const Tensor w = Leaf({1}, {2});
  EXPECT_EQ(KindOf([&] { MulInPlace(view, w); }), ErrorKind::kInvalidArgument);
}

TEST(View, EmptyAndScalar) {
  const Tensor a = Leaf({0, 3}, {});
  EXPECT_EQ(View(a, {3, 0}).numel(), 0);
  EXPECT_EQ(Derive(Transpose(a, 0, 1), {a})[0].sizes(), a.sizes());
  const Tensor s = Leaf({}, {2});
  EXPECT_EQ(Unsqueeze(s, 0).dim(), 1);
  EXPECT_EQ(Permute(s, {}).dim(), 0);
  EXPECT_EQ(Elements(Derive(Expand(s, {3}), {s})[0]), (Doubles{3}));
}

}  // namespace
}  // namespace twingrad::ops
