// Attention against its formula step by step, and where shares are known in closed form.

#include "autograd/ops/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/layout.h"
#include "autograd/ops/linear_algebra.h"
#include "autograd/ops/rearrange.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/test_gradients.h"
#include "autograd/ops/view.h"

namespace twingrad::ops {
namespace {

Tensor InSteps(const Tensor& q, const Tensor& k, const Tensor& v) {
  const Tensor scores = Matmul(q, TransposeLast(k));
  const double root = std::sqrt(static_cast<double>(q.sizes()[q.sizes().size() - 1]));
  return Matmul(Softmax(Div(scores, Constant(root, scores)), scores.dim() - 1), v);
}

// Each query by itself, with the keys that it sees.
Tensor QueryByQuery(const Tensor& q, const Tensor& k, const Tensor& v) {
  const int64_t rows = q.dim() - 2, keys = k.sizes()[static_cast<size_t>(rows)];
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < q.sizes()[static_cast<size_t>(rows)]; ++i) {
    const int64_t seen = std::min(i + 1, keys);
    parts.push_back(InSteps(Slice(q, rows, i, i + 1, 1), Slice(k, rows, 0, seen, 1),
                            Slice(v, rows, 0, seen, 1)));
  }
  std::vector<const Tensor*> pointers;
  for (const Tensor& part : parts) pointers.push_back(&part);
  return Cat(pointers, rows);
}

// To the third order, of a sum of cubes.
void ExpectSameDerivatives(Tensor left, Tensor right, const Tensor& q, const Tensor& k,
                           const Tensor& v) {
  const auto cube = [](const Tensor& t) { return Mul(Mul(t, t), t); };
  left = cube(left);
  right = cube(right);
  for (int order = 1; order <= 3; ++order) {
    const auto got = Derive(left, {q, k, v}, /*create_graph=*/true);
    const auto expected = Derive(right, {q, k, v}, /*create_graph=*/true);
    for (size_t i = 0; i < 3; ++i) {
      const Doubles numbers = Elements(got[i]), others = Elements(expected[i]);
      double greatest = 1;  // of what has cancelled where the others are small
      for (const double other : others) greatest = std::fmax(greatest, std::fabs(other));
      for (size_t j = 0; j < others.size(); ++j) {
        EXPECT_NEAR(numbers[j], others[j], 1e-12 * greatest) << order << i << j;
      }
    }
    left = Add(Sum(cube(got[0]), {}, false), Sum(cube(got[1]), {}, false));
    right = Add(Sum(cube(expected[0]), {}, false), Sum(cube(expected[1]), {}, false));
  }
}

TEST(Attention, DerivativesAreThoseOfItsSteps) {
  const Tensor q = Leaf({2, 2, 2}, {1, 0, 0, 2, -1, 1, 0.5, 3});
  const Tensor k = Leaf({2, 3, 2}, {1, 1, 2, 0, 0, 1, 2, -1, 0, 0, 1, 1});
  const Tensor v = Leaf({2, 3, 1}, {1, 2, 4, 3, -1, 0});
  ExpectSameDerivatives(ScaledDotProductAttention(q, k, v, false), InSteps(q, k, v), q, k, v);
}

TEST(Attention, DerivativesOfCausalQueriesAreThoseOfEach) {
  const Tensor q = Leaf({2, 3, 2}, {1, 0, 0, 2, -1, 1, 0.5, 3, 1, 1, -2, 0});
  for (const int64_t keys : {2, 3, 4}) {  // fewer than queries, as many, and more
    const Tensor k =
        Slice(Leaf({2, 4, 2}, {1, 1, 2, 0, 0, 1, 3, 1, 2, -1, 0, 0, 1, 1, -1, 2}), 1, 0, keys, 1);
    const Tensor v = Slice(Leaf({2, 4, 1}, {1, 2, 4, 0, 3, -1, 0, 2}), 1, 0, keys, 1);
    ExpectSameDerivatives(ScaledDotProductAttention(q, k, v, true), QueryByQuery(q, k, v), q, k, v);
  }
}

// Queries of zeros share alike among the keys that they see.
TEST(Attention, CausalQueriesSeeWhatCameBefore) {
  const Tensor q = Leaf({3, 1}, {0, 0, 0}), k = Leaf({2, 1}, {1, 3}), v = Leaf({2, 1}, {2, 6});
  const Tensor y = ScaledDotProductAttention(q, k, v, true);
  EXPECT_EQ(Elements(y), (Doubles{2, 4, 4}));
  const auto gradients = Derive(Mul(y, Values({3, 1}, {1, 10, 100})), {q, k, v});
  // Of the second and third query: the covariance of keys and values, 1 * 2.
  EXPECT_EQ(Elements(gradients[0]), (Doubles{0, 20, 200}));
  EXPECT_EQ(Elements(gradients[1]), (Doubles{0, 0}));
  EXPECT_EQ(Elements(gradients[2]), (Doubles{1 + 5 + 50, 5 + 50}));
  EXPECT_EQ(Elements(ScaledDotProductAttention(q, k, v, false)), (Doubles{4, 4, 4}));
}

// What a query does not see cannot reach it, nor do its own NaN reach that.
TEST(Attention, WhatIsNotSeenMayBeAnything) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Tensor q = Leaf({2, 1}, {1, 2}), k = Leaf({2, 1}, {1, kNan}), v = Leaf({2, 1}, {3, kNan});
  const Tensor y = ScaledDotProductAttention(q, k, v, true);
  EXPECT_EQ(Elements(y)[0], 3);
  EXPECT_TRUE(std::isnan(Elements(y)[1]));
  const Tensor first = Slice(y, 0, 0, 1, 1);
  for (const bool create_graph : {false, true}) {
    const Tensor of_q = Derive(Mul(first, first), {q}, create_graph)[0];
    EXPECT_EQ(Elements(of_q)[0], 0);
    if (create_graph) {
      EXPECT_EQ(Elements(Derive(Slice(of_q, 0, 0, 1, 1), {q})[0])[0], 0);
    }
  }
  const Tensor keys = Leaf({2, 1}, {1, 3}), values = Leaf({2, 1}, {3, 5});
  const Tensor z = Mul(ScaledDotProductAttention(q, keys, values, true), Values({2, 1}, {kNan, 0}));
  for (const bool create_graph : {false, true}) {
    const auto gradients = Derive(z, {q, keys, values}, create_graph);
    EXPECT_TRUE(std::isnan(Elements(gradients[2])[0]));
    EXPECT_EQ(Elements(gradients[2])[1], 0);
    EXPECT_EQ(Elements(gradients[1])[1], 0);
    EXPECT_EQ(Elements(gradients[0])[1], 0);
  }
}

// Scores far out leave one key its whole share.
TEST(Attention, SharesFarOut) {
  const Tensor q = Leaf({1, 1}, {1e3}), k = Leaf({2, 1}, {1, 2}), v = Leaf({2, 1}, {5, 7});
  const Tensor y = ScaledDotProductAttention(q, k, v, false);
  EXPECT_EQ(Elements(y), (Doubles{7}));
  EXPECT_EQ(Elements(Derive(y, {q})[0]), (Doubles{0}));
}

TEST(Attention, Misfits) {
  const Tensor q = Values({1, 2}, {1, 2}), none = Values({0, 2}, {});
  const auto kind = [](const Tensor& a, const Tensor& b, const Tensor& c) {
    return KindOf([&] { ScaledDotProductAttention(a, b, c, false); });
  };
  EXPECT_EQ(ScaledDotProductAttention(none, q, q, false).numel(), 0);
  EXPECT_EQ(kind(q, none, none), ErrorKind::kShape);  // softmax of nothing
  EXPECT_EQ(kind(q, q, none), ErrorKind::kShape);
  EXPECT_EQ(kind(q, Values({1, 3}, {1, 2, 3}), q), ErrorKind::kShape);
  EXPECT_EQ(kind(Values({2}, {1, 2}), q, q), ErrorKind::kShape);
  EXPECT_EQ(kind(q, q, Tensor()), ErrorKind::kUndefined);
  EXPECT_EQ(kind(q, kernels::Cast(q, DType::kF32), q), ErrorKind::kDType);
}

}  // namespace
}  // namespace twingrad::ops
