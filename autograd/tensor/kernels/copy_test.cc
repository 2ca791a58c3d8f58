#include "autograd/tensor/kernels/copy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/tensor/kernels/test_values.h"

namespace twingrad::kernels {
namespace {

TEST(Copy, ClonesAreFreshAndContiguous) {
  const Tensor a = Make<double>({2, 2}, {1, 2, 3, 4});
  const Tensor b = Clone(Transposed(a));
  EXPECT_TRUE(b.IsContiguous());
  EXPECT_FALSE(b.HasSameStorage(a));
  EXPECT_EQ(Elements<double>(b), (Doubles{1, 3, 2, 4}));
  EXPECT_EQ(CopyTo(a, Device::Sim(1)).device(), Device::Sim(1));
}

// Rules: R2.
TEST(Copy, CastsSaturate) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor a = Make<double>({4}, {2.75, inf, -inf, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(
      Elements<int64_t>(Cast(a, DType::kI64)),
      (Integers{2, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(), 0}));
  EXPECT_EQ(Elements<bool>(Cast(a, DType::kBool)), (std::vector<bool>{true, true, true, true}));
  EXPECT_EQ(Elements<float>(Cast(Make<bool>({2}, {true, false}), DType::kF32)),
            (std::vector<float>{1, 0}));
}

TEST(Copy, CopiesIntoBroadcastAndStrided) {
  Tensor a = Tensor::Zeros({2, 3}, DType::kF64);
  CopyInto(a, Make<double>({3}, {1, 2, 3}));
  EXPECT_EQ(Elements<double>(a), (Doubles{1, 2, 3, 1, 2, 3}));
  Tensor column = a.AsStrided({2}, {3}, 1);
  CopyInto(column, Make<int64_t>({}, {9}));
  EXPECT_EQ(Elements<double>(a), (Doubles{1, 9, 3, 1, 9, 3}));
  EXPECT_THROW(CopyInto(column, a), Error);
}

TEST(Copy, OverlapReadsBeforeItWrites) {
  Tensor a = Make<double>({4}, {1, 2, 3, 4});
  Tensor tail = a.AsStrided({3}, {1}, 1);
  CopyInto(tail, a.AsStrided({3}, {1}, 0));
  EXPECT_EQ(Elements<double>(a), (Doubles{1, 1, 2, 3}));
  Tensor square = Make<double>({2, 2}, {1, 2, 3, 4});
  CopyInto(square, Transposed(square));
  EXPECT_EQ(Elements<double>(square), (Doubles{1, 3, 2, 4}));
}

TEST(Copy, Fills) {
  Tensor a = Tensor::Zeros({2, 2}, DType::kI64);
  Tensor diagonal = a.AsStrided({2}, {3}, 0);
  FillInto(diagonal, 7);
  EXPECT_EQ(Elements<int64_t>(a), (Integers{7, 0, 0, 7}));
  FillInto(a, -1);
  EXPECT_EQ(Elements<int64_t>(a), (Integers{-1, -1, -1, -1}));
}

TEST(Copy, WhereBroadcastsAllThree) {
  const Tensor c =
      Where(Make<bool>({2, 1}, {true, false}), Make<double>({3}, {1, 2, 3}), Make<double>({}, {0}));
  EXPECT_EQ(Elements<double>(c), (Doubles{1, 2, 3, 0, 0, 0}));
  EXPECT_EQ(SizesOf(c), (Integers{2, 3}));
  const Tensor x = Make<double>({1}, {1});
  EXPECT_THROW(Where(x, x, x), Error);
}

}  // namespace
}  // namespace twingrad::kernels
