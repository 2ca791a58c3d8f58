#include "proptests/oracles/compare.h"

#include <utility>

#include <limits>

#include "proptests/oracles/oracle_test_support.h"

namespace twingrad::oracles {
namespace {

using twingrad::DType;
using twingrad::program::TensorData;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TensorData Pair(double a, double b) { return {DType::kF64, {2}, {Number(a), Number(b)}}; }

TEST(Compare, BoundsDecide) {
  EXPECT_FALSE(Compare(Pair(1, 2), Pair(1, 2), {}));
  EXPECT_EQ(Compare(Pair(1, 2), Pair(1, 2.5), {}).index, 1u);
  const double half[] = {0, 0.5};
  EXPECT_FALSE(Compare(Pair(1, 2), Pair(1, 2.5), half));
  EXPECT_TRUE(Compare(Pair(1, 2), Pair(1, 2.75), half));
  const double none[] = {kInfinity, 0};
  EXPECT_FALSE(Compare(Pair(1, 2), Pair(7, 2), none));
}

TEST(Compare, NanEqualsNanAndZerosAreEqual) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(Compare(Pair(nan, 0.0), Pair(nan, -0.0), {}));
  EXPECT_TRUE(Compare(Pair(nan, 0), Pair(1, 0), {}));
  EXPECT_TRUE(Compare(Pair(kInfinity, 0), Pair(1, 0), {}));
  EXPECT_TRUE(CompareBits(Pair(1, 0.0), Pair(1, -0.0)));
}

TEST(Compare, TheTextSaysWhatRoundingExplains) {
  const auto text = [](double expected, double actual) {
    const TensorData a = Pair(0, expected);
    const TensorData b = Pair(0, actual);
    return DifferenceText(Compare(a, b, {}), a, b);
  };
  EXPECT_NE(text(100, 100.00000000000001).find("must be equal; they differ by rounding\n"),
            std::string::npos);
  EXPECT_NE(text(0, 1e-16).find("; they differ by rounding\n"), std::string::npos);
  EXPECT_NE(text(14, 13.999999046325684).find("must be equal; they differ as f32 rounds\n"),
            std::string::npos);
  for (const double actual : {100.01, -100.0, 0.0, kInfinity}) {
    EXPECT_EQ(text(100, actual).find("they differ"), std::string::npos) << actual;
  }
}

TEST(Compare, TypesCount) {
  const TensorData wide = {DType::kF64, {2, 1}, {Number(1), Number(2)}};
  EXPECT_EQ(Compare(Pair(1, 2), wide, {}).kind, Difference::Kind::kType);
}

TEST(Compare, RulesFollowTheWidestBound) {
  const double mixed[] = {0, 1e-12};
  const double wide[] = {0, 1};
  const double unknown[] = {0, kInfinity};
  EXPECT_EQ(RuleOf(Pair(1, 2), {}), Rule::kExact);
  EXPECT_EQ(RuleOf(Pair(1, 2), mixed), Rule::kBounded);
  EXPECT_EQ(RuleOf(Pair(1, 2), wide), Rule::kNotCompared);
  EXPECT_EQ(RuleOf(Pair(1, 100), wide), Rule::kBounded);
  EXPECT_EQ(RuleOf(Pair(1, 2), unknown), Rule::kNotCompared);
}

// Statements with no result, one, and several.
TEST(Compare, StatementsAreFoundByWhatTheyDefine) {
  const Trial trial(R"(%x = leaf type=f64[] data=3 grad=1
retain_grad %x
retain_grad %x
%a,%b = custom %x %x do=pass
%y = mul %a %b
%g,%h = grad %y inputs=%x,%a
backward %y
)");
  for (const auto& [value, statement] :
       {std::pair(-1, -1), {0, 0}, {1, 3}, {2, 3}, {3, 4}, {4, 5}, {5, 5}, {6, -1}}) {
    EXPECT_EQ(StatementOf(trial.program, value), statement) << value;
  }
}

TEST(Compare, WordsNameWhatTheyMean) {
  const Trial trial(kProduct);
  EXPECT_EQ(NameOf(trial.program, 2), "%y");
  EXPECT_EQ(StatementOf(trial.program, 2), 2);
  EXPECT_EQ(LineOf(trial.program, 2), "statement 2: %y = mul %x %w");
  EXPECT_EQ(TypeText(DType::kF32, {2, 3}), "f32[2,3]");
  EXPECT_EQ(ElementText(Pair(3, 0.5), 0), "3");
  EXPECT_EQ(ElementText(Pair(3, 0.5), 1), "0.5 (0x1p-1)");
  EXPECT_EQ(EngineText(2), "engine with 2 device threads");
  EXPECT_EQ(NodeText({twingrad::program::NodeRole::kAccumulateGrad, 4, 0}),
            "accumulate_grad of statement 4");
}

}  // namespace
}  // namespace twingrad::oracles
