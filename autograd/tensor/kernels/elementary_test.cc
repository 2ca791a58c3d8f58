#include "autograd/tensor/kernels/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/tensor/kernels/arithmetic.h"
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

// Matrices too narrow for bands, in bands, and so large that results pass the caches by.
template <typename T>
void CompareTransposed(int64_t rows, int64_t columns) {
  Tensor a = Tensor::Empty({columns, rows}, kDTypeOf<T>);
  T* const x = a.mutable_data<T>();
  for (int64_t i = 0; i < a.numel(); ++i) x[i] = static_cast<T>(i % 1999 - 999) / 8;
  const Tensor expected = Each<ExpNumber>(a), exp = Each<ExpNumber>(Transposed(a));
  const Tensor sum = Add(Transposed(expected), exp), gate = IsPositive(Transposed(a));
  ASSERT_TRUE(exp.IsContiguous());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      const T value = expected.data<T>()[j * rows + i];
      ASSERT_EQ(exp.data<T>()[i * columns + j], value) << i << ", " << j;
      ASSERT_EQ(sum.data<T>()[i * columns + j], value + value) << i << ", " << j;
      ASSERT_EQ(gate.data<bool>()[i * columns + j], x[j * rows + i] > 0) << i << ", " << j;
    }
  }
}

TEST(Elementary, TransposedMatricesOfEverySize) {
  for (const int64_t rows : {1, 5, 16, 100}) {
    for (const int64_t columns : {20, 79, 130, 1300}) {
      CompareTransposed<float>(rows, columns);
      CompareTransposed<double>(rows, columns);
    }
  }
  constexpr int64_t kStreamed = int64_t{32} << 20, kColumns = 1700;
  CompareTransposed<float>(kStreamed / 4 / kColumns + 1, kColumns);
  CompareTransposed<double>(kStreamed / 8 / kColumns + 1, kColumns);
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
