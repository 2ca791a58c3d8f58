#include "autograd/ops/parts.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "autograd/base/error.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/view.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/copy.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Parts, ShareStorageAndVersion) {
  const Tensor a = Values({3, 2}, {1, 2, 3, 4, 5, 6});
  VariableList rows = Unbind(a, 0);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(Elements(rows[2]), (Doubles{5, 6}));
  const VariableList parts = Split(a, 0, 2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(Elements(parts[0]), (Doubles{1, 2, 3, 4}));
  EXPECT_EQ(Elements(parts[1]), (Doubles{5, 6}));
  const VariableList columns = Chunk(a, 1, 2);
  EXPECT_EQ(Elements(columns[1]), (Doubles{2, 4, 6}));
  AddInPlace(rows[1], Values({2}, {10, 10}));
  EXPECT_EQ(Elements(parts[0]), (Doubles{1, 2, 13, 14}));
  EXPECT_EQ(a.version(), 1u);
}

TEST(Parts, AreAsManyAsThereAreEntries) {
  const Tensor a = Values({5}, {1, 2, 3, 4, 5});
  EXPECT_EQ(Chunk(a, 0, 4).size(), 3u);
  EXPECT_EQ(Chunk(a, 0, 9).size(), 5u);
  EXPECT_EQ(Split(a, 0, 9).size(), 1u);
  const Tensor none = Leaf({0, 2}, {});
  EXPECT_EQ(Unbind(none, 0).size(), 0u);
  EXPECT_EQ(Split(none, 0, 3).size(), 1u);
  EXPECT_EQ(Chunk(none, 0, 3).size(), 3u);
}

// One node, whatever its results are used for.
TEST(Parts, HaveOneNode) {
  const Tensor a = Leaf({3}, {1, 2, 3});
  const VariableList parts = Unbind(a, 0);
  for (uint32_t k = 0; k < 3; ++k) {
    const Edge edge = GradientEdge(parts[k]);
    EXPECT_EQ(edge.function, GradientEdge(parts[0]).function);
    EXPECT_EQ(edge.input_nr, k);
  }
  EXPECT_EQ(GradientEdge(parts[0]).function->name(), "UnbindBackward");
  const auto gradients = Derive(Mul(Mul(parts[0], parts[1]), parts[0]), {a, parts[0]}, true);
  EXPECT_EQ(Elements(gradients[0]), (Doubles{4, 1, 0}));  // zeros for the third
  EXPECT_EQ(Elements(gradients[1]), (Doubles{4}));
  EXPECT_EQ(Elements(Derive(gradients[0], {a})[0]), (Doubles{4 + 2, 2, 0}));
}

// Without grad mode, of integers, and of what requires no grad, they are views alone.
TEST(Parts, HaveNoNodeWhereNothingRecords) {
  EXPECT_FALSE(RequiresGrad(Split(Values({2}, {1, 2}), 0, 1)[0]));
  const Tensor a = Leaf({2}, {1, 2});
  GradModeGuard no_grad(false);
  EXPECT_FALSE(RequiresGrad(Split(a, 0, 1)[0]));
}

// Rules: L6.
TEST(Parts, MayBeWritten) {
  const Tensor x = Leaf({2, 2}, {1, 2, 3, 4}), w = Leaf({2}, {10, 100});
  const Tensor base = Clone(x);
  VariableList rows = Unbind(base, 0);
  MulInPlace(rows[0], w);
  EXPECT_EQ(Elements(base), (Doubles{10, 200, 3, 4}));
  const auto gradients = Derive(Mul(base, base), {x, w}, true);
  EXPECT_EQ(Elements(gradients[0]), (Doubles{200, 40000, 6, 8}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{20, 800}));
  // Each is made anew, with a node of its own.
  EXPECT_EQ(Elements(Derive(rows[1], {x}, true)[0]), (Doubles{0, 0, 1, 1}));
  EXPECT_EQ(Elements(Derive(rows[0], {x})[0]), (Doubles{10, 100, 0, 0}));
  Tensor of_leaf = Unbind(x, 0)[1];
  EXPECT_EQ(KindOf([&] { NegInPlace(of_leaf); }), ErrorKind::kLeafInPlace);
}

TEST(Parts, Refusals) {
  const Tensor a = Leaf({2}, {1, 2});
  EXPECT_EQ(KindOf([&] { Unbind(a, 1); }), ErrorKind::kIndex);
  EXPECT_EQ(KindOf([&] { Split(a, 0, 0); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Chunk(a, 0, -1); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Split(Tensor(), 0, 1); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { Chunk(Leaf({0}, {}), 0, INT64_MAX); }), ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace twingrad::ops
