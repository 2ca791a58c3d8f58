#include "autograd/tensor/kernels/rearrange.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/test_values.h"

namespace twingrad::kernels {
namespace {

TEST(Rearrange, Flip) {
  const Tensor a = Make<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Elements<double>(Flip(a, {1})), (Doubles{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(Elements<double>(Flip(a, {0, 1})), (Doubles{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(Elements<double>(Flip(Transposed(a), {0})), (Doubles{3, 6, 2, 5, 1, 4}));
  EXPECT_EQ(Flip(Make<double>({0, 2}, {}), {0}).numel(), 0);
  EXPECT_EQ(Elements<bool>(Flip(Make<bool>({2}, {true, false}), {0})),
            (std::vector<bool>{false, true}));
}

TEST(Rearrange, GatherReadsAndScatterAddWritesAtIndices) {
  const Tensor a = Make<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor index = Make<int64_t>({2, 2}, {2, 0, 1, 1});
  EXPECT_EQ(Elements<double>(Gather(a, 1, index)), (Doubles{3, 1, 5, 5}));
  EXPECT_EQ(Elements<double>(Gather(Transposed(a), 0, Make<int64_t>({1, 2}, {2, 0}))),
            (Doubles{3, 4}));
  const Tensor terms = Make<double>({2, 2}, {10, 20, 30, 40});
  EXPECT_EQ(Elements<double>(ScatterAdd(a, 1, index, terms)), (Doubles{21, 2, 13, 4, 75, 6}));
  EXPECT_EQ(Elements<int64_t>(ScatterAdd(Make<int64_t>({1}, {1}), 0, Make<int64_t>({2}, {0, 0}),
                                         Make<int64_t>({2}, {5, 7}))),
            (Integers{13}));
}

// Duplicates are added in the order of the indices: here the sum shows it.
TEST(Rearrange, ScatterReduces) {
  const double kNan = std::numeric_limits<double>::quiet_NaN();
  const Tensor a = Tensor::FromData<double>({3}, {2, 5, 1});
  const Tensor index = Tensor::FromData<int64_t>({3}, {0, 2, 0});
  const Tensor source = Tensor::FromData<double>({3}, {-3, kNan, 4});
  const Tensor product = ScatterMul(a, 0, index, Tensor::FromData<double>({3}, {-3, 7, 4}));
  EXPECT_EQ(Elements<double>(product), (std::vector<double>{-24, 5, 7}));
  for (const bool least : {false, true}) {
    const auto extremes = Elements<double>(ScatterExtreme(a, 0, index, source, least));
    EXPECT_EQ(extremes[0], least ? -3 : 4);
    EXPECT_EQ(extremes[1], 5);
    EXPECT_TRUE(std::isnan(extremes[2]));
  }
}

TEST(Rearrange, ScatterSumsAreThoseOfZeros) {
  const Tensor index = Make<int64_t>({2, 3}, {0, 2, 0, 1, 1, 1});
  const Tensor terms = Make<double>({2, 3}, {1, 2, -0.0, 8, 16, 32});
  const Shape sizes = {2, 4};
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kI64}) {
    const Tensor source = Cast(terms, dtype);
    const Tensor sums = ScatterSums(sizes, 1, index, source);
    const Tensor expected = ScatterAdd(Tensor::Zeros(sizes, dtype), 1, index, source);
    EXPECT_EQ(sums.dtype(), dtype);
    EXPECT_EQ(Elements<double>(Cast(sums, DType::kF64)),
              Elements<double>(Cast(expected, DType::kF64)));
  }
  EXPECT_THROW(ScatterSums({2, 2}, 1, index, terms), Error);
  EXPECT_EQ(ScatterSums({0, 4}, 1, Make<int64_t>({0, 3}, {}), Make<double>({0, 3}, {})).numel(), 0);
}

// Rules: R5.
TEST(Rearrange, ScatterAddKeepsTheOrder) {
  const Tensor zero = Make<float>({1}, {0});
  const Tensor same = Make<int64_t>({3}, {0, 0, 0});
  EXPECT_EQ(Elements<float>(ScatterAdd(zero, 0, same, Make<float>({3}, {1e8f, 1, -1e8f})))[0], 0);
  EXPECT_EQ(Elements<float>(ScatterAdd(zero, 0, same, Make<float>({3}, {1e8f, -1e8f, 1})))[0], 1);
}

// Rules: R4.
TEST(Rearrange, IndicesOutOfRangeAreErrors) {
  const Tensor a = Make<double>({2}, {1, 2});
  EXPECT_THROW(Gather(a, 0, Make<int64_t>({1}, {2})), Error);
  EXPECT_THROW(Gather(a, 0, Make<int64_t>({1}, {-1})), Error);
  EXPECT_THROW(ScatterAdd(a, 0, Make<int64_t>({1}, {2}), Make<double>({1}, {0})), Error);
  EXPECT_THROW(Gather(a, 0, Make<double>({1}, {0})), Error);
}

// Rules: R9.
TEST(Rearrange, SortIsStableAndPutsNanAbove) {
  const Sorted up = Sort(Make<double>({5}, {2, kNan, 1, 2, -1}), 0, false);
  EXPECT_EQ(Elements<int64_t>(up.indices), (Integers{4, 2, 0, 3, 1}));
  EXPECT_TRUE(std::isnan(Elements<double>(up.values)[4]));
  const Sorted down = Sort(Make<double>({5}, {2, kNan, 1, 2, -1}), 0, true);
  EXPECT_EQ(Elements<int64_t>(down.indices), (Integers{1, 0, 3, 2, 4}));
  const Tensor matrix = Make<int64_t>({2, 2}, {3, 1, 2, 4});
  EXPECT_EQ(Elements<int64_t>(Sort(matrix, 0, false).values), (Integers{2, 1, 3, 4}));
  EXPECT_EQ(Elements<int64_t>(Sort(Transposed(matrix), 0, false).values), (Integers{1, 2, 3, 4}));
}

TEST(Rearrange, ExtremeIndexPicksTheFirst) {
  const Tensor a = Make<double>({2, 3}, {1, 5, 5, 0, kNan, kNan});
  EXPECT_EQ(Elements<int64_t>(ExtremeIndex(a, 1, false)), (Integers{1, 1}));
  EXPECT_EQ(Elements<int64_t>(ExtremeIndex(a, 1, true)), (Integers{0, 1}));
  EXPECT_EQ(SizesOf(ExtremeIndex(a, 0, true)), (Integers{1, 3}));
}

TEST(Rearrange, RunningExtremeIndexPicksTheLast) {
  const Tensor a = Make<double>({2, 3}, {1, 5, 5, kNan, 0, kNan});
  EXPECT_EQ(Elements<int64_t>(RunningExtremeIndex(a, 1, false)), (Integers{0, 1, 2, 0, 0, 2}));
  EXPECT_EQ(Elements<int64_t>(RunningExtremeIndex(a, 1, true)), (Integers{0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(SizesOf(RunningExtremeIndex(a, 0, true)), (Integers{2, 3}));
  EXPECT_EQ(RunningExtremeIndex(Make<double>({0, 2}, {}), 0, true).numel(), 0);
}

TEST(Rearrange, Cumsum) {
  const Tensor a = Make<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Elements<double>(Cumsum(a, 1, false)), (Doubles{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(Elements<double>(Cumsum(a, 1, true)), (Doubles{6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(Elements<double>(Cumsum(a, 0, false)), (Doubles{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(Elements<int64_t>(
                Cumsum(Make<int64_t>({2}, {std::numeric_limits<int64_t>::max(), 1}), 0, false))[1],
            std::numeric_limits<int64_t>::min());
}

TEST(Rearrange, ProductOfOthersIsSafeAtZero) {
  const Tensor a = Make<double>({2, 3}, {2, 0, 5, 0, 0, 5});
  EXPECT_EQ(Elements<double>(ProductOfOthers(a)), (Doubles{0, 10, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace twingrad::kernels
