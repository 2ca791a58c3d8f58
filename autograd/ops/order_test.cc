#include "autograd/ops/order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/ops/test_gradients.h"

namespace twingrad::ops {
namespace {

TEST(Order, TheFirstOfAnOrder) {
  const Tensor a = Leaf({2, 3}, {1, 3, 2, 5, 4, 5});
  EXPECT_EQ(Elements(Topk(a, 1, 2)), (Doubles{3, 2, 5, 5}));
  EXPECT_EQ(Weighed(Topk(a, 1, 2), a), (Doubles{0, 1, 2, 3, 0, 4}));
  EXPECT_EQ(Elements(Topk(a, 0, 1)), (Doubles{5, 4, 5}));
  const Tensor indices = TopkIndices(a, 1, 2);
  EXPECT_EQ(std::vector<int64_t>(indices.data<int64_t>(), indices.data<int64_t>() + 4),
            (std::vector<int64_t>{1, 2, 0, 2}));
  EXPECT_EQ(Topk(a, 1, 0).numel(), 0);
  EXPECT_EQ(KindOf([&] { Topk(a, 1, 4); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { Topk(a, 2, 1); }), ErrorKind::kIndex);
}

// The last of equal ones has the gradient.
TEST(Order, ExtremesUpToEach) {
  const Tensor a = Leaf({5}, {1, 3, 2, 3, 4});
  EXPECT_EQ(Elements(Cummax(a, 0)), (Doubles{1, 3, 3, 3, 4}));
  EXPECT_EQ(Weighed(Cummax(a, 0), a), (Doubles{1, 2 + 3, 0, 4, 5}));
  EXPECT_EQ(Elements(Cummin(a, 0)), (Doubles{1, 1, 1, 1, 1}));
  EXPECT_EQ(Weighed(Cummin(a, 0), a), (Doubles{15, 0, 0, 0, 0}));
  const Tensor indices = CummaxIndices(a, 0);
  EXPECT_EQ(std::vector<int64_t>(indices.data<int64_t>(), indices.data<int64_t>() + 5),
            (std::vector<int64_t>{0, 1, 1, 3, 4}));
  const double nan = std::nan("");
  const Tensor holes = Values({4}, {1, nan, 2, nan});
  const Tensor places = CumminIndices(holes, 0);
  EXPECT_EQ(std::vector<int64_t>(places.data<int64_t>(), places.data<int64_t>() + 4),
            (std::vector<int64_t>{0, 1, 1, 3}));
  EXPECT_EQ(KindOf([&] { Cummax(a, 1); }), ErrorKind::kIndex);
}

std::vector<int64_t> Places(const Tensor& indices) {
  return {indices.data<int64_t>(), indices.data<int64_t>() + indices.numel()};
}

TEST(Order, ValuesWithTheirIndices) {
  const Tensor a = Leaf({2, 3}, {1, 3, 2, 5, 4, 5});
  const auto same = [&](const ValuesAndIndices& both, const Tensor& values, const Tensor& indices) {
    EXPECT_EQ(Elements(both.values), Elements(values));
    EXPECT_EQ(Places(both.indices), Places(indices));
    EXPECT_EQ(both.indices.sizes(), values.sizes());
    EXPECT_FALSE(RequiresGrad(both.indices));
    EXPECT_EQ(Weighed(both.values, a), Weighed(values, a));
  };
  same(SortWithIndices(a, 1, true), Sort(a, 1, true), Argsort(a, 1, true));
  same(TopkWithIndices(a, 1, 2), Topk(a, 1, 2), TopkIndices(a, 1, 2));
  same(MaxWithIndices(a, 1, false), Max(a, 1, false), Argmax(a, 1, false));
  same(MinWithIndices(a, 0, true), Min(a, 0, true), Argmin(a, 0, true));
  same(CummaxWithIndices(a, 1), Cummax(a, 1), CummaxIndices(a, 1));
  same(CumminWithIndices(a, 0), Cummin(a, 0), CumminIndices(a, 0));
}

// Of max without keepdim too, whose node has them in another shape.
// Rules: K2.
TEST(Order, WrittenIndicesAreAnErrorWhenTheNodeRuns) {
  const Tensor a = Leaf({2, 3}, {1, 3, 2, 5, 4, 5});
  for (ValuesAndIndices both : {SortWithIndices(a, 1, false), MaxWithIndices(a, 1, false)}) {
    NegInPlace(both.indices);
    EXPECT_EQ(KindOf([&] { Weighed(both.values, a); }), ErrorKind::kVersion);
  }
}

}  // namespace
}  // namespace twingrad::ops
