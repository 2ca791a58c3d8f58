#include "proptests/conformance/circumstances.h"

#include <string>

#include "autograd/reference/twin.h"
#include "gtest/gtest.h"
#include "proptests/conformance/testing_engines.h"

namespace twingrad::conformance {
namespace {

using twingrad::program::NodeRole;
using twingrad::program::Observation;

std::string Of(const std::string& lines, NodeRole role = NodeRole::kStatement) {
  const auto program = Parsed(lines);
  const Observation expected = twingrad::reference::RunTwin(program).observation;
  Observation observed = expected;
  observed.calls.at(0).nodes.at(1).name.role = role;
  return Circumstances(program, expected, observed);
}

TEST(CircumstancesTest, AResultThatIsAViewIsToldByItsNewNode) {
  const std::string matmul =
      "%a = leaf type=f64[1,1] data=2 grad=1\n%b = leaf type=f64[1,1] data=3\n"
      "%y = matmul %a %b\n%z = sum %y\nbackward %z\n";
  EXPECT_EQ(Of(matmul), "");
  EXPECT_EQ(Of(matmul, NodeRole::kRegeneratedView),
            "  circumstance: the result of matmul is a view\n");
}

TEST(CircumstancesTest, ViewsAreViews) {
  EXPECT_EQ(Of("%a = leaf type=f64[1,1] data=2 grad=1\n%y = squeeze %a\n%z = sum %y\nbackward %z\n",
               NodeRole::kRegeneratedView),
            "");
}

TEST(CircumstancesTest, ProdOfSeveralZerosOverAllElements) {
  const auto prod = [](const std::string& data, const std::string& dims) {
    return Of("%a = leaf type=f64[1,3] data=" + data + " grad=1\n%p = prod %a" + dims +
              "\n%s = sum %p\nbackward %s\n");
  };
  EXPECT_EQ(prod("0,1,-0.0", ""), "  circumstance: prod of several zeros\n");
  EXPECT_EQ(prod("0,1,2", ""), "");
  EXPECT_EQ(prod("0,1,0", " dims=1"), "");
}

TEST(CircumstancesTest, DetOfASingularMatrix) {
  const auto det = [](const std::string& data) {
    return Of("%a = leaf type=f64[2,2] data=" + data + " grad=1\n%d = det %a\nbackward %d\n");
  };
  EXPECT_EQ(det("1,2,2,4"), "  circumstance: det of a singular matrix\n");
  EXPECT_EQ(det("1,2,2,5"), "");
}

TEST(CircumstancesTest, TheGradientOfAProdIsShown) {
  const auto with = [](const std::string& hook, const std::string& call,
                       const std::string& prod = "prod %a") {
    return Of("%a = leaf type=f64[3] data=1,2,3 grad=1\n%p = " + prod + "\n" + hook +
              "%y = mul %p %a\n%s = sum %y\n" + call + "\n");
  };
  const std::string shown = "  circumstance: the gradient of a prod is shown\n";
  EXPECT_EQ(with("", "backward %s"), "");
  EXPECT_EQ(with("hook %a do=record\n", "%g = grad %s inputs=%a"), "");
  EXPECT_EQ(with("hook %p do=record\n", "backward %s"), shown);
  EXPECT_EQ(with("retain_grad %p\n", "backward %s"), shown);
  EXPECT_EQ(with("", "%g,%h = grad %s inputs=%a,%p"), shown);
  EXPECT_EQ(with("retain_grad %p\n", "backward %s", "cumprod %a dim=0"),
            "  circumstance: the gradient of a cumprod is shown\n");
}

TEST(CircumstancesTest, OpsWhereTheyAreKnownToFail) {
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

TEST(CircumstancesTest, LogaddexpFarApart) {
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

TEST(CircumstancesTest, WhereWhatCancelsLeavesFewDigits) {
  const auto sinc = [](const std::string& x) {
    return Of("%x = leaf type=f64[] data=" + x + " grad=1\n%y = sinc %x\nbackward %y\n");
  };
  EXPECT_EQ(sinc("1e-8"), "  circumstance: sinc near 0\n");
  EXPECT_EQ(sinc("-0.01"), "  circumstance: sinc near 0\n");
  EXPECT_EQ(sinc("0"), "");
  EXPECT_EQ(sinc("0.5"), "");
}

TEST(CircumstancesTest, PowToTheOne) {
  const auto pow = [](const std::string& base, const std::string& exponent) {
    return Of("%a = leaf type=f64[] data=" + base +
              " grad=1\n%b = leaf type=f64[] data=" + exponent + "\n%y = pow %a %b\nbackward %y\n");
  };
  EXPECT_EQ(pow("2", "1"), "  circumstance: pow to the 1\n");
  EXPECT_EQ(pow("1", "2"), "");
}

TEST(CircumstancesTest, OpsOfNothing) {
  const auto of = [](const std::string& op, const std::string& shape,
                     const std::string& attributes = "") {
    return Of("%x = leaf type=f64[" + shape + "] grad=1\n%y = " + op + " %x" + attributes +
              "\n%s = sum %y\nbackward %s\n");
  };
  EXPECT_EQ(of("det", "0,2,2"), "  circumstance: det of nothing\n");
  EXPECT_EQ(of("det", "1,0,0"), "  circumstance: det of nothing\n");
  EXPECT_EQ(of("inverse", "0,2,2"), "");
  EXPECT_EQ(of("as_strided", "2", " shape=0 stride=1"), "  circumstance: as_strided to nothing\n");
  EXPECT_EQ(of("as_strided", "2", " shape=1 stride=1"), "");
}

// As the engine shows it.
TEST(CircumstancesTest, ATransposedConvolutionOfAnotherShape) {
  const auto program = Parsed(
      "%x = leaf type=f64[1,3] data=1,2,3\n%w = leaf type=f64[1,1,1] data=1\n"
      "%y = conv_transpose1d %x %w\n");
  const Observation expected = twingrad::reference::RunTwin(program).observation;
  Observation observed = expected;
  EXPECT_EQ(Circumstances(program, expected, observed), "");
  observed.values[2].data.shape = {1, 1};
  EXPECT_EQ(Circumstances(program, expected, observed),
            "  circumstance: a conv_transpose of another shape\n");
}

TEST(CircumstancesTest, LogcumsumexpWithAGradientOfZero) {
  const auto of = [](const std::string& data) {
    return Of("%a = leaf type=f64[2] data=1," + data +
              " grad=1\n%y = logcumsumexp %a dim=0\n%z = mul %y %a\n%s = sum %z\nbackward %s\n");
  };
  EXPECT_EQ(of("0"), "  circumstance: logcumsumexp with a gradient of 0\n");
  EXPECT_EQ(of("2"), "");
  EXPECT_EQ(
      Of("%a = leaf type=f64[0] grad=1\n%y = logcumsumexp %a dim=0\n%s = sum %y\nbackward %s\n"),
      "  circumstance: logcumsumexp of nothing\n");
}

TEST(CircumstancesTest, AddmvOfNothing) {
  const auto of = [](const std::string& m, const std::string& n, const std::string& data) {
    return Of("%a = leaf type=f64[] data=0 grad=1\n%b = leaf type=f64[" + m + "," + n + "]\n" +
              "%c = leaf type=f64[" + n + "]" + data +
              "\n%y = addmv %a %b %c\n%s = sum %y\nbackward %s\n");
  };
  const std::string nothing = "  circumstance: addmv of nothing\n";
  EXPECT_EQ(of("2", "0", ""), nothing);
  EXPECT_EQ(of("0", "1", " data=1"), nothing);
  EXPECT_EQ(of("2", "1", " data=1"), "");
}

TEST(CircumstancesTest, VarOfNothing) {
  const auto of = [](const std::string& size) {
    return Of("%a = leaf type=f64[" + size + "] grad=1\n%y = var %a\nbackward %y\n");
  };
  EXPECT_EQ(of("0"), "  circumstance: var of nothing\n");
  EXPECT_EQ(of("2"), "");
}

TEST(CircumstancesTest, RoundedQuotients) {
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

TEST(CircumstancesTest, ReductionsOfPlaces) {
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

TEST(CircumstancesTest, PoolsOfSeveralNans) {
  const auto of = [](const std::string& data) {
    return Of("%a = leaf type=f64[1,2] grad=1 data=" + data +
              "\n%y = adaptive_max_pool1d_indices %a shape=1\n%s = sum %a\nbackward %s\n");
  };
  EXPECT_EQ(of("nan,nan"), "  circumstance: max_pool of several NaN\n");
  EXPECT_EQ(of("nan,0"), "");
}

TEST(CircumstancesTest, RepeatOfNoTimes) {
  const auto of = [](const std::string& times) {
    return Of("%a = leaf type=f64[] data=0 grad=1\n%y = repeat %a shape=" + times +
              "\n%s = sum %y\nbackward %s\n");
  };
  EXPECT_EQ(of("2,0"), "  circumstance: repeat of 0 times\n");
  EXPECT_EQ(of("2,1"), "");
}

TEST(CircumstancesTest, SparseGradients) {
  const auto of = [](const std::string& grad, const std::string& shape, const std::string& weight,
                     const std::string& how) {
    return Of("%a = leaf type=f64[" + shape + "]" + grad + "\n%i = leaf type=i64[2] data=1,0\n" +
              "%j = leaf type=i64[] data=1\n%b = leaf type=f64[] data=1 grad=1\n%n = neg %a\n" +
              "%e = embedding " + weight + how + "\n%y = mul %e %b\n%s = sum %y\nbackward %s\n");
  };
  const std::string is = "  circumstance: a sparse gradient\n";
  EXPECT_EQ(of(" grad=1", "2,1", "%a %i", " sparse=1"), is);
  EXPECT_EQ(of(" grad=1", "2,0", "%a %i", " sparse=1"),
            is + "  circumstance: a sparse gradient of nothing\n");
  EXPECT_EQ(of(" grad=1", "2,1", "%a %j", " sparse=1"),
            is + "  circumstance: a sparse gradient of one number\n");
  EXPECT_EQ(of(" grad=1", "2,1", "%n %i", " sparse=1"),
            is + "  circumstance: a sparse gradient of a result\n");
  EXPECT_EQ(of(" grad=1", "2,1", "%a %i", ""), "");
  EXPECT_EQ(of("", "2,1", "%a %i", " sparse=1"), "");
}

}  // namespace
}  // namespace twingrad::conformance
