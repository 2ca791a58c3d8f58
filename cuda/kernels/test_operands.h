// What the tests of kernels share: operands of every awkward geometry on the host, and the same
// there; results compared with those of the host's kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/tensor.h"
#include "cuda/status.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {

inline constexpr DType kFloats[] = {DType::kF32, DType::kF64};
inline constexpr DType kNumbers[] = {DType::kF32, DType::kF64, DType::kI64};
inline constexpr DType kNarrow[] = {DType::kF16, DType::kBF16, DType::kI32};

inline constexpr Device kGpu = Device::Cuda(0);

class KernelsOnCudaTest : public testing::Test {
 protected:
  void SetUp() override {
    if (DeviceCount() == 0) GTEST_SKIP() << WhyNoDevice();
  }
};

// Small numbers of either sign, no two neighbours alike: sums of them are exact.
inline Tensor Numbers(Ints sizes, DType dtype, double scale = 1) {
  Tensor numbers = Tensor::Empty(sizes, DType::kF64);
  auto* const data = numbers.mutable_data<double>();
  for (int64_t i = 0; i < numbers.numel(); ++i) {
    data[i] = static_cast<double>(i * 7 % 13 - 6) * scale;
  }
  return kernels::Cast(numbers, dtype);
}

// Every other column, from the second on, of twice as many.
inline Tensor Strided(int64_t rows, int64_t columns, DType dtype, double scale = 1) {
  return Numbers({rows, 2 * columns + 1}, dtype, scale)
      .AsStrided({rows, columns}, {2 * columns + 1, 2}, 1);
}

// The same elements, in the same geometry, on the device.
inline Tensor There(const Tensor& here) {
  const int64_t all =
      static_cast<int64_t>(here.impl()->storage()->bytes() / ElementSize(here.dtype()));
  const Tensor whole = kernels::CopyTo(here.AsStrided({all}, {1}, 0), kGpu);
  return whole.AsStrided(here.sizes(), here.strides(), here.storage_offset());
}

inline double ValueAt(const Tensor& tensor, int64_t i) {
  return DispatchAll(tensor.dtype(), [&](auto zero) {
    return CastNumber<double>(tensor.data<decltype(zero)>()[i]);
  });
}

// Both contiguous, one there. Equal, or within so many parts of 2^-20 where a library of functions
// may differ.
inline void ExpectSame(const Tensor& there, const Tensor& here, double parts = 0) {
  ASSERT_EQ(there.device(), kGpu);
  ASSERT_EQ(there.dtype(), here.dtype());
  ASSERT_EQ(there.sizes(), here.sizes());
  const Tensor back = kernels::CopyTo(there, Device::Cpu());
  for (int64_t i = 0; i < here.numel(); ++i) {
    const double x = ValueAt(back, i), y = ValueAt(here, i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (parts > 0 && std::isfinite(x) && std::isfinite(y)) {
      ASSERT_NEAR(x, y, parts * std::ldexp(1 + std::fabs(y), -20)) << "element " << i;
    } else {
      ASSERT_EQ(x, y) << "element " << i;
    }
  }
}

// Sizes at which launches and blocks begin and end.
inline constexpr int64_t kSizes[] = {0,   1,     31,    32,    33,      255,    256,
                                     257, 65535, 65536, 65537, 262'143, 262'145};

}  // namespace twingrad::cuda
