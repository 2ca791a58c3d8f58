// Shares of rows, and the way back, against the same steps over whole tensors: the same bits.

#include "autograd/tensor/kernels/shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/elementary.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/reduce.h"

namespace twingrad::kernels {
namespace {

Tensor Numbers(Ints sizes, double step, DType dtype) {
  Tensor result = Tensor::Empty(sizes, DType::kF64);
  double* const elements = result.mutable_data<double>();
  for (int64_t i = 0; i < result.numel(); ++i) {
    elements[i] = 5 * std::sin(step * static_cast<double>(i * i));
  }
  return Cast(result, dtype);
}

Tensor ScalarOf(double value, DType dtype) { return Tensor::Scalar(value, dtype); }

Tensor SeenBy(int64_t rows, int64_t columns, bool is_causal) {
  Tensor seen = Tensor::Empty({rows, columns}, DType::kBool);
  bool* next = seen.mutable_data<bool>();
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) *next++ = !is_causal || j <= i;
  }
  return seen;
}

void ExpectSameBits(const Tensor& got, const Tensor& expected) {
  ASSERT_TRUE(got.sizes() == expected.sizes());
  const Tensor wide = Cast(got, DType::kF64), other = Cast(expected, DType::kF64);
  for (int64_t i = 0; i < got.numel(); ++i) {
    ASSERT_EQ(std::bit_cast<uint64_t>(wide.data<double>()[i]),
              std::bit_cast<uint64_t>(other.data<double>()[i]))
        << i;
  }
}

void ExpectAsInSteps(Ints sizes, DType dtype, bool is_causal) {
  const int64_t last = static_cast<int64_t>(sizes.size()) - 1;
  const Tensor seen = SeenBy(sizes[sizes.size() - 2], sizes.back(), is_causal);
  const Tensor zero = ScalarOf(0, dtype), scale = ScalarOf(0.3, dtype);
  const Tensor a = Numbers(sizes, 0.7, dtype), g = Numbers(sizes, 0.4, dtype);
  const Tensor scores = Where(seen, Mul(a, scale), ScalarOf(-INFINITY, dtype));
  const Tensor each = Each<ExpNumber>(Sub(scores, Amax(scores, {last}, true)));
  const Tensor shares = Where(seen, Div(each, Sum(each, {last}, true)), zero);
  Tensor got = Clone(a), back = Clone(g);
  ShareOut(got, 0.3, is_causal);
  ExpectSameBits(got, shares);

  const Tensor h = Where(seen, g, zero);
  const Tensor mean = Sum(Mul(h, shares), {last}, true);
  const Tensor expected = Where(seen, Mul(Mul(Sub(h, mean), shares), scale), zero);
  ShareOutBack(back, shares, 0.3, is_causal);
  ExpectSameBits(back, expected);
}

TEST(Shares, AsInSteps) {
  for (const bool is_causal : {false, true}) {
    for (const int64_t rows : {0, 1, 5, 40}) {
      for (const int64_t columns : {1, 2, 15, 31, 64, 133}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << " " << is_causal);
        ExpectAsInSteps({rows, columns}, DType::kF32, is_causal);
        ExpectAsInSteps({2, 3, rows, columns}, DType::kF32, is_causal);
        ExpectAsInSteps({2, rows, columns}, DType::kF64, is_causal);
      }
    }
  }
}

}  // namespace
}  // namespace twingrad::kernels
