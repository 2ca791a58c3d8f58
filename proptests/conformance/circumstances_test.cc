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

// A write to what is a view in secret is one through a view.
TEST(CircumstancesTest, AResultThatIsAViewIsToldByAWriteToIt) {
  const auto written = [](const std::string& maker) {
    return Of("%a = leaf type=f64[1,1] data=2 grad=1\n%b = clone %a\n%y = " + maker +
                  "\nneg_ %y\n%z = sum %y\nbackward %z\n",
              NodeRole::kCopySlices);
  };
  EXPECT_EQ(written("linear %b %b"), "  circumstance: the result of linear is a view\n");
  EXPECT_EQ(written("squeeze %b"), "");
}

// The graph enters what it is a view of, past the node of the view.
TEST(CircumstancesTest, AResultThatIsAViewIsToldByAWayPastIt) {
  const auto program = Parsed(
      "%a = leaf type=f64[1,1] data=2 grad=1\n%y = linear %a %a\n%z = sum %y\nbackward %z\n");
  const Observation expected = twingrad::reference::RunTwin(program).observation;
  Observation observed = expected;
  observed.calls.at(0).nodes.at(1).name.index = 1;
  EXPECT_EQ(Circumstances(program, expected, observed),
            "  circumstance: the result of linear is a view\n");
  observed.calls.at(0).nodes.push_back(expected.calls.at(0).nodes.at(1));
  EXPECT_EQ(Circumstances(program, expected, observed), "");
}

TEST(CircumstancesTest, ViewsAreViews) {
  EXPECT_EQ(Of("%a = leaf type=f64[1,1] data=2 grad=1\n%y = squeeze %a\n%z = sum %y\nbackward %z\n",
               NodeRole::kRegeneratedView),
            "");
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

// More often than the twin says.
TEST(CircumstancesTest, AnAccumulateHookThatRunsTooOften) {
  const auto program = Parsed(
      "%x = leaf type=f64[] data=1 grad=1\naccumulate_hook %x do=record\n%y = neg %x\n"
      "backward %y\n");
  const Observation expected = twingrad::reference::RunTwin(program).observation;
  Observation observed = expected;
  EXPECT_EQ(Circumstances(program, expected, observed), "");
  observed.calls.at(0).hooks.push_back(observed.calls.at(0).hooks.at(0));
  EXPECT_EQ(Circumstances(program, expected, observed),
            "  circumstance: an accumulate_hook that runs too often\n");
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
