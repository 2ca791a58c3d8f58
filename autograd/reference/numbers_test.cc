#include "autograd/reference/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

constexpr const FloatFormat& kD = kF64Format;
constexpr const FloatFormat& kS = kF32Format;
constexpr const FloatFormat* kFormats[] = {&kF64Format, &kF32Format, &kF16Format, &kBF16Format};
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(NumbersTest, SmallIntegersStayExact) {
  EXPECT_EQ(Add({3, 0}, {4, 0}, kS).e, 0);
  EXPECT_EQ(Multiply({3, 0}, {-7, 0}, kS).e, 0);
  EXPECT_EQ(Multiply({3, 0}, {-7, 0}, kS).v, -21);
  EXPECT_EQ(Divide({21, 0}, {-7, 0}, kD).e, 0);
  EXPECT_EQ(Power({-3, 0}, {3, 0}, kD).v, -27);
  EXPECT_EQ(Power({-3, 0}, {3, 0}, kD).e, 0);
  EXPECT_EQ(Power({2, 0}, {-2, 0}, kD).e, 0);
  EXPECT_EQ(Sqrt({49, 0}, kS).e, 0);
}

TEST(NumbersTest, RoundingIsBounded) {
  const Number third = Divide({1, 0}, {3, 0}, kD);
  EXPECT_GT(third.e, 0);
  EXPECT_LT(third.e, 1e-16);
  EXPECT_GT(Add({1, 0}, {0x1p-60, 0}, kD).e, 0);
  EXPECT_GT(Add({1e8, 0}, {1, 0}, kS).e, 0.9);  // 1e8 + 1 is no float
  EXPECT_EQ(Add({1e8, 0}, {1, 0}, kD).e, 0);
  EXPECT_GT(Multiply({0x1p-600, 0}, {0x1.8p-500, 0}, kD).e, 0);  // underflows
  EXPECT_GT(Power({0x1p-600, 0}, {2, 0}, kD).e, 0);
  EXPECT_GT(Power({-0x1p-600, 0}, {3, 0}, kD).e, 0);
  EXPECT_GT(Power({0x1p-20, 0}, {2, 0}, kF16Format).e, 0);
}

// An engine may have an infinity there.
TEST(NumbersTest, WhatMayLieBeyondTheFormatIsNotKnown) {
  EXPECT_EQ(Add({65472, 100}, {0, 0}, kF16Format).e, kUnknown);
  EXPECT_EQ(Add({-65472, 100}, {0, 0}, kF16Format).e, kUnknown);
  EXPECT_LT(Add({65000, 100}, {0, 0}, kF16Format).e, 200);
}

// True values in long double lie within the bounds of long chains of operations.
TEST(NumbersTest, BoundsCoverTheTrueValue) {
  for (const FloatFormat* f : kFormats) {
    for (double start : {0.3, 1.7, 2.9}) {
      Number x{Rounded(start, *f), 0};
      long double truth = x.v;
      for (int i = 0; i < 3; ++i) {
        x = Add(Multiply(Sin(x, *f), {3, 0}, *f), Exp(Negated(Abs(x)), *f), *f);
        truth = sinl(truth) * 3 + expl(-fabsl(truth));
        EXPECT_LE(fabsl(x.v - truth), x.e) << start << " after " << i;
        x = Divide(Sqrt(Add(Multiply(x, x, *f), {1, 0}, *f), *f), Cos({0.25, 0}, *f), *f);
        truth = sqrtl(truth * truth + 1) / cosl(0.25L);
        EXPECT_LE(fabsl(x.v - truth), x.e) << start << " after " << i;
        x = Add(Tanh(x, *f), Log(Power(x, {1.5, 0}, *f), *f), *f);
        truth = tanhl(truth) + logl(powl(truth, 1.5L));
        EXPECT_LE(fabsl(x.v - truth), x.e) << start << " after " << i;
      }
      if (f->precision >= kF32Format.precision) {
        EXPECT_LT(x.e, 2e6 * f->unit);
      }
    }
  }
}

// Of each function of numbers_functions.cc, at numbers that are known and at one that is off by its
// bound to either side.
TEST(NumbersTest, BoundsCoverTheFunctions) {
  struct Function {
    Number (*of)(Number, const FloatFormat&);
    long double (*truth)(long double);
    double low, high;
  };
  const Function functions[] = {
      {Tan, tanl, -1.4, 1.4},
      {Asin, asinl, -0.95, 0.95},
      {Acos, acosl, -0.95, 0.95},
      {Atan, atanl, -30, 30},
      {Sinh, sinhl, -20, 20},
      {Cosh, coshl, -20, 20},
      {Asinh, asinhl, -30, 30},
      {Acosh, acoshl, 1.1, 30},
      {Atanh, atanhl, -0.95, 0.95},
      {Erf, erfl, -4, 4},
      {Erfc, erfcl, -4, 4},
      {Expm1, expm1l, -20, 20},
      {Log1p, log1pl, -0.9, 30},
      {Log2, log2l, 0.1, 30},
      {Log10, log10l, 0.1, 30},
      {Exp2, exp2l, -20, 20},
      {Rsqrt, [](long double x) { return 1 / sqrtl(x); }, 0.1, 30},
      {Reciprocal, [](long double x) { return 1 / x; }, 0.1, 30},
      {Square, [](long double x) { return x * x; }, -30, 30},
      {Silu, [](long double x) { return x / (1 + expl(-x)); }, -30, 30},
      {Softplus, [](long double x) { return log1pl(expl(x)); }, -30, 30},
      {Gelu, [](long double x) { return x * erfcl(-x * sqrtl(0.5L)) / 2; }, -9, 9},
      {GeluTanh,
       [](long double x) {
         return x / (1 + expl(-sqrtl(8 / acosl(-1)) * (x + 0.044715L * x * x * x)));
       },
       -5, 5}};
  for (const FloatFormat* f : kFormats) {
    for (const Function& function : functions) {
      const auto index = &function - functions;
      for (int step = 0; step <= 200; ++step) {
        const double x =
            Rounded(function.low + (function.high - function.low) * step / 200 + 0.003, *f);
        for (const double off : {0.0, 1e-9, 1e-3}) {
          const Number result = function.of({x, off}, *f);
          for (const long double sign : {-1, 0, 1}) {
            const long double at = x + sign * off;
            const long double truth = function.truth(at);
            EXPECT_LE(fabsl(result.v - truth), result.e) << index << " at " << x << " by " << off;
            // And they are no wider than a few last places of operand and result.
            if (off == 0 && std::isfinite(result.v)) {
              EXPECT_LE(result.e, 64 * f->unit * (std::fabs(x) + fabsl(truth))) << index;
            }
          }
        }
      }
    }
  }
}

TEST(NumbersTest, NonFiniteResults) {
  EXPECT_EQ(Log({-1, 0}, kD).e, 0);  // NaN for everyone
  EXPECT_TRUE(std::isnan(Log({-1, 0}, kD).v));
  EXPECT_EQ(Log({0, 0}, kD).v, -kInf);
  EXPECT_EQ(Add({kInf, 0}, {1, 0}, kD).e, 0);
  EXPECT_EQ(Add({1e308, 0}, {1e308, 0}, kD).e, kUnknown);  // overflow
  EXPECT_EQ(Divide({1, 0}, {0, 0}, kD).e, kUnknown);       // hangs on the sign of 0
  EXPECT_EQ(Divide({0, 0}, {0, 0}, kD).e, 0);
  EXPECT_EQ(Sqrt({1e-17, 1e-16}, kD).e, kUnknown);
  EXPECT_EQ(Multiply({0, 0}, {5, 1e-10}, kD).e, 0);
  EXPECT_EQ(Multiply({0, 0}, {5, kUnknown}, kD).e, kUnknown);
  EXPECT_EQ(Maximum({kNaN, 0}, {1, 0}).e, 0);
  EXPECT_TRUE(std::isnan(Maximum({kNaN, 0}, {1, 0}).v));
}

// Beyond the format for certain, or nearer to 0 than the operand's bound says.
TEST(NumbersTest, FarFromTheMiddleOfTheFormat) {
  EXPECT_EQ(Power({1e300, 0}, {100, 0}, kD).v, kInf);
  EXPECT_EQ(Power({1e300, 0}, {100, 0}, kD).e, 0);
  EXPECT_EQ(Power({2, 0}, {1024, 0}, kD).e, kUnknown);  // 2^1024 times 1/2 is none
  EXPECT_EQ(Exp({-1e300, 1e284}, kD).v, 0);
  EXPECT_LT(Exp({-1e300, 1e284}, kD).e, 1e-300);
  EXPECT_GE(Exp({-2, 2}, kD).e, 1 - std::exp(-2));
  EXPECT_EQ(Exp({-1e300, 1e301}, kD).e, kUnknown);
  EXPECT_FALSE(MayBeEqual({1.7e308, 0}, {-1.7e308, 0}));  // whose difference is infinite
  EXPECT_FALSE(MayBeEqual({0x1p-1074, 0}, {-0x1p-1074, 0}));
  EXPECT_TRUE(MayBeEqual({1, 0.5}, {1.25, 0}));
}

// A quotient by zero may have either sign; it is no NaN, and makes one where infinities do.
TEST(NumbersTest, InfinitiesOfEitherSign) {
  const Number inf = Quotient({1, 0}, {0, 0}, kD);
  EXPECT_EQ(inf.v, kInf);
  EXPECT_EQ(inf.e, kEitherSign);
  EXPECT_EQ(Quotient({1, 1}, {0, 0}, kD).e, kUnknown);  // 0 over 0 perhaps
  EXPECT_EQ(Quotient({3, 1}, {0, 0}, kD).e, kEitherSign);
  EXPECT_EQ(Product(inf, {-2, 1e-9}, kD).e, kEitherSign);
  EXPECT_EQ(Product(inf, inf, kD).e, kEitherSign);
  EXPECT_EQ(Negated(inf).e, kEitherSign);
  EXPECT_TRUE(std::isnan(Product(inf, {0, 0}, kD).v));
  EXPECT_EQ(Product(inf, {0, 0}, kD).e, 0);
  EXPECT_EQ(Product(inf, {1e-9, 1e-8}, kD).e, kUnknown);
  EXPECT_TRUE(std::isnan(Quotient(inf, {kInf, 0}, kD).v));
  EXPECT_EQ(Quotient({5, 1}, inf, kD).v, 0);
  EXPECT_EQ(Quotient({5, 1}, inf, kD).e, 0);
  EXPECT_EQ(Quotient(inf, {2, 1}, kD).e, kEitherSign);
  // An infinity whose sign is certain keeps it where no zero can be.
  EXPECT_EQ(Multiply({kInf, 0}, {-2, 1e-9}, kD).v, -kInf);
  EXPECT_EQ(Multiply({kInf, 0}, {-2, 1e-9}, kD).e, 0);
  EXPECT_EQ(Multiply({kInf, 0}, {1e-9, 1e-8}, kD).e, kUnknown);
  EXPECT_EQ(Divide({kInf, 0}, {-2, 1e-9}, kD).e, 0);
  EXPECT_EQ(Divide({-2, 1e-9}, {kInf, 0}, kD).e, 0);
  // A NaN that is certain stays one, whatever it meets.
  EXPECT_EQ(Product({kNaN, 0}, {2, 1e-9}, kD).e, 0);
  EXPECT_EQ(Add({kNaN, 0}, {2, kUnknown}, kD).e, 0);
}

TEST(NumbersTest, AnInfinityOfAShortFormatMayBeFiniteOnTheWay) {
  EXPECT_EQ(Exp({12, 0}, kF16Format).v, kInf);
  EXPECT_EQ(Exp({12, 0}, kF16Format).e, kUnknown);
  EXPECT_EQ(Exp({90, 0}, kF16Format).e, 0);
  EXPECT_EQ(Exp2({17, 0}, kF16Format).e, kUnknown);
  EXPECT_EQ(Sinh({-100, 0}, kBF16Format).e, 0);
  EXPECT_EQ(Power({10, 0}, {5, 0}, kF16Format).e, kUnknown);
}

// A number of the format, of any size, or of sizes that make results subnormal or infinite.
double AnyNumber(std::mt19937_64& random, const FloatFormat& f) {
  const int span = 2 * (f.precision - f.min_exponent);
  const int exponent = static_cast<int>(random() % static_cast<uint64_t>(span)) - span / 2;
  const double significand = 1 + static_cast<double>(random() >> 12) * 0x1p-52;
  const double x = Rounded(std::ldexp(significand, random() % 2 == 0 ? exponent : exponent / 4), f);
  return random() % 2 == 0 ? x : -x;
}

// What is computed in f32 and rounded then, which is two roundings, and what is rounded once.
void ExpectWithin(const Number& bounded, float computed, double exact, const FloatFormat& f) {
  for (const double engine : {Rounded(computed, f), Rounded(exact, f)}) {
    if (bounded.e == 0) {
      EXPECT_TRUE(engine == bounded.v || (std::isnan(engine) && std::isnan(bounded.v))) << exact;
    } else if (bounded.e < kUnknown) {
      EXPECT_LE(std::fabs(engine - exact), bounded.e) << exact;
    }
  }
}

TEST(NumbersTest, TwoRoundingsCountAsOne) {
  std::mt19937_64 random(1);
  for (const FloatFormat* f : {&kF16Format, &kBF16Format}) {
    int exact = 0, bounded = 0;
    for (int i = 0; i < 300000; ++i) {
      const double a = AnyNumber(random, *f), b = AnyNumber(random, *f);
      const auto x = static_cast<float>(a), y = static_cast<float>(b);
      const Number p{a, 0}, q{b, 0};
      ExpectWithin(Add(p, q, *f), x + y, a + b, *f);
      ExpectWithin(Subtract(p, q, *f), x - y, a - b, *f);
      ExpectWithin(Multiply(p, q, *f), x * y, a * b, *f);
      if (b != 0) ExpectWithin(Divide(p, q, *f), x / y, a / b, *f);
      ExpectWithin(Sqrt(Abs(p), *f), std::sqrt(std::fabs(x)), std::sqrt(std::fabs(a)), *f);
      ExpectWithin(Exp(p, *f), std::exp(x), std::exp(a), *f);
      ExpectWithin(Tanh(p, *f), std::tanh(x), std::tanh(a), *f);
      const double e = Multiply(p, q, *f).e;
      exact += e == 0 ? 1 : 0;
      bounded += e > 0 && e < kUnknown ? 1 : 0;
    }
    EXPECT_GT(exact, 1000);
    EXPECT_GT(bounded, 1000);
  }
}

TEST(NumbersTest, SumsOfShortFormatsMayBeAddedUpInF32) {
  std::mt19937_64 random(2);
  for (const FloatFormat* f : {&kF16Format, &kBF16Format}) {
    for (int i = 0; i < 20000; ++i) {
      SumInAnyOrder sum(*f);
      double exact = 0, stepwise = 0;
      float inside = 0;
      const uint64_t count = 2 + random() % 20;
      for (uint64_t k = 0; k < count; ++k) {
        const double x = Rounded(static_cast<double>(random() % 4096) / 64 - 32, *f);
        sum.Add({x, 0});
        exact += x;  // of few bits
        inside += static_cast<float>(x);
        stepwise = Rounded(stepwise + x, *f);
      }
      ExpectWithin(sum.Total(), inside, exact, *f);
      ExpectWithin(sum.Total(), static_cast<float>(stepwise), exact, *f);
    }
  }
}

TEST(NumbersTest, ConversionsToAndFromShortFormats) {
  for (const FloatFormat* f : {&kF16Format, &kBF16Format}) {
    for (const FloatFormat* to : {&kF64Format, &kF32Format}) {
      // Every positive number, and what lies between it and the next.
      for (double x = 0; x < f->largest;) {
        const double place =
            std::ldexp(1.0, std::max(x == 0 ? f->min_exponent : std::ilogb(x), f->min_exponent) -
                                (f->precision - 1));
        EXPECT_EQ(Converted({x, 0}, *to).e, 0);
        EXPECT_EQ(Converted({x, 0}, *f).e, 0);
        for (const double part : {0x1p-40, 0.25, 0.5 - 0x1p-40, 0.5, 0.5 + 0x1p-40, 0.75}) {
          const double between = x + part * place;
          if (between > f->largest) continue;
          const Number number = Converted({between, 0}, *f);
          EXPECT_GT(number.e, 0);
          ExpectWithin(number, static_cast<float>(between), between, *f);
        }
        x += place;
      }
    }
    for (int64_t i = -70000; i <= 70000; ++i) {
      const auto x = static_cast<double>(i);
      const Number number = FromInteger(i, *f);
      EXPECT_EQ(number.e == 0, IsRepresentable(x, *f) || std::isinf(number.v)) << i;
      ExpectWithin(number, static_cast<float>(i), x, *f);
    }
  }
}

TEST(NumbersTest, DecisionsNearTheirBound) {
  int64_t n = 0;
  EXPECT_EQ(Truncated({2.9999, 0}, DType::kI64, &n).e, 0);
  EXPECT_EQ(n, 2);
  EXPECT_EQ(Truncated({3, 1e-9}, DType::kI64, &n).e, kUnknown);
  EXPECT_EQ(Truncated({3.5, 1e-9}, DType::kI64, &n).e, 0);
  EXPECT_EQ(Truncated({kNaN, 0}, DType::kI64, &n).e, 0);
  EXPECT_EQ(n, 0);
  Truncated({1e30, 0}, DType::kI64, &n);
  EXPECT_EQ(n, std::numeric_limits<int64_t>::max());
  Truncated({-1e30, 0}, DType::kI64, &n);
  EXPECT_EQ(n, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Truncated({2147483647.5, 0.25}, DType::kI32, &n).e, 0);
  EXPECT_EQ(n, 2147483647);
  EXPECT_EQ(Truncated({-2147483648.5, 1e9}, DType::kI32, &n).e, kUnknown);
  EXPECT_EQ(n, -2147483648);
  EXPECT_EQ(Relu({-1, 0.5}).e, 0);
  EXPECT_EQ(Relu({0.25, 0.5}).e, 0.5);
  EXPECT_EQ(FromInteger((int64_t{1} << 53) + 1, kD).e > 0, true);
  EXPECT_EQ(FromInteger(int64_t{1} << 62, kD).e, 0);
}

}  // namespace
}  // namespace twingrad::reference
