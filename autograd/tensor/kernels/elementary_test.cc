#include "autograd/tensor/kernels/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/tensor/kernels/test_values.h"

namespace twingrad::kernels {
namespace {

// Those of processor/elementary.inc have tests of their own.
TEST(Elementary, EachFunctionIsTheOneThatItsNameSays) {
  const Tensor a = Make<double>({3}, {0.25, 1, 2.5});
  for (int i = 0; i < 3; ++i) {
    const double x = Elements<double>(a)[i];
    EXPECT_DOUBLE_EQ(Elements<double>(Each<ExpNumber>(a))[i], std::exp(x));
    EXPECT_DOUBLE_EQ(Elements<double>(Each<LogNumber>(a))[i], std::log(x));
    EXPECT_EQ(Elements<double>(Each<SqrtNumber>(a))[i], std::sqrt(x));
    EXPECT_EQ(Elements<double>(Each<SinNumber>(a))[i], std::sin(x));
    EXPECT_EQ(Elements<double>(Each<CosNumber>(a))[i], std::cos(x));
    EXPECT_DOUBLE_EQ(Elements<double>(Each<TanhNumber>(a))[i], std::tanh(x));
    EXPECT_DOUBLE_EQ(Elements<double>(Each<SigmoidNumber>(a))[i], 1 / (1 + std::exp(-x)));
  }
}

TEST(Elementary, SingleAndManyElementsAgree) {
  std::vector<float> x;
  for (int i = 0; i < 500; ++i) x.push_back(0.01f * static_cast<float>(i) + 0.1f);
  const Tensor many = Tensor::FromData<float>({500}, x);
  const auto all = Elements<float>(Each<TanhNumber>(many));
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(all[i], Elements<float>(Each<TanhNumber>(Make<float>({}, {x[i]})))[0]);
  }
}

TEST(Elementary, PiecewiseFunctions) {
  const Tensor a = Make<double>({3}, {-2, 0, 3});
  EXPECT_EQ(Elements<double>(Each<NegNumber>(a)), (Doubles{2, 0, -3}));
  EXPECT_EQ(Elements<double>(Each<AbsNumber>(a)), (Doubles{2, 0, 3}));
  EXPECT_EQ(Elements<double>(Each<ReluNumber>(a)), (Doubles{0, 0, 3}));
  EXPECT_EQ(Elements<double>(Each<SgnNumber>(a)), (Doubles{-1, 0, 1}));
  EXPECT_EQ(Elements<bool>(IsPositive(a)), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(Elements<bool>(IsZero(a)), (std::vector<bool>{false, true, false}));
}

TEST(Elementary, IntegersAndStrides) {
  const Tensor a = Transposed(Make<int64_t>({2, 2}, {-1, 2, -3, 4}));
  EXPECT_EQ(Elements<int64_t>(Each<AbsNumber>(a)), (Integers{1, 3, 2, 4}));
  EXPECT_EQ(Elements<int64_t>(Each<ReluNumber>(a)), (Integers{0, 0, 2, 4}));
  const int64_t min = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(Elements<int64_t>(Each<NegNumber>(Make<int64_t>({1}, {min})))[0], min);
  EXPECT_THROW(Each<ExpNumber>(a), Error);
  EXPECT_EQ(Each<ExpNumber>(Make<double>({0}, {})).numel(), 0);
}

}  // namespace
}  // namespace twingrad::kernels
