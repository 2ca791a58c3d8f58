#include "autograd/tensor/kernels/solve.h"

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "autograd/base/test_errors.h"
#include "autograd/tensor/kernels/test_values.h"
#include "gtest/gtest.h"

namespace twingrad::kernels {
namespace {

Tensor Matrices(std::initializer_list<int64_t> shape, std::initializer_list<double> elements) {
  return Make<double>(shape, elements);
}

Doubles All(const Tensor& t) { return Elements<double>(t); }

TEST(Solve, InverseOfMatricesThatNeedPivots) {
  const Tensor a = Matrices({2, 2, 2}, {0, 2, 4, 0, 1, 2, 2, 8});
  EXPECT_EQ(All(Inverse(a)), (Doubles{0, 0.25, 0.5, 0, 2, -0.5, -0.5, 0.25}));
  EXPECT_EQ(Inverse(Matrices({0, 0}, {})).numel(), 0);
  EXPECT_EQ(Inverse(Matrices({0, 2, 2}, {})).sizes()[0], 0);
}

// Rules: R10.
TEST(Solve, SingularAndOtherMatricesAreRefused) {
  EXPECT_EQ(KindOf([] { Inverse(Matrices({2, 2}, {1, 2, 2, 4})); }), ErrorKind::kDomain);
  EXPECT_EQ(KindOf([] { Inverse(Matrices({1, 1}, {0})); }), ErrorKind::kDomain);
  EXPECT_EQ(KindOf([] { Inverse(Matrices({1, 2}, {1, 2})); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([] { Inverse(Matrices({2}, {1, 2})); }), ErrorKind::kShape);
}

TEST(Solve, Determinants) {
  EXPECT_EQ(All(Det(Matrices({2, 2, 2}, {0, 2, 4, 0, 1, 2, 2, 4}))), (Doubles{-8, 0}));
  EXPECT_EQ(All(Det(Matrices({3, 3}, {0, 1, 0, 0, 0, 1, 2, 0, 0}))), (Doubles{2}));
  EXPECT_EQ(All(Det(Matrices({0, 0}, {}))), (Doubles{1}));
  EXPECT_EQ(All(Det(Matrices({2, 0, 0}, {}))), (Doubles{1, 1}));
}

TEST(Solve, Conditions) {
  EXPECT_TRUE(AreWellConditioned(Matrices({2, 2}, {1, 2, 3, 4})));
  EXPECT_FALSE(AreWellConditioned(Matrices({2, 2}, {1, 2, 2, 4})));
  EXPECT_FALSE(AreWellConditioned(Matrices({2, 2}, {1, 1, 1, 1 + 0x1p-40})));
  EXPECT_FALSE(AreWellConditioned(Matrices({1, 1}, {kNan})));
}

TEST(Solve, TrianglesReadNothingElse) {
  const Tensor lower = Matrices({2, 2}, {2, kNan, 1, 4}), upper = Matrices({2, 2}, {2, 1, kNan, 4});
  const Tensor b = Matrices({2, 2}, {2, 4, 9, 8});
  EXPECT_EQ(All(SolveTriangular(lower, b, false)), (Doubles{1, 2, 2, 1.5}));
  EXPECT_EQ(All(SolveTriangular(upper, b, true)), (Doubles{-0.125, 1, 2.25, 2}));
  EXPECT_EQ(All(SolveTriangular(Matrices({1, 1}, {0}), Matrices({1, 1}, {1}), false)),
            (Doubles{std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(KindOf([&] {
              SolveTriangular(lower, Matrices({2}, {1, 2}), false);
            }),
            ErrorKind::kShape);
}

TEST(Solve, CholeskyReadsTheLowerTriangle) {
  EXPECT_EQ(All(Cholesky(Matrices({2, 2}, {4, kNan, 2, 10}))), (Doubles{2, 0, 1, 3}));
  EXPECT_EQ(KindOf([] { Cholesky(Matrices({2, 2}, {1, 2, 2, 1})); }), ErrorKind::kDomain);
  EXPECT_EQ(KindOf([&] { Cholesky(Matrices({1, 1}, {kNan})); }), ErrorKind::kDomain);
}

TEST(Solve, SingleNumbersAreRoundedOnce) {
  const Tensor a = Make<float>({2, 2}, {3, 1, 1, 3});
  const Tensor x = Inverse(a);
  EXPECT_EQ(x.data<float>()[0], static_cast<float>(0.375));
  EXPECT_EQ(Det(a).data<float>()[0], 8);
}

}  // namespace
}  // namespace twingrad::kernels
