#include "autograd/runner/tensor_data.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace twingrad::runner {
namespace {

TEST(TensorData, RoundTripsEveryType) {
  const auto bits = [](double x) { return std::bit_cast<uint64_t>(x); };
  struct Case {
    DType dtype;
    program::Bits bits;
  };
  for (const Case& c :
       {Case{DType::kF64, {bits(0.1), bits(-0.0)}}, Case{DType::kF32, {bits(0.5), bits(3)}},
        Case{DType::kI64, {uint64_t(-7), uint64_t{1} << 62}}, Case{DType::kBool, {1, 0}}}) {
    const Tensor t = TensorFromBits({c.dtype, {2}}, c.bits, Device::Sim(2));
    EXPECT_EQ(t.device(), Device::Sim(2));
    const program::TensorData data = DataOf(t);
    EXPECT_EQ(data.bits, c.bits) << DTypeName(c.dtype);
    EXPECT_EQ(data.dtype, c.dtype);
    EXPECT_EQ(data.shape, (Shape{2}));
  }
}

TEST(TensorData, ReadsThroughStridesAndKnowsOneNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor t = Tensor::FromData<double>({2, 2}, {1, 2, std::copysign(nan, -1.0), 4});
  const program::TensorData data = DataOf(t.AsStrided({2, 2}, {1, 2}, 0));
  EXPECT_EQ(data.bits[1], 0x7ff8000000000000);
  EXPECT_EQ(data.bits[2], std::bit_cast<uint64_t>(2.0));
}

TEST(TensorData, Empty) {
  EXPECT_TRUE(DataOf(TensorFromBits({DType::kF32, {0, 3}}, {}, Device::Cpu())).bits.empty());
}

}  // namespace
}  // namespace twingrad::runner
