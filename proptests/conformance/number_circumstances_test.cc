#include "proptests/conformance/number_circumstances.h"

#include <string>

#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/conformance/testing_engines.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::Observation;

// Of an engine that shows the same numbers.
std::string Of(const std::string& lines) {
  const auto program = Parsed(lines);
  const Observation expected = twingrad::reference::RunTwin(program).observation;
  return NumberCircumstances(program, expected, expected);
}

TEST(NumberCircumstancesTest, ProdOfSeveralZerosOverAllElements) {
  const auto prod = [](const std::string& data, const std::string& dims) {
    return Of("%a = leaf type=f64[1,3] data=" + data + " grad=1\n%p = prod %a" + dims +
              "\n%s = sum %p\nbackward %s\n");
  };
  EXPECT_EQ(prod("0,1,-0.0", ""), "  circumstance: prod of several zeros\n");
  EXPECT_EQ(prod("0,1,2", ""), "");
  EXPECT_EQ(prod("0,1,0", " dims=1"), "");
}

TEST(NumberCircumstancesTest, DetOfASingularMatrix) {
  const auto det = [](const std::string& data) {
    return Of("%a = leaf type=f64[2,2] data=" + data + " grad=1\n%d = det %a\nbackward %d\n");
  };
  EXPECT_EQ(det("1,2,2,4"), "  circumstance: det of a singular matrix\n");
  EXPECT_EQ(det("1,2,2,5"), "");
}

TEST(NumberCircumstancesTest, OpsWhereTheyAreKnownToFail) {
  const auto of = [](const std::string& op, const std::string& type, const std::string& data) {
    return Of("%a = leaf type=" + type + "[1] data=" + data + " grad=1\n%y = " + op +
              " %a\n%s = sum %y\nbackward %s\n");
  };
  EXPECT_EQ(of("silu", "f64", "-inf"), "  circumstance: silu of an infinity\n");
  EXPECT_EQ(of("gelu", "f64", "inf"), "  circumstance: gelu of an infinity\n");
  EXPECT_EQ(of("erfc", "f64", "-inf"), "  circumstance: erfc of an infinity\n");
  EXPECT_EQ(Of("%a = leaf type=f64[1,1,2] data=0,inf grad=1\n%y = upsample_linear1d %a shape=2\n"
               "%s = sum %y\nbackward %s\n"),
            "  circumstance: upsample_linear1d of an infinity\n");
  EXPECT_EQ(of("silu", "f64", "-0x1p+1000"), "");
  EXPECT_EQ(of("sigmoid", "f64", "-inf"), "");
  EXPECT_EQ(of("gelu", "f64", "-0x1p+600"), "  circumstance: gelu far out\n");
  EXPECT_EQ(of("gelu", "f64", "-0x1p+500"), "");
  EXPECT_EQ(of("gelu_tanh", "f64", "27"), "  circumstance: gelu_tanh far out\n");
  EXPECT_EQ(of("gelu_tanh", "f64", "-27"), "  circumstance: gelu_tanh far out\n");
  EXPECT_EQ(of("gelu_tanh", "f64", "26"), "");
  EXPECT_EQ(of("gelu_tanh", "f32", "14"), "  circumstance: gelu_tanh far out\n");
  EXPECT_EQ(of("gelu_tanh", "f32", "13"), "");
}

TEST(NumberCircumstancesTest, LogaddexpFarApart) {
  const auto of = [](const std::string& a, const std::string& b) {
    return Of("%a = leaf type=f64[1] data=" + a + " grad=1\n%b = leaf type=f64[1] data=" + b +
              "\n%y = logaddexp %a %b\n%s = sum %y\nbackward %s\n");
  };
  const std::string square = "  circumstance: logaddexp with a subnormal square\n";
  const std::string far = "  circumstance: logaddexp far apart\n" + square;
  EXPECT_EQ(of("-400", "310"), far);
  EXPECT_EQ(of("inf", "0"), far);
  EXPECT_EQ(of("-400", "300"), square);
  EXPECT_EQ(of("-40", "300"), "");
  EXPECT_EQ(of("1e300", "1e300"), "");
}

TEST(NumberCircumstancesTest, WhereWhatCancelsLeavesFewDigits) {
  const auto sinc = [](const std::string& x) {
    return Of("%x = leaf type=f64[] data=" + x + " grad=1\n%y = sinc %x\nbackward %y\n");
  };
  EXPECT_EQ(sinc("1e-8"), "  circumstance: sinc near 0\n");
  EXPECT_EQ(sinc("-0.01"), "  circumstance: sinc near 0\n");
  EXPECT_EQ(sinc("0.4"), "  circumstance: sinc near 0\n");
  EXPECT_EQ(sinc("0"), "");
  EXPECT_EQ(sinc("0.5"), "");
}

TEST(NumberCircumstancesTest, PowToTheOne) {
  const auto pow = [](const std::string& base, const std::string& exponent) {
    return Of("%a = leaf type=f64[] data=" + base +
              " grad=1\n%b = leaf type=f64[] data=" + exponent + "\n%y = pow %a %b\nbackward %y\n");
  };
  EXPECT_EQ(pow("2", "1"), "  circumstance: pow to the 1\n");
  EXPECT_EQ(pow("1", "2"), "");
}

TEST(NumberCircumstancesTest, LogcumsumexpFarOut) {
  const auto of = [](const std::string& data) {
    return Of("%a = leaf type=f64[1] data=" + data +
              " grad=1\n%y = logcumsumexp %a dim=0\n%s = sum %y\nbackward %s\n");
  };
  EXPECT_EQ(of("-1e300"), "  circumstance: logcumsumexp far out\n");
  EXPECT_EQ(of("-1e9"), "");
  EXPECT_EQ(of("-inf"), "");
}

TEST(NumberCircumstancesTest, StdOfEqualElements) {
  const auto of = [](const std::string& data) {
    return Of("%a = leaf type=f64[2] data=" + data + " grad=1\n%y = std %a\nbackward %y\n");
  };
  EXPECT_EQ(of("3,3"), "  circumstance: std of equal elements\n");
  EXPECT_EQ(of("3,4"), "");
}

TEST(NumberCircumstancesTest, WhatOverflowsOnTheWay) {
  const auto norm = [](const std::string& x, const std::string& weight) {
    return Of("%x = leaf type=f32[1,2] grad=1 data=" + x + "\n%w = leaf type=f32[2] data=" +
              weight + "\n%y = group_norm %x %w eps=1\n%s = sum %y\nbackward %s\n");
  };
  const std::string far = "  circumstance: a norm far out\n";
  EXPECT_EQ(norm("2,1", "0,0x1.fffffep+127"), far);
  EXPECT_EQ(norm("1e30,1", "1e10,0"), far);
  EXPECT_EQ(norm("2,1", "0,1e30"), "");
  const auto cubic = [](const std::string& x) {
    return Of("%x = leaf type=f32[1,1,2] grad=1 data=0," + x +
              "\n%y = upsample_bicubic2d %x shape=1,1\n%s = sum %y\nbackward %s\n");
  };
  EXPECT_EQ(cubic("-0x1.fp+127"), "  circumstance: upsample_bicubic2d far out\n");
  EXPECT_EQ(cubic("-0x1.0p+127"), "");
}

TEST(NumberCircumstancesTest, RoundedQuotients) {
  const auto of = [](const std::string& op, const std::string& a, const std::string& b) {
    return Of("%a = leaf type=f64[1] data=" + a + " grad=1\n%b = leaf type=f64[1] data=" + b +
              "\n%y = " + op + " %a %b\nbackward %y\n");
  };
  // 1 is just less than ten times the double that 0.1 is.
  EXPECT_EQ(of("fmod", "1", "0.1"), "  circumstance: fmod by a rounded quotient\n");
  EXPECT_EQ(of("remainder", "-1", "0.1"), "  circumstance: remainder by a rounded quotient\n");
  EXPECT_EQ(of("fmod", "7", "-2"), "");
  EXPECT_EQ(of("remainder", "-7", "2"), "");
  EXPECT_EQ(of("fmod", "1", "0"), "");
}

TEST(NumberCircumstancesTest, ReductionsOfPlaces) {
  const auto of = [](const std::string& how, const std::string& sent) {
    return Of(
        "%a = leaf type=f64[1] grad=1 data=3\n%i = leaf type=i64[2] data=0,0\n"
        "%b = leaf type=f64[2] data=" +
        sent + "\n%y = scatter_reduce %a %i %b dim=0 reduction=" + how +
        "\n%s = sum %y\nbackward %s\n");
  };
  const std::string extreme = "  circumstance: an extreme that is there too\n";
  EXPECT_EQ(of("amax include_self=0", "3,1"), extreme);
  EXPECT_EQ(of("amin include_self=0", "4,1"), "");
  EXPECT_EQ(of("amin", "3,1"), "");
  EXPECT_EQ(of("prod", "0,0"), "  circumstance: scatter_reduce of several zeros\n");
  EXPECT_EQ(of("prod", "0,1"), "");
}

TEST(NumberCircumstancesTest, PoolsOfSeveralNans) {
  const auto of = [](const std::string& data) {
    return Of("%a = leaf type=f64[1,2] grad=1 data=" + data +
              "\n%y = adaptive_max_pool1d_indices %a shape=1\n%s = sum %a\nbackward %s\n");
  };
  EXPECT_EQ(of("nan,nan"), "  circumstance: max_pool of several NaN\n");
  EXPECT_EQ(of("nan,0"), "");
}

}  // namespace
}  // namespace twingrad::conformance
