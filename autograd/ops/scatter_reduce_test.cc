// What places are reduced to, and that gradients are right at ties, at zeros and where nothing
// goes.

#include "autograd/ops/scatter_reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

using enum ScatterReduction;

struct Case {
  ScatterReduction reduction;
  bool include_self;
  Doubles value, of_a, of_source;
};

TEST(ScatterReduce, ValuesAndGradients) {
  const Case cases[] = {{kSum, true, {9, 5, 3}, {1, 2, 3}, {1, 1, 2}},
                        {kSum, false, {7, 3, 3}, {0, 0, 3}, {1, 1, 2}},
                        {kMean, true, {3, 2.5, 3}, {1.0 / 3, 1, 3}, {1.0 / 3, 1.0 / 3, 1}},
                        {kMean, false, {3.5, 3, 3}, {0, 0, 3}, {0.5, 0.5, 2}},
                        {kProd, true, {20, 6, 3}, {10, 6, 3}, {4, 10, 4}},
                        {kProd, false, {10, 3, 3}, {0, 0, 3}, {2, 5, 2}},
                        {kAmax, true, {5, 3, 3}, {0, 0, 3}, {1, 0, 2}},
                        {kAmin, true, {2, 2, 3}, {0.5, 2, 3}, {0, 0.5, 0}},
                        {kAmin, false, {2, 3, 3}, {0, 0, 3}, {0, 1, 2}}};
  for (const Case& c : cases) {
    const Tensor a = Leaf({3}, {2, 2, 3}), source = Leaf({3}, {5, 2, 3});
    const Tensor y =
        ScatterReduce(a, 0, Indices({3}, {0, 0, 1}), source, c.reduction, c.include_self);
    const auto of = static_cast<int>(c.reduction);
    EXPECT_EQ(Elements(y), c.value) << of << c.include_self;
    EXPECT_EQ(Weighed(y, a), c.of_a) << of << c.include_self;
    EXPECT_EQ(Weighed(y, source), c.of_source) << of << c.include_self;
  }
}

TEST(ScatterReduce, ProductsAreRightAtZeros) {
  const Tensor a = Leaf({1}, {3}), source = Leaf({3}, {0, 5, 0}), i = Indices({3}, {0, 0, 0});
  const Tensor y = ScatterReduce(a, 0, i, source, kProd, /*include_self=*/true);
  EXPECT_EQ(Elements(y), (Doubles{0}));
  const auto first = Derive(y, {a, source}, /*create_graph=*/true);
  EXPECT_EQ(Elements(first[1]), (Doubles{0, 0, 0}));
  EXPECT_EQ(Elements(first[0]), (Doubles{0}));
  // 15 for the pair of zeros, in both orders.
  EXPECT_EQ(Elements(Derive(first[1], {source})[0]), (Doubles{15, 0, 15}));
  EXPECT_EQ(Elements(Derive(first[1], {a})[0]), (Doubles{0}));
}

TEST(ScatterReduce, SecondDerivatives) {
  const Tensor i = Indices({2}, {0, 0});
  for (const ScatterReduction reduction : {kSum, kMean, kAmax}) {
    const Tensor a = Leaf({2}, {3, 5}), source = Leaf({2}, {1, 3});
    const Tensor y = ScatterReduce(a, 0, i, source, reduction, /*include_self=*/true);
    const auto first = Derive(Mul(y, y), {a, source}, /*create_graph=*/true);
    // d(2 y share) is 2 share times the sum of the shares.
    const double share = reduction == kSum ? 1 : reduction == kMean ? 1.0 / 3 : 0.5;
    EXPECT_DOUBLE_EQ(Elements(first[1])[1], 2 * Elements(y)[0] * share);
    const double all = reduction == kSum ? 3 : 1;
    EXPECT_DOUBLE_EQ(Elements(Derive(first[0], {a})[0])[0] + Elements(Derive(first[1], {a})[0])[0],
                     2 * share * all);
  }
}

TEST(ScatterReduce, WhereNothingGoesAllStays) {
  const double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const ScatterReduction reduction : {kSum, kProd, kMean, kAmax, kAmin}) {
    for (const bool include_self : {false, true}) {
      const Tensor a = Leaf({2}, {kNan, 5}), source = Leaf({0}, {});
      const Tensor y = ScatterReduce(a, 0, Indices({0}, {}), source, reduction, include_self);
      EXPECT_TRUE(std::isnan(Elements(y)[0]));
      EXPECT_EQ(Weighed(y, a), (Doubles{1, 2}));
      EXPECT_EQ(Weighed(y, source), Doubles{});
    }
  }
}

TEST(ScatterReduce, AlongTheSecondDimension) {
  const Tensor a = Leaf({2, 2}, {1, 2, 3, 4}), source = Leaf({2, 2}, {5, 6, 7, 8});
  const Tensor y = ScatterReduce(a, 1, Indices({2, 2}, {0, 0, 1, 0}), source, kProd, false);
  EXPECT_EQ(Elements(y), (Doubles{30, 2, 8, 7}));
  EXPECT_EQ(Weighed(y, source), (Doubles{6, 5, 4, 3}));
}

TEST(ScatterReduce, Refusals) {
  const Tensor a = Values({2}, {1, 2}), one = Values({1}, {7}), whole = Indices({2}, {1, 2});
  const auto kind = [](const Tensor& to, int64_t dim, const Tensor& index, const Tensor& from) {
    return KindOf([&] { ScatterReduce(to, dim, index, from, kProd, true); });
  };
  EXPECT_EQ(kind(a, 0, Indices({1}, {2}), one), ErrorKind::kIndex);
  EXPECT_EQ(kind(a, 1, Indices({1}, {0}), one), ErrorKind::kIndex);
  EXPECT_EQ(kind(a, 0, Indices({2}, {0, 1}), one), ErrorKind::kShape);
  EXPECT_EQ(kind(whole, 0, Indices({1}, {0}), Indices({1}, {0})), ErrorKind::kDType);
  EXPECT_EQ(kind(a, 0, Indices({1}, {0}), Tensor()), ErrorKind::kUndefined);
}

}  // namespace
}  // namespace twingrad::ops
