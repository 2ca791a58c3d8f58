// The loops of each instruction set that this processor has against the plain ones, which compute
// an element at a time: the same bits, for each operation of arithmetic, at special points, at each
// count up to some vectors, at each alignment, with operands side by side or repeated, and with a
// result in place of one.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <type_traits>
#include <vector>

#include "autograd/tensor/kernels/processor/loops.h"

namespace twingrad::processor {
namespace {

template <typename T>
class BestTest : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(BestTest, Types);

template <typename T>
std::vector<T> Points() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> points = {0,
                           1,
                           2,
                           T(0.1),
                           3,
                           Limits::min(),
                           Limits::denorm_min(),
                           Limits::max(),
                           Limits::infinity(),
                           Limits::epsilon(),
                           T(1e-3),
                           T(12345.678)};
  for (size_t i = 0, size = points.size(); i < size; ++i) points.push_back(-points[i]);
  points.push_back(Limits::quiet_NaN());
  return points;
}

// Special points in pairs, then others.
template <typename T>
void Fill(std::vector<T>& a, std::vector<T>& b, size_t shift) {
  const std::vector<T> points = Points<T>();
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = points[(i + shift) % points.size()];
    b[i] = points[(i / 3 + 7 * shift) % points.size()];
  }
}

template <typename T>
bool SameBits(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  if (std::isnan(a) && std::isnan(b)) return true;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

constexpr int64_t kCounts = 70;
constexpr size_t kGuard = 8;

TYPED_TEST(BestTest, ArithmeticOfTwoHasThePlainBits) {
  using T = TypeParam;
  const auto& plain = PlainLoops().Of<T>();
  std::vector<T> a(kCounts + 1), b(kCounts + 1);
  for (const Loops* loops : EveryLoops()) {
    const auto& best = loops->Of<T>();
    for (const Binary op : {Binary::kAdd, Binary::kSub, Binary::kMul, Binary::kDiv,
                            Binary::kMaximum, Binary::kMinimum, Binary::kGated}) {
      for (int64_t count = 0; count <= kCounts; ++count) {
        Fill(a, b, static_cast<size_t>(count));
        const int64_t first = count % 2;  // off the alignment of vectors
        if (first + count > kCounts) continue;
        for (int steps = 0; steps < 4; ++steps) {
          std::vector<T> x(static_cast<size_t>(count) + kGuard, T(7)), y = x;
          best.binary(op, a.data() + first, steps & 1, b.data() + first, steps >> 1, x.data(),
                      count);
          plain.binary(op, a.data() + first, steps & 1, b.data() + first, steps >> 1, y.data(),
                       count);
          for (size_t i = 0; i < x.size(); ++i) {
            ASSERT_TRUE(SameBits(x[i], y[i]))
                << static_cast<int>(op) << " at " << i << " of " << count << ": " << x[i] << " and "
                << y[i] << " steps " << steps;
          }
        }
      }
    }
  }
}

// Small parts of small results and of large ones, which pass the caches by, with and without
// something that is read next.
TYPED_TEST(BestTest, RowsAreLoopsOneAfterTheOther) {
  using T = TypeParam;
  constexpr int64_t kRows = 3, kRowStep = 300;
  std::vector<T> a(kRows * kRowStep), b(a.size());
  Fill(a, b, 5);
  const auto compare = [&](const auto& best, int64_t count, int steps, int64_t whole) {
    RowsOf<T> x{a.data(), steps & 1, steps & 2 ? kRowStep : 0};
    const RowsOf<T> y{b.data(), steps >> 2 & 1, steps & 8 ? kRowStep : 0};
    if (steps % 3 == 0) x.ahead = b.data(), x.ahead_step = steps - 5;
    const int64_t out_step = count + steps % 3;
    std::vector<T> out(static_cast<size_t>(kRows * out_step), T(7)), expected = out;
    best.binary_rows(Binary::kSub, x, y, {out.data(), out_step, kRows, count, whole});
    for (int64_t row = 0; row < kRows; ++row) {
      best.binary(Binary::kSub, x.first + row * x.row_step, x.step, y.first + row * y.row_step,
                  y.step, expected.data() + row * out_step, count);
    }
    for (size_t i = 0; i < out.size(); ++i) ASSERT_TRUE(SameBits(out[i], expected[i]));
    x.step = 1;
    best.unary_rows(Unary::kExp, x, {out.data(), out_step, kRows, count, whole});
    for (int64_t row = 0; row < kRows; ++row) {
      best.unary(Unary::kExp, x.first + row * x.row_step, expected.data() + row * out_step, count);
    }
    for (size_t i = 0; i < out.size(); ++i) ASSERT_TRUE(SameBits(out[i], expected[i]));
  };
  for (const Loops* loops : EveryLoops()) {
    for (const int64_t count : {1, 16, 35, 290}) {
      for (int steps = 0; steps < 16; ++steps) {
        for (const int64_t whole : {kRows * count, int64_t{1} << 30}) {
          compare(loops->Of<T>(), count, steps, whole);
        }
      }
    }
  }
}

// Results as large as those that pass the caches by, from each place in a line of them on.
TYPED_TEST(BestTest, LargeResultsHaveTheBitsOfSmallOnes) {
  using T = TypeParam;
  constexpr int64_t kCount = 16411, kRows = (int64_t{32} << 20) / (kCount * sizeof(T)) + 1;
  std::vector<T> a(kCount), b(kCount), expected(kCount), out(kRows * (kCount + 1) + kGuard);
  Fill(a, b, 3);
  const auto has_expected = [&](int64_t at) {
    for (int64_t i = 0; i < kCount; ++i) {
      if (!SameBits(out[static_cast<size_t>(at + i)], expected[static_cast<size_t>(i)]))
        return false;
    }
    return true;
  };
  for (const Loops* loops : EveryLoops()) {
    const auto& best = loops->Of<T>();
    std::fill(out.begin(), out.end(), T(7));
    const ResultRows<T> results = {out.data() + 1, kCount + 1, kRows, kCount, kRows * kCount};
    // An element of b for each row.
    best.binary_rows(Binary::kSub, {a.data(), 1, 0}, {b.data(), 0, 1}, results);
    for (int64_t row = 0; row < kRows; ++row) {
      best.binary(Binary::kSub, a.data(), 1, b.data() + row, 0, expected.data(), kCount);
      ASSERT_TRUE(has_expected(1 + row * (kCount + 1))) << "row " << row;
    }
    best.binary(Binary::kSub, a.data(), 1, b.data(), 1, expected.data(), kCount);
    best.binary_rows(Binary::kSub, {a.data(), 1, 0}, {b.data(), 1, 0}, results);
    for (int64_t row = 0; row < kRows; ++row) {
      ASSERT_EQ(out[static_cast<size_t>(row * (kCount + 1))], T(7)) << "before row " << row;
      ASSERT_TRUE(has_expected(1 + row * (kCount + 1))) << "row " << row;
    }
    // In place, over the rows and what is between them.
    best.unary(Unary::kNeg, out.data() + 1, out.data() + 1, kRows * (kCount + 1) - 1);
    best.unary(Unary::kNeg, expected.data(), expected.data(), kCount);
    EXPECT_EQ(out[0], T(7));
    for (int64_t row = 0; row < kRows; ++row) {
      ASSERT_TRUE(has_expected(1 + row * (kCount + 1))) << "row " << row;
    }
  }
}

TYPED_TEST(BestTest, ThePlainLoopsAreTheOperators) {
  using T = TypeParam;
  const std::vector<T> points = Points<T>();
  const auto& plain = PlainLoops().Of<T>();
  for (const T x : points) {
    for (const T y : points) {
      const auto result = [&](Binary op) {
        T out;
        plain.binary(op, &x, 1, &y, 1, &out, 1);
        return out;
      };
      EXPECT_TRUE(SameBits(result(Binary::kAdd), x + y));
      EXPECT_TRUE(SameBits(result(Binary::kSub), x - y));
      EXPECT_TRUE(SameBits(result(Binary::kMul), x * y));
      EXPECT_TRUE(SameBits(result(Binary::kDiv), x / y));
      const bool has_nan = std::isnan(x) || std::isnan(y);
      EXPECT_TRUE(SameBits(result(Binary::kMaximum), has_nan ? x + y : x < y ? y : x));
      EXPECT_TRUE(SameBits(result(Binary::kMinimum), has_nan ? x + y : y < x ? y : x));
      EXPECT_TRUE(SameBits(result(Binary::kGated), y > 0 ? x : T(0)));
    }
    const auto result = [&](Unary op) {
      T out;
      plain.unary(op, &x, &out, 1);
      return out;
    };
    EXPECT_TRUE(SameBits(result(Unary::kNeg), -x));
    EXPECT_TRUE(SameBits(result(Unary::kAbs), std::fabs(x)));
    EXPECT_TRUE(SameBits(result(Unary::kRelu), x > 0 ? x : std::isnan(x) ? x : T(0)));
    EXPECT_TRUE(SameBits(result(Unary::kSqrt), std::sqrt(x)));
  }
}

TYPED_TEST(BestTest, AResultMayTakeThePlaceOfAnOperand) {
  using T = TypeParam;
  for (const Loops* loops : EveryLoops())
    for (int64_t count = 0; count <= kCounts; ++count) {
      const auto& best = loops->Of<T>();
      std::vector<T> a(static_cast<size_t>(count)), b(a.size());
      for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(i), b[i] = T(100) + a[i];
      best.binary(Binary::kAdd, a.data(), 1, b.data(), 1, a.data(), count);
      best.unary(Unary::kNeg, a.data(), a.data(), count);
      for (size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], -(T(100) + T(2) * static_cast<T>(i)));
    }
}

// Elementary functions have their own bits for each instruction set, but at each place the same.
TYPED_TEST(BestTest, FunctionsDoNotDependOnThePlace) {
  using T = TypeParam;
  for (const Loops* kind : EveryLoops()) {
    const auto& loops = kind->Of<T>();
    std::vector<T> a(kCounts), unused(kCounts);
    Fill(a, unused, 5);
    for (int op = static_cast<int>(Unary::kNeg); op <= static_cast<int>(Unary::kSigmoid); ++op) {
      std::vector<T> alone(kCounts);
      for (size_t i = 0; i < alone.size(); ++i) {
        loops.unary(static_cast<Unary>(op), &a[i], &alone[i], 1);
      }
      for (int64_t count = 0; count <= kCounts; ++count) {
        std::vector<T> x(static_cast<size_t>(count) + kGuard, T(7));
        const size_t first = static_cast<size_t>(kCounts - count);
        loops.unary(static_cast<Unary>(op), a.data() + first, x.data(), count);
        for (size_t i = 0; i < x.size(); ++i) {
          const T expected = i < static_cast<size_t>(count) ? alone[first + i] : T(7);
          ASSERT_TRUE(SameBits(x[i], expected))
              << op << " of " << a[first + i] << " at " << i << " of " << count;
        }
      }
    }
  }
}

TYPED_TEST(BestTest, TestsAndChoices) {
  using T = TypeParam;
  std::vector<T> a(kCounts), b(kCounts);
  Fill(a, b, 1);
  for (const Loops* loops : EveryLoops())
    for (int64_t count = 0; count <= kCounts; ++count) {
      const auto& best = loops->Of<T>();
      bool positive[kCounts + 1] = {}, zero[kCounts + 1] = {};
      best.test(Test::kIsPositive, a.data(), positive, count);
      best.test(Test::kIsZero, a.data(), zero, count);
      EXPECT_FALSE(positive[count] || zero[count]);
      for (int steps = 0; steps < 4; ++steps) {
        std::vector<T> chosen(static_cast<size_t>(count) + 1, T(7));
        best.select(positive, a.data(), steps & 1, b.data(), steps >> 1, chosen.data(), count);
        EXPECT_EQ(chosen.back(), 7);
        for (int64_t i = 0; i < count; ++i) {
          const auto at = static_cast<size_t>(i);
          ASSERT_EQ(positive[i], a[at] > 0);
          ASSERT_EQ(zero[i], a[at] == 0);
          const T expected = positive[i] ? a[steps & 1 ? at : 0] : b[steps >> 1 ? at : 0];
          ASSERT_TRUE(SameBits(chosen[at], expected));
        }
      }
    }
}

// The order that loops.h tells, written here.
template <typename T>
T SumInOrder(const std::vector<T>& a) {
  constexpr auto kLanes = static_cast<size_t>(kSumLanes<T>);
  std::vector<T> sums(a.size() < kLanes ? 1 : kLanes, T(0));
  for (size_t i = 0; i < a.size(); ++i) sums[i % sums.size()] += a[i];
  for (size_t half = sums.size() / 2; half > 0; half /= 2) {
    for (size_t k = 0; k < half; ++k) sums[k] += sums[k + half];
  }
  return sums[0];
}

TYPED_TEST(BestTest, SumsHaveTheBitsOfTheirOrder) {
  using T = TypeParam;
  const std::vector<T> zeros(100, T(-0.0));
  for (const Loops* loops : EveryLoops()) {
    for (size_t count = 0; count < 300; ++count) {
      std::vector<T> a;
      for (size_t i = 0; i < count; ++i) a.push_back(static_cast<T>(std::sin(double(i * i))));
      const T sum = loops->Of<T>().sum(a.data(), static_cast<int64_t>(count));
      ASSERT_TRUE(SameBits(sum, SumInOrder(a))) << count;
    }
    for (const int64_t count : {1, 40, 100}) {
      EXPECT_FALSE(std::signbit(loops->Of<T>().sum(zeros.data(), count)));
    }
  }
}

TYPED_TEST(BestTest, LargeSumsAreOfQuarters) {
  using T = TypeParam;
  constexpr auto kLarge = static_cast<size_t>(kQuarteredSum<T>);
  std::vector<T> a(kLarge + 3);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(i * 7919 % 10007) / T(3) - T(1600);
  for (const size_t count : {kLarge - 1, kLarge, kLarge + 3}) {
    T expected = 0;
    if (count < kLarge) {
      expected = SumInOrder(std::vector<T>(a.begin(), a.begin() + static_cast<ptrdiff_t>(count)));
    } else {
      const auto quarter = [&](ptrdiff_t k) {
        const auto size = static_cast<ptrdiff_t>(count / 4);
        return SumInOrder(std::vector<T>(a.begin() + k * size, a.begin() + (k + 1) * size));
      };
      expected = (quarter(0) + quarter(1)) + (quarter(2) + quarter(3));
      for (size_t i = count / 4 * 4; i < count; ++i) expected += a[i];
    }
    for (const Loops* loops : EveryLoops()) {
      const T sum = loops->Of<T>().sum(a.data(), static_cast<int64_t>(count));
      ASSERT_TRUE(SameBits(sum, expected)) << count << ": " << sum << ", not " << expected;
    }
  }
}

TYPED_TEST(BestTest, Transposes) {
  using T = TypeParam;
  std::vector<T> a(110 * 50);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(i);
  for (int64_t rows = 0; rows < 20; ++rows) {
    for (const int64_t columns : {0, 1, 3, 4, 9, 16, 31, 110}) {
      for (const Loops* loops : EveryLoops()) {
        const int64_t out_step = columns + rows % 3;
        std::vector<T> out(static_cast<size_t>(rows * out_step + 1), T(-1));
        loops->Of<T>().transpose(a.data(), 50, rows, columns, out.data(), out_step);
        EXPECT_EQ(out.back(), -1);
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t j = 0; j < out_step; ++j) {
            ASSERT_EQ(out[static_cast<size_t>(i * out_step + j)], j < columns ? T(i + 50 * j) : -1);
          }
        }
      }
    }
  }
}

TEST(Product, SmallIntegersOfEverySize) {
  for (const Loops* loops : EveryLoops()) {
    for (const int64_t m : {1, 5, 6, 13, 100}) {
      for (const int64_t n : {1, 4, 7, 16, 33}) {
        const int64_t k = 3 * m;
        std::vector<double> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(k * n));
        for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 7) - 3;
        for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 5) - 2;
        const Matrix<double> x{a.data(), m, k, k, 1}, y{b.data(), k, n, n, 1};
        std::vector<double> out(static_cast<size_t>(m * n));
        std::vector<double> scratch(static_cast<size_t>(loops->scratch_elements(x, y)));
        loops->product(x, y, out.data(), scratch.data());
        for (int64_t i = 0; i < m; ++i) {
          for (int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (int64_t t = 0; t < k; ++t) {
              sum += a[static_cast<size_t>(i * k + t)] * b[static_cast<size_t>(t * n + j)];
            }
            ASSERT_EQ(out[static_cast<size_t>(i * n + j)], sum) << m << "x" << k << "x" << n;
          }
        }
      }
    }
  }
}

TEST(Setting, PlainLoopsAreUsedWhileTheyAreAskedFor) {
  Use(Kernels::kPlain);
  EXPECT_TRUE(UsesPlain());
  EXPECT_EQ(&LoopsInUse(), &PlainLoops());
  Use(Kernels::kBest);
  EXPECT_FALSE(UsesPlain());
}

TEST(Setting, WhatIsWorthALibrary) {
  EXPECT_TRUE(IsWorth(8, 8));
  EXPECT_FALSE(IsWorth(7, 8));
  Use(Kernels::kPlain);
  EXPECT_FALSE(IsWorth(8, 8));
  Use(Kernels::kLibrary);
  EXPECT_TRUE(IsWorth(1, 8));
  EXPECT_FALSE(IsWorth(0, 8));
  EXPECT_NE(&LoopsInUse(), &PlainLoops());
  Use(Kernels::kBest);
}

TEST(Setting, EveryKindIsThereOnceAndTheBestFirst) {
  const std::vector<const Loops*> every = EveryLoops();
  EXPECT_EQ(every.front(), &LoopsInUse());
  EXPECT_EQ(every.back(), &PlainLoops());
  EXPECT_EQ(std::set<const Loops*>(every.begin(), every.end()).size(), every.size());
}

// Windows at steps of 1 to 3 with NaN and ties among their entries, against a search by hand; rows
// that end where memory does.
TYPED_TEST(BestTest, TheGreatestAndTheSumsOfWindows) {
  using T = TypeParam;
  for (const Loops* loops : EveryLoops()) {
    for (int64_t step = 1; step <= 3; ++step) {
      for (const int64_t count : {1, 2, 7, 16, 17, 40}) {
        for (const std::vector<int64_t>& places :
             {std::vector<int64_t>{0}, {0, 1}, {1, 2, 9, 10, 11}}) {
          const int64_t size = places.back() + (count - 1) * step + 1;
          std::vector<T> plane(static_cast<size_t>(size)), values(count, T(7));
          for (int64_t i = 0; i < size; ++i) {
            plane[i] = i % 13 == 5 ? std::numeric_limits<T>::quiet_NaN() : T(i * i * 7 % 11);
          }
          std::vector<int64_t> index(count, -1);
          std::vector<T> sums(count);
          const RowOfWindows<T> row{
              plane.data(), size, places.data(), static_cast<int64_t>(places.size()), step, count};
          loops->Of<T>().greatest(row, values.data(), index.data());
          loops->Of<T>().window_sums(row, sums.data());
          for (int64_t i = 0; i < count; ++i) {
            int64_t best = places[0] + i * step;
            T sum = 0;
            for (const int64_t place : places) {
              sum += plane[place + i * step];
              const T x = plane[place + i * step];
              if (!std::isnan(plane[best]) && !(x <= plane[best])) best = place + i * step;
            }
            ASSERT_EQ(index[i], best) << "window " << i << " of " << count << ", step " << step;
            ASSERT_TRUE(SameBits(values[i], plane[best]));
            ASSERT_TRUE(SameBits(sums[i], sum));
          }
        }
      }
    }
  }
}

TYPED_TEST(BestTest, SumsOfWeighedRows) {
  using T = TypeParam;
  std::vector<T> a(3 * kCounts), b(a.size());
  Fill(a, b, 3);
  for (const Loops* loops : EveryLoops()) {
    for (int64_t terms = 0; terms <= 3; ++terms) {
      for (int64_t count = 0; count <= kCounts; ++count) {
        const int64_t step = (count + terms) % 2;
        const T* const rows[] = {a.data(), a.data() + kCounts, a.data() + 2 * count};
        const T* const weights[] = {b.data() + count, b.data(), b.data() + kCounts};
        std::vector<T> out(static_cast<size_t>(count) + kGuard, T(7));
        loops->Of<T>().weighed_sums(rows, weights, step, terms, out.data(), count);
        for (int64_t i = 0; i < count; ++i) {
          T sum = 0;
          for (int64_t k = 0; k < terms; ++k) sum += rows[k][i] * weights[k][i * step];
          ASSERT_TRUE(SameBits(out[static_cast<size_t>(i)], sum)) << i << " of " << count;
        }
        for (size_t i = 0; i < kGuard; ++i) ASSERT_EQ(out[static_cast<size_t>(count) + i], T(7));
      }
    }
  }
}

}  // namespace
}  // namespace twingrad::processor
