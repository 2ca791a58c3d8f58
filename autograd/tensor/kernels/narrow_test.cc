#include "autograd/tensor/kernels/narrow.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "autograd/base/float_format.h"
#include "autograd/base/test_errors.h"
#include "autograd/tensor/kernels/kernels.h"
#include "autograd/tensor/kernels/test_values.h"

namespace twingrad::kernels {
namespace {

constexpr DType kShortFloats[] = {DType::kF16, DType::kBF16};
constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr int32_t kGreatest = std::numeric_limits<int32_t>::max();

Tensor Floats(std::initializer_list<int64_t> sizes, std::initializer_list<double> elements,
              DType dtype) {
  return Cast(Make<double>(sizes, elements), dtype);
}

Doubles Numbers(const Tensor& t) { return Elements<double>(Cast(t, DType::kF64)); }

TEST(Narrow, WidensAndNarrowsItsOwnTypesAlone) {
  for (const DType dtype : kDTypes) {
    SCOPED_TRACE(DTypeName(dtype));
    const Tensor a = Tensor::Ones({2}, dtype);
    EXPECT_EQ(Widened(a).dtype(), ComputedAs(dtype));
    EXPECT_EQ(IsNarrow(dtype), ComputedAs(dtype) != dtype);
    EXPECT_EQ(Widened(a).IsSameAs(a), !IsNarrow(dtype));
    EXPECT_EQ(Narrowed(Widened(a), dtype).dtype(), dtype);
  }
  EXPECT_FALSE(Widened(Tensor()).defined());
  EXPECT_FALSE(Narrowed(Tensor(), DType::kF16).defined());
  EXPECT_EQ(Narrowed(Tensor::Ones({2}, DType::kBool), DType::kF16).dtype(), DType::kBool);
}

// Rules: R11.
TEST(Narrow, ArithmeticIsRoundedOnce) {
  for (const DType dtype : kShortFloats) {
    SCOPED_TRACE(DTypeName(dtype));
    const FloatFormat& format = FormatOf(dtype);
    const Tensor a = Floats({3}, {1, 1.5, -0.25}, dtype), b = Floats({3}, {3, 3, 7}, dtype);
    EXPECT_EQ(Div(a, b).dtype(), dtype);
    EXPECT_EQ(Numbers(Div(a, b)),
              (Doubles{Rounded(1.0 / 3, format), 0.5, Rounded(-0.25 / 7, format)}));
    EXPECT_EQ(Numbers(Mul(a, b)), (Doubles{3, 4.5, -1.75}));
    EXPECT_EQ(Elements<bool>(IsPositive(a)), (std::vector<bool>{true, true, false}));
  }
  const Tensor large = Floats({}, {60000}, DType::kF16);
  EXPECT_EQ(Numbers(Add(large, large)), (Doubles{HUGE_VAL}));
}

// What a running total in the type itself would not reach: 256 + 1 is 256 in bf16.
TEST(Narrow, SumsAreOfFloats) {
  const Tensor ones = Tensor::Ones({1000}, DType::kBF16);
  EXPECT_EQ(Numbers(SumAll(ones, false)), (Doubles{1000}));
  const Tensor row = Tensor::Ones({1, 1000}, DType::kBF16);
  EXPECT_EQ(Numbers(Matmul(row, Transposed(row))), (Doubles{1000}));
  EXPECT_EQ(Numbers(Cumsum(ones, 0, false)).back(), 1000);
}

// Rules: R1.
TEST(Narrow, IntegersAreTakenModulo) {
  const Tensor a = Make<int32_t>({3}, {kGreatest, kLeast, 65536});
  EXPECT_EQ(Elements<int32_t>(Add(a, Make<int32_t>({}, {1}))),
            (std::vector<int32_t>{kLeast, kLeast + 1, 65537}));
  EXPECT_EQ(Elements<int32_t>(Mul(a, a)), (std::vector<int32_t>{1, 0, 0}));
  EXPECT_EQ(Elements<int32_t>(Pow(Make<int32_t>({}, {3}), Make<int32_t>({}, {40}))),
            (std::vector<int32_t>{689956897}));  // 3^40 mod 2^32
  EXPECT_EQ(Elements<int32_t>(SumAll(a, false)), (std::vector<int32_t>{65535}));
  EXPECT_EQ(KindOf([] { Pow(Make<int32_t>({}, {3}), Make<int32_t>({}, {-1})); }),
            ErrorKind::kDomain);
}

TEST(Narrow, NothingHasTheLimitsOfTheType) {
  const Tensor none = Tensor::Empty({0}, DType::kI32);
  EXPECT_EQ(Elements<int32_t>(Amax(none, {}, false)), (std::vector<int32_t>{kLeast}));
  EXPECT_EQ(Elements<int32_t>(Amin(none, {}, false)), (std::vector<int32_t>{kGreatest}));
  EXPECT_EQ(Numbers(Amax(Tensor::Empty({0}, DType::kF16), {}, false)), (Doubles{-HUGE_VAL}));
}

TEST(Narrow, MovesKeepEveryElement) {
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kI32}) {
    SCOPED_TRACE(DTypeName(dtype));
    const Tensor a = Floats({2, 3}, {3, 1, 2, 6, 5, 4}, dtype);
    const Tensor index = Make<int64_t>({2, 1}, {2, 0});
    EXPECT_EQ(Numbers(Transposed(a)), (Doubles{3, 6, 1, 5, 2, 4}));
    EXPECT_EQ(Numbers(Flip(a, {1})), (Doubles{2, 1, 3, 4, 5, 6}));
    EXPECT_EQ(Numbers(Gather(a, 1, index, "gather")), (Doubles{2, 6}));
    EXPECT_EQ(Numbers(Scatter(a, 1, index, Floats({2, 1}, {7, 8}, dtype))),
              (Doubles{3, 1, 7, 8, 5, 4}));
    EXPECT_EQ(Numbers(ScatterAdd(a, 1, index, Floats({2, 1}, {7, 8}, dtype))),
              (Doubles{3, 1, 9, 14, 5, 4}));
    const Sorted sorted = Sort(a, 1, false);
    EXPECT_EQ(Numbers(sorted.values), (Doubles{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(Elements<int64_t>(sorted.indices), (Integers{1, 2, 0, 2, 1, 0}));
    EXPECT_EQ(Elements<int64_t>(ExtremeIndex(a, 1, false)), (Integers{0, 0}));
    Tensor target = Clone(a);
    AddInto(target, a);
    EXPECT_EQ(Numbers(target), (Doubles{6, 2, 4, 12, 10, 8}));
  }
}

TEST(Narrow, ConversionsRoundOnceAndSaturate) {
  // By way of f32 it would be a tie, and go down to 1.
  EXPECT_EQ(Numbers(Floats({}, {1 + 0x1p-11 + 0x1p-40}, DType::kF16)), (Doubles{1 + 0x1p-10}));
  const Tensor far = Make<double>({3}, {3e9, -1e300, kNan});
  EXPECT_EQ(Elements<int32_t>(Cast(far, DType::kI32)),
            (std::vector<int32_t>{kGreatest, kLeast, 0}));
  EXPECT_EQ(Elements<int32_t>(Cast(Cast(far, DType::kBF16), DType::kI32)),
            (std::vector<int32_t>{kGreatest, kLeast, 0}));
  EXPECT_EQ(Elements<int32_t>(Cast(Make<int64_t>({2}, {(int64_t{1} << 32) + 5, -1}), DType::kI32)),
            (std::vector<int32_t>{5, -1}));
  EXPECT_EQ(Elements<int64_t>(Cast(Make<int32_t>({1}, {-7}), DType::kI64)), (Integers{-7}));
  EXPECT_EQ(Elements<bool>(Cast(Floats({2}, {0, 0x1p-24}, DType::kF16), DType::kBool)),
            (std::vector<bool>{false, true}));
  EXPECT_EQ(Numbers(Cast(Floats({2}, {1.5, 65504}, DType::kF16), DType::kBF16)),
            (Doubles{1.5, 65536}));
}

}  // namespace
}  // namespace twingrad::kernels
