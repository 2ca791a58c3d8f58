// The elementary functions of every kind of loops against the C library in a wider format: the
// error in units in the last place stays within the table of the witnesses, in every part of the
// domain, and special points have their exact values.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "autograd/tensor/kernels/processor/loops.h"

namespace twingrad::processor {
namespace {

template <typename T>
class ElementaryTest : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(ElementaryTest, Types);

template <typename T>
using Wider = std::conditional_t<sizeof(T) == 4, double, long double>;

constexpr uint64_t kSeed = 20240611;
const Loops* tested = nullptr;

// The largest error over points of [low, high], evenly spread or, if `by_size`, of all sizes there.
template <typename T, typename Function>
double LargestError(Unary op, Function exact, double low, double high, bool by_size = false) {
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> part(0, 1);
  std::vector<T> x(100'000);
  for (T& point : x) {
    const double u = part(random);
    point = static_cast<T>(by_size ? std::exp(std::log(low) + u * (std::log(high) - std::log(low)))
                                   : low + u * (high - low));
  }
  std::vector<T> y(x.size());
  tested->Of<T>().unary(op, x.data(), y.data(), static_cast<int64_t>(x.size()));
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    using Limits = std::numeric_limits<T>;
    const Wider<T> value = exact(static_cast<Wider<T>>(x[i]));
    const Wider<T> unit = std::fabs(value) * Limits::epsilon() + Limits::denorm_min();
    const auto error = static_cast<double>(std::fabs(y[i] - value) / unit);
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

// With those of each instruction set that this processor has.
template <typename Body>
void WithEveryLoops(Body body) {
  for (const Loops* loops : EveryLoops()) {
    SCOPED_TRACE(loops == &PlainLoops() ? "plain" : loops == &LoopsInUse() ? "best" : "between");
    tested = loops;
    body();
  }
}

TYPED_TEST(ElementaryTest, ErrorsOfExp) {
  using T = TypeParam;
  const auto exp = [](auto x) { return std::exp(x); };
  const double most = std::log(std::numeric_limits<T>::max());
  const double least = std::log(std::numeric_limits<T>::denorm_min());
  WithEveryLoops([&] {
    EXPECT_LE(LargestError<T>(Unary::kExp, exp, -1, 1), 1);
    EXPECT_LE(LargestError<T>(Unary::kExp, exp, least, most * (1 - 1e-7)), 1);
    EXPECT_LE(LargestError<T>(Unary::kExp, exp, least, 0.97 * least), 1);  // subnormal results
    EXPECT_LE(LargestError<T>(Unary::kExp, exp, 1e-30, 1, true), 1);
  });
}

TYPED_TEST(ElementaryTest, ErrorsOfLog) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const auto log = [](auto x) { return std::log(x); };
  WithEveryLoops([&] {
    EXPECT_LE(LargestError<T>(Unary::kLog, log, 0.5, 2), 1);
    EXPECT_LE(LargestError<T>(Unary::kLog, log, 0.999, 1.001), 1);
    EXPECT_LE(LargestError<T>(Unary::kLog, log, double{Limits::min()}, Limits::max(), true), 1);
    EXPECT_LE(
        LargestError<T>(Unary::kLog, log, double{16 * Limits::denorm_min()}, Limits::min(), true),
        1);
  });
}

TYPED_TEST(ElementaryTest, ErrorsOfTanhAndSigmoid) {
  using T = TypeParam;
  const auto tanh = [](auto x) { return std::tanh(x); };
  const auto sigmoid = [](auto x) { return 1 / (1 + std::exp(-x)); };
  WithEveryLoops([&] {
    const double limit = sizeof(T) == 4 ? 1 : 2.1;
    EXPECT_LE(LargestError<T>(Unary::kTanh, tanh, -0.5, 0.5), limit);
    EXPECT_LE(LargestError<T>(Unary::kTanh, tanh, -25, 25), limit);
    EXPECT_LE(LargestError<T>(Unary::kTanh, tanh, 1e-30, 1, true), limit);
    EXPECT_LE(LargestError<T>(Unary::kSigmoid, sigmoid, -1, 1), 3);
    EXPECT_LE(LargestError<T>(Unary::kSigmoid, sigmoid, -80, 80), 3);
  });
}

template <typename T>
T At(Unary op, T x) {
  T result;
  tested->Of<T>().unary(op, &x, &result, 1);
  return result;
}

TYPED_TEST(ElementaryTest, SpecialPoints) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T inf = Limits::infinity(), tiny = Limits::denorm_min(), most = Limits::max();
  WithEveryLoops([&] {
    for (const Unary op : {Unary::kExp, Unary::kLog, Unary::kTanh, Unary::kSigmoid}) {
      EXPECT_TRUE(std::isnan(At<T>(op, Limits::quiet_NaN()))) << static_cast<int>(op);
    }
    for (const T zero : {T(0.0), T(-0.0)}) {
      EXPECT_EQ(At<T>(Unary::kExp, zero), 1);
      EXPECT_EQ(At<T>(Unary::kLog, zero), -inf);
      EXPECT_EQ(At<T>(Unary::kSigmoid, zero), T(0.5));
      EXPECT_EQ(At<T>(Unary::kTanh, zero), 0);
      EXPECT_EQ(std::signbit(At<T>(Unary::kTanh, zero)), std::signbit(zero));
    }
    for (const T large : {inf, most, T(1000)}) {
      EXPECT_EQ(At<T>(Unary::kExp, large), inf);
      EXPECT_EQ(At<T>(Unary::kExp, -large), 0);
      EXPECT_EQ(At<T>(Unary::kTanh, large), 1);
      EXPECT_EQ(At<T>(Unary::kTanh, -large), -1);
      EXPECT_EQ(At<T>(Unary::kSigmoid, large), 1);
      EXPECT_EQ(At<T>(Unary::kSigmoid, -large), 0);
      EXPECT_TRUE(std::isnan(At<T>(Unary::kLog, -large)));
    }
    EXPECT_EQ(At<T>(Unary::kLog, inf), inf);
    EXPECT_EQ(At<T>(Unary::kLog, T(1)), 0);
    EXPECT_TRUE(std::isnan(At<T>(Unary::kLog, -tiny)));
    EXPECT_NEAR(At<T>(Unary::kLog, tiny), std::log(tiny), 1e-4);
    EXPECT_EQ(At<T>(Unary::kTanh, tiny), tiny);
    EXPECT_EQ(At<T>(Unary::kTanh, -tiny), -tiny);
    EXPECT_EQ(At<T>(Unary::kExp, tiny), 1);
  });
}

// What e^x leaves the format at, and the last points before.
TEST(Exp, EdgesOfTheFormat) {
  WithEveryLoops([] {
    EXPECT_EQ(At(Unary::kExp, 88.72283f), std::exp(88.72283f));
    EXPECT_EQ(At(Unary::kExp, 88.72284f), std::numeric_limits<float>::infinity());
    EXPECT_EQ(At(Unary::kExp, -103.97f), std::numeric_limits<float>::denorm_min());
    EXPECT_EQ(At(Unary::kExp, -103.98f), 0);
    EXPECT_TRUE(std::isfinite(At(Unary::kExp, 709.782712893383973)));
    EXPECT_EQ(At(Unary::kExp, 709.7827128933842), std::numeric_limits<double>::infinity());
    EXPECT_EQ(At(Unary::kExp, -745.13), std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(At(Unary::kExp, -745.14), 0);
  });
}

}  // namespace
}  // namespace twingrad::processor
