#include "autograd/tensor/kernels/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/tensor/kernels/copy.h"
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

// Small integers, of which every order gives the same sum: each geometry, each set of dimensions,
// few elements and many.
TEST(Reduce, SumsOfEveryGeometry) {
  for (const int64_t size : {3, 9, 40}) {
    const int64_t sizes[] = {size, 5, size + 1};
    std::vector<float> memory(static_cast<size_t>(size * 5 * (size + 1) * 2));
    for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i * 7 % 11) - 5;
    const Tensor base = Tensor::FromData<float>({static_cast<int64_t>(memory.size())}, memory);
    const Shape straight = {5 * (size + 1), size + 1, 1}, turned = {1, size, 5 * size};
    const Shape spread = {10 * (size + 1), 2 * (size + 1), 2}, expanded = {1, 0, 5},
                one = {0, 0, 0};
    for (const Shape& strides : {straight, turned, spread, expanded, one}) {
      const Tensor a = base.AsStrided(sizes, strides, 0);
      for (int mask = 1; mask < 8; ++mask) {
        Shape dims, kept(sizes, sizes + 3);
        for (int64_t d = 0; d < 3; ++d) {
          if (mask >> d & 1) dims.push_back(d), kept[static_cast<size_t>(d)] = 1;
        }
        const auto sums = Elements<float>(Sum(a, dims, true));
        std::vector<float> expected(sums.size(), 0);
        for (int64_t i = 0; i < sizes[0]; ++i) {
          for (int64_t j = 0; j < sizes[1]; ++j) {
            for (int64_t k = 0; k < sizes[2]; ++k) {
              const int64_t to =
                  ((kept[0] > 1 ? i : 0) * kept[1] + (kept[1] > 1 ? j : 0)) * kept[2] +
                  (kept[2] > 1 ? k : 0);
              expected[static_cast<size_t>(to)] +=
                  memory[static_cast<size_t>(i * strides[0] + j * strides[1] + k * strides[2])];
            }
          }
        }
        ASSERT_EQ(sums, expected) << size << " mask " << mask << " strides "
                                  << ShapeToString(strides);
      }
    }
  }
}

// The order that the header tells, where memory has gaps.
TEST(Reduce, SpreadElementsAreAddedUpByTheThousand) {
  std::vector<float> memory(2 * 3000);
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = std::sin(static_cast<float>(i));
  const Tensor a = Tensor::FromData<float>({6000}, memory).AsStrided({3000}, {2}, 0);
  float expected = 0;
  for (int64_t first = 0; first < 3000; first += 1024) {
    const int64_t size = std::min<int64_t>(1024, 3000 - first);
    expected += SumAll(Clone(a.AsStrided({size}, {2}, 2 * first)), false).item<float>();
  }
  EXPECT_EQ(SumAll(a, false).item<float>(), expected);
}

// Rows that are repeated: the sum of each as often as it is there, in the order of memory with what
// is repeated outermost.
TEST(Reduce, RepeatedRowsAreAddedUpOneByOne) {
  std::vector<float> memory(2 * 3000);
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = std::sin(static_cast<float>(i));
  const Tensor base = Tensor::FromData<float>({6000}, memory);
  const auto sum_of = [](const Tensor& a) { return SumAll(Clone(a), false).item<float>(); };
  for (const int64_t count : {2, 70, 1000}) {
    for (const int64_t step : {1, 2}) {
      const float first = sum_of(base.AsStrided({count}, {step}, 0));
      const float second = sum_of(base.AsStrided({count}, {step}, 2500));
      float repeated = 0, turns = 0;
      for (int i = 0; i < 700; ++i) repeated += first, turns += first, turns += second;
      EXPECT_EQ(SumAll(base.AsStrided({count, 700}, {step, 0}, 0), false).item<float>(), repeated);
      EXPECT_EQ(SumAll(base.AsStrided({2, 700, count}, {2500, 0, step}, 0), false).item<float>(),
                turns);
      EXPECT_EQ(Elements<float>(
                    Sum(base.AsStrided({2, 700, count}, {2500, 0, step}, 0), {2}, false))[700],
                second);
    }
  }
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
