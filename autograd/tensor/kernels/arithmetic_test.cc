#include "autograd/tensor/kernels/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/tensor/kernels/test_values.h"

namespace twingrad::kernels {
namespace {

TEST(Arithmetic, EqualShapes) {
  const Tensor a = Make<double>({2, 2}, {1, 2, 3, 4});
  const Tensor b = Make<double>({2, 2}, {5, 6, 7, 8});
  EXPECT_EQ(Elements<double>(Add(a, b)), (Doubles{6, 8, 10, 12}));
  EXPECT_EQ(Elements<double>(Sub(a, b)), (Doubles{-4, -4, -4, -4}));
  EXPECT_EQ(Elements<double>(Mul(a, b)), (Doubles{5, 12, 21, 32}));
  EXPECT_EQ(Elements<double>(Div(b, a)), (Doubles{5, 3, 7. / 3, 2}));
  EXPECT_EQ(Elements<double>(Pow(a, Make<double>({2, 2}, {2, 3, 2, 0.5}))), (Doubles{1, 8, 9, 2}));
  EXPECT_EQ(Elements<double>(Maximum(a, Make<double>({}, {2.5}))), (Doubles{2.5, 2.5, 3, 4}));
}

TEST(Arithmetic, Scalars) {
  const Tensor c = Mul(Tensor::Scalar(3), Tensor::Scalar(4));
  EXPECT_TRUE(SizesOf(c).empty());
  EXPECT_EQ(Elements<double>(c), (Doubles{12}));
}

TEST(Arithmetic, BroadcastsBothSides) {
  const Tensor c = Add(Make<float>({2, 1}, {10, 20}), Make<float>({3}, {1, 2, 3}));
  EXPECT_EQ(SizesOf(c), (Integers{2, 3}));
  EXPECT_EQ(Elements<float>(c), (std::vector<float>{11, 12, 13, 21, 22, 23}));
}

TEST(Arithmetic, ReadsThroughStrides) {
  const Tensor a = Make<int64_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor c = Sub(Transposed(a), Make<int64_t>({3, 2}, {1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(Elements<int64_t>(c), (Integers{0, 3, 1, 4, 2, 5}));
  EXPECT_TRUE(c.IsContiguous());
}

TEST(Arithmetic, EmptyTensors) {
  const Tensor c = Mul(Make<double>({0, 2}, {}), Make<double>({2}, {1, 2}));
  EXPECT_EQ(SizesOf(c), (Integers{0, 2}));
  EXPECT_EQ(c.numel(), 0);
}

// The vectorised path and the plain one give the same bits.
TEST(Arithmetic, LargeTensorsMatchSingleElements) {
  std::vector<double> x, y;
  for (int i = 0; i < 1001; ++i) {
    x.push_back(std::sin(i) * 1e3);
    y.push_back(std::cos(i) + 1.5);
  }
  const Tensor a = Tensor::FromData<double>({1001}, x), b = Tensor::FromData<double>({1001}, y);
  const Doubles sum = Elements<double>(Add(a, b)), difference = Elements<double>(Sub(a, b));
  const Doubles product = Elements<double>(Mul(a, b)), ratio = Elements<double>(Div(a, b));
  for (int i = 0; i < 1001; ++i) {
    EXPECT_EQ(sum[i], x[i] + y[i]);
    EXPECT_EQ(difference[i], x[i] - y[i]);
    EXPECT_EQ(product[i], x[i] * y[i]);
    EXPECT_EQ(ratio[i], x[i] / y[i]);
  }
}

// Rules: R3.
TEST(Arithmetic, IntegerPow) {
  const Tensor a = Make<int64_t>({3}, {2, -3, 0});
  EXPECT_EQ(Elements<int64_t>(Pow(a, Make<int64_t>({3}, {10, 3, 0}))), (Integers{1024, -27, 1}));
  try {
    Pow(a, Make<int64_t>({1}, {-2}));
    FAIL() << "accepted a negative integer exponent";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDomain);
  }
  EXPECT_EQ(Pow(Make<int64_t>({0}, {}), Make<int64_t>({1}, {-2})).numel(), 0);
}

TEST(Arithmetic, Masks) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor a = Make<double>({4}, {1, 2, 3, nan});
  const Tensor b = Make<double>({4}, {2, 2, 2, 2});
  EXPECT_EQ(Elements<double>(MaximumWeight(a, b)), (Doubles{0, 0.5, 1, 1}));
  EXPECT_EQ(Elements<double>(MaximumWeight(b, a)), (Doubles{1, 0.5, 0, 1}));
  const Tensor base = Make<double>({6}, {0, 0, 0, 2, nan, 1e-310});
  const Tensor exponent = Make<double>({6}, {0, 1, -1, 0, 0, 0});
  EXPECT_EQ(Elements<bool>(PowIsFlatInBase(base, exponent)),
            (std::vector<bool>{true, false, false, false, true, false}));
  EXPECT_EQ(Elements<bool>(PowIsSteepInBase(base, exponent)),
            (std::vector<bool>{false, false, false, false, false, true}));
  EXPECT_FALSE(PowIsSteepInBase(exponent, base).defined());
  EXPECT_EQ(Elements<bool>(PowIsFlatInExponent(base, exponent)),
            (std::vector<bool>{true, true, false, false, false, false}));
}

TEST(Arithmetic, AddsInPlace) {
  Tensor a = Make<double>({2, 2}, {1, 2, 3, 4});
  AddInto(a, Transposed(Make<double>({2, 2}, {10, 20, 30, 40})));
  EXPECT_EQ(Elements<double>(a), (Doubles{11, 32, 23, 44}));
  AddInto(a, a);
  EXPECT_EQ(Elements<double>(a), (Doubles{22, 64, 46, 88}));
  EXPECT_THROW(AddInto(a, Tensor::Scalar(1)), Error);
}

TEST(Arithmetic, RefusesWhatIsNotANumber) {
  const Tensor a = Make<bool>({1}, {true});
  EXPECT_THROW(Add(a, a), Error);
  const Tensor i = Make<int64_t>({1}, {1});
  EXPECT_THROW(Div(i, i), Error);
  EXPECT_THROW(Add(i, Tensor::Scalar(1)), Error);
  EXPECT_THROW(Add(Make<double>({2}, {1, 2}), Make<double>({3}, {1, 2, 3})), Error);
}

}  // namespace
}  // namespace twingrad::kernels
