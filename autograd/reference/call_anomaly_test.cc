// Shows which NaN the twin takes for an error of anomaly mode, which for none, and when it does not
// know.

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/program/parse.h"
#include "autograd/reference/twin.h"

namespace twingrad::reference {
namespace {

TwinResult TwinOf(const std::string& lines) {
  const auto program = program::Parse("twingrad 1\n" + lines);
  EXPECT_TRUE(program.ok()) << program.status();
  return RunTwin(*program);
}

// The gradient of x is that of z times NaN.
constexpr char kTimesNan[] =
    "%x = leaf type=f64[] data=3 grad=1\n%c = leaf type=f64[] data=nan\n%z = mul %x %c\n";

TEST(CallAnomaly, AnExactNanIsAnErrorUnderTheModeAlone) {
  const TwinResult plain = TwinOf(std::string(kTimesNan) + "backward %z\n");
  EXPECT_FALSE(plain.skipped.has_value());
  EXPECT_FALSE(plain.observation.error.has_value());
  const TwinResult found =
      TwinOf(std::string(kTimesNan) + "begin kind=anomaly\nbackward %z\nend\n");
  ASSERT_TRUE(found.observation.error.has_value());
  EXPECT_EQ(found.observation.error->error, ErrorKind::kAnomaly);
  EXPECT_EQ(found.observation.error->statement, 4);
  EXPECT_FALSE(found.observation.values[0].grad_defined);
}

std::string ErrorOf(const std::string& lines) {
  const TwinResult twin = TwinOf(lines);
  if (twin.skipped) return *twin.skipped;
  return twin.observation.error ? std::string(ErrorKindName(twin.observation.error->error))
                                : "none";
}

// Also where the operand takes no gradient: the node has returned it.
TEST(CallAnomaly, ANanThatACustomFunctionReturnsForAnyOperandIsOne) {
  EXPECT_EQ(ErrorOf("%x = leaf type=f64[] data=0 grad=1\n%c = leaf type=f64[] data=0\n"
                    "%y,%z = custom %x %c do=nan non_differentiable=0\n"
                    "begin kind=anomaly\nbackward %z\nend\n"),
            "anomaly");
}

// 0 times infinity is NaN whichever way a product or a quotient is differentiated.
TEST(CallAnomaly, ANanThatArisesInAProductOrQuotientIsOneEverywhere) {
  const std::string x = "%x = leaf type=f64[] data=3 grad=1\n";
  const auto of = [&](const std::string& lines, const std::string& seed) {
    return ErrorOf(x + lines + "%s = leaf type=f64[] data=" + seed +
                   "\nbegin kind=anomaly\nbackward %z seeds=%s\nend\n");
  };
  const std::string times = "%c = leaf type=f64[] data=inf\n%z = mul %x %c\n";
  EXPECT_EQ(of(times, "0"), "anomaly");
  EXPECT_EQ(of(times, "2"), "none");
  const std::string over = "%c = leaf type=f64[] data=0\n%z = div %x %c\n";
  EXPECT_EQ(of(over, "0"), "anomaly");
  EXPECT_EQ(of(over, "1"), "none");  // infinite, of either sign
}

// By one formula of a variance the gradient of the mean is a sum of infinities of both signs; by
// another it is 0, as all distances from it are.
TEST(CallAnomaly, WhereInfinitiesMeetInOneFormulaAloneItDoesNotKnow) {
  const auto of = [](const std::string& op) {
    return ErrorOf("%x = leaf type=f64[2] data=0,1 grad=1\n%v = " + op +
                   "\n%i = leaf type=f64[] data=inf\n%s = sum %v\n%z = mul %s %i\n"
                   "begin kind=anomaly\nbackward %z\nend\n");
  };
  EXPECT_EQ(of("var %x"),
            "a NaN of infinities that meet in a formula of several steps, under anomaly mode");
  EXPECT_EQ(of("mul %x %x"), "anomaly");
}

// As one product the second derivative of sigmoid is infinite here; as a sum of two it is NaN.
TEST(CallAnomaly, WhereInfinitiesMeetInASumOfWhatCreateGraphMadeItDoesNotKnow) {
  EXPECT_EQ(ErrorOf("%x = leaf type=f64[] data=1 grad=1\n%y = sigmoid %x\n"
                    "%g = grad %y inputs=%x create_graph=1\n%i = leaf type=f64[] data=inf\n"
                    "%z = mul %g %i\nbegin kind=anomaly\nbackward %z\nend\n"),
            "a NaN of nodes that create_graph made, under anomaly mode");
}

// An engine may cast b, which is of a short format, once for both formulas; the cast's gradient is
// then the sum of their two infinities.
TEST(CallAnomaly, WhereInfinitiesMeetInTheGradientOfALeafItDoesNotKnow) {
  const std::string quotient =
      "%a = leaf type=f16[] data=1 grad=1\n%b = leaf type=f16[] data=0 grad=1\n%q = div %a %b\n"
      "begin kind=anomaly\n%g,%h = grad %q inputs=%a,%b create_graph=1\n";
  EXPECT_EQ(ErrorOf(quotient + "%s = add %g %h\nbackward %s\nend\n"),
            "a NaN of nodes that create_graph made, under anomaly mode");
  EXPECT_EQ(ErrorOf(quotient + "backward %g\nend\n"), "none");
  EXPECT_EQ(ErrorOf("%a = leaf type=f16[] data=1 grad=1\n%i = leaf type=f16[] data=inf\n"
                    "%p = mul %a %i\n%m = neg %p\n%c = add %p %m\n"
                    "begin kind=anomaly\nbackward %c\nend\n"),
            "anomaly");
}

TEST(CallAnomaly, WhereRoundingDecidesItDoesNotKnow) {
  // exp overflows, which its bound cannot tell: 0 times infinity.
  const TwinResult twin = TwinOf(
      "%x = leaf type=f64[] data=710 grad=1\n%e = exp %x\n"
      "%c = leaf type=f64[] data=0\n%z = mul %e %c\nbegin kind=anomaly\nbackward %z\nend\n");
  ASSERT_TRUE(twin.skipped.has_value());
  EXPECT_EQ(*twin.skipped, "rounding decides whether a gradient is NaN");
}

TEST(CallAnomaly, WithSeveralDevicesTheErrorOfEachIsLegal) {
  const TwinResult twin = TwinOf(
      "%x = leaf type=f64[] data=3 grad=1 device=dev:0\n%y = leaf type=f64[] data=1 grad=1\n"
      "%n = leaf type=f64[] data=nan device=dev:0\n%b = mul %x %n\nhook %y do=throw\nbegin "
      "kind=anomaly\nbackward %b %y\nend\n");
  const auto legal = [&](ErrorKind kind) {
    return std::any_of(twin.legal_errors.begin(), twin.legal_errors.end(),
                       [&](const auto& error) { return error.error == kind; });
  };
  EXPECT_EQ(twin.legal_errors.size(), 2u);
  EXPECT_TRUE(legal(ErrorKind::kAnomaly));
  EXPECT_TRUE(legal(ErrorKind::kUser));
}

}  // namespace
}  // namespace twingrad::reference
