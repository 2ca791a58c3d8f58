#include "autograd/tensor/kernels/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/tensor/kernels/test_values.h"

namespace twingrad::kernels {
namespace {

TEST(Reduce, SumsOverDimensions) {
  const Tensor a = Make<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Elements<double>(Sum(a, {0}, false)), (Doubles{5, 7, 9}));
  EXPECT_EQ(Elements<double>(Sum(a, {1}, false)), (Doubles{6, 15}));
  EXPECT_EQ(SizesOf(Sum(a, {1}, true)), (Integers{2, 1}));
  EXPECT_EQ(Elements<double>(SumAll(a, false)), (Doubles{21}));
  EXPECT_EQ(SizesOf(SumAll(a, true)), (Integers{1, 1}));
  EXPECT_EQ(Elements<double>(Sum(Transposed(a), {0}, false)), (Doubles{6, 15}));
  EXPECT_EQ(Elements<double>(Sum(a, {}, false)), (Doubles{1, 2, 3, 4, 5, 6}));
}

TEST(Reduce, SumOfNothingIsZero) {
  EXPECT_EQ(Elements<double>(SumAll(Make<double>({0, 3}, {}), false)), (Doubles{0}));
  EXPECT_EQ(Elements<double>(Sum(Make<double>({0, 2}, {}), {0}, false)), (Doubles{0, 0}));
}

// Rules: R6.
TEST(Reduce, IsALeftFoldInTheElementType) {
  const Tensor a = Make<float>({3}, {1e8f, 1.0f, -1e8f});
  EXPECT_EQ(Elements<float>(SumAll(a, false))[0], 0.0f);
  const Tensor b = Make<float>({3}, {1e8f, -1e8f, 1.0f});
  EXPECT_EQ(Elements<float>(SumAll(b, false))[0], 1.0f);
  EXPECT_FALSE(std::signbit(Elements<double>(SumAll(Make<double>({1}, {-0.0}), false))[0]));
}

// Rules: R1.
TEST(Reduce, IntegersWrap) {
  const int64_t max = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Elements<int64_t>(SumAll(Make<int64_t>({2}, {max, 1}), false))[0],
            std::numeric_limits<int64_t>::min());
}

TEST(Reduce, UndoesABroadcast) {
  const Tensor g = Make<double>({2, 2, 3}, {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4});
  EXPECT_EQ(Elements<double>(SumTo(g, {2, 1})), (Doubles{12, 18}));
  EXPECT_EQ(SizesOf(SumTo(g, {2, 1})), (Integers{2, 1}));
  EXPECT_EQ(Elements<double>(SumTo(g, {})), (Doubles{30}));
  EXPECT_EQ(SumTo(g, {2, 2, 3}).impl(), g.impl());
  EXPECT_THROW(SumTo(g, {2}), Error);
}

TEST(Reduce, RefusesBadDimensions) {
  const Tensor a = Make<double>({2}, {1, 2});
  EXPECT_THROW(Sum(a, {1}, false), Error);
  EXPECT_THROW(Sum(a, {0, 0}, false), Error);
  EXPECT_THROW(SumAll(Make<bool>({1}, {true}), false), Error);
}

TEST(Reduce, ProductsAndExtremes) {
  const Tensor a = Make<double>({2, 3}, {1, 5, 3, -4, 2, 6});
  EXPECT_EQ(Elements<double>(Prod(a, {1}, false)), (Doubles{15, -48}));
  EXPECT_EQ(Elements<double>(Amax(a, {0}, false)), (Doubles{1, 5, 6}));
  EXPECT_EQ(Elements<double>(Amin(a, {}, true)), (Doubles{-4}));
  EXPECT_EQ(SizesOf(Amin(a, {}, true)), (Integers{1, 1}));
  const Tensor none = Make<double>({2, 0}, {});
  EXPECT_EQ(Elements<double>(Prod(none, {1}, false)), (Doubles{1, 1}));
  EXPECT_EQ(Elements<double>(Amax(none, {}, false))[0], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(Elements<int64_t>(Amin(Make<int64_t>({0}, {}), {}, false))[0],
            std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace twingrad::kernels
