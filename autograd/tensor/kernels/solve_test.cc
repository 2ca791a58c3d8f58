#include "autograd/tensor/kernels/solve.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

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

// Of n rows, in which the element of row i and column j is of(i, j).
template <typename Function>
Tensor SquareOf(int64_t n, Function of) {
  std::vector<double> elements;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) elements.push_back(of(i, j));
  }
  return Tensor::FromData<double>({n, n}, elements);
}

TEST(Solve, CofactorsOfSmallMatrices) {
  EXPECT_EQ(All(Cofactors(Matrices({3, 1, 1}, {2, 0, -3}))), (Doubles{1, 1, 1}));
  EXPECT_EQ(All(Cofactors(Matrices({3, 2, 2}, {1, 2, 3, 4, 1, 2, 2, 4, 0, 0, 0, 0}))),
            (Doubles{4, -3, -2, 1, 4, -2, -2, 1, 0, 0, 0, 0}));
  EXPECT_EQ(All(Cofactors(Matrices({3, 3}, {0, 8, 0, 0, 0, 4, 2, 0, 0}))),
            (Doubles{0, 8, 0, 0, 0, 16, 32, 0, 0}));
  EXPECT_EQ(Cofactors(Matrices({0, 0}, {})).numel(), 0);
}

// Of all ranks: cofactors times the transposed matrix are the determinant times the unit, and of
// one row and column alone when the rank is n - 1.
TEST(Solve, CofactorsOfMatricesOfEachRank) {
  const int64_t n = 12;
  for (int64_t rank = n - 3; rank <= n; ++rank) {
    // x xᵀ but for the diagonal, in which as many elements differ as the rank asks for.
    const auto x = [](int64_t i) { return static_cast<double>(i % 3) - 1.5; };
    const Tensor a = SquareOf(n, [&](int64_t i, int64_t j) {
      return x(i) * x(j) + (i == j && i < rank - 1 ? 2.0 : 0.0);
    });
    const Doubles cofactors = All(Cofactors(a)), elements = All(a);
    // The determinants of the minors, one by one.
    for (int64_t at = 0; at < n * n; ++at) {
      std::vector<double> minor;
      for (int64_t i = 0; i < n * n; ++i) {
        if (i / n != at / n && i % n != at % n) minor.push_back(elements[static_cast<size_t>(i)]);
      }
      const double sign = (at / n + at % n) % 2 == 0 ? 1 : -1;
      const double expected = sign * All(Det(Tensor::FromData<double>({n - 1, n - 1}, minor)))[0];
      EXPECT_NEAR(cofactors[static_cast<size_t>(at)], expected, 1e-10 * std::pow(2, n))
          << rank << " " << at;
    }
    const double greatest = *std::ranges::max_element(cofactors);
    if (rank < n - 1) {
      EXPECT_NEAR(greatest, 0, 1e-9);
    } else {
      EXPECT_GT(greatest, 100);
    }
  }
}

TEST(Solve, CofactorsOfGreatSmallAndInfiniteElements) {
  const int64_t n = 10;
  const auto with_diagonal = [&](double first, double second) {
    return SquareOf(n, [&](int64_t i, int64_t j) {
      return i != j || i == n - 1 ? 0.0 : i < n / 2 ? first : second;
    });
  };
  Doubles expected(static_cast<size_t>(n * n), 0);
  expected.back() = 0x1p-20;
  EXPECT_EQ(All(Cofactors(with_diagonal(0x1p-100, 0x1p120))), expected);
  // That of what is not 0 is beyond the format, and nothing else is.
  expected.back() = std::numeric_limits<double>::infinity();
  EXPECT_EQ(All(Cofactors(with_diagonal(0x1p200, 0x1p200))), expected);
  const double infinity = std::numeric_limits<double>::infinity();
  const Doubles some = All(Cofactors(Matrices({2, 2}, {infinity, 2, 3, 4})));
  EXPECT_EQ(some, (Doubles{4, -3, -2, infinity}));
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
