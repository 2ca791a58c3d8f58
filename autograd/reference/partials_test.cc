#include "autograd/reference/partials.h"

#include <cmath>
#include <utility>
#include <vector>

#include "autograd/reference/primitive_row.h"
#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

Number Value(Primitive primitive, double a, double b) {
  Arena arena;
  const Shape shape({1});
  const Array* in[3] = {Filled(arena, DType::kF64, &shape, 1, a),
                        Filled(arena, DType::kF64, &shape, 1, b), nullptr};
  return Evaluate(arena, primitive, in, {}, false)->At(0);
}

// Adds to *kinks how many points were met.
Partials At(Primitive primitive, double a, double b, int* kinks) {
  ElementwisePoint point;
  point.a = {a, 0};
  point.b = {b, 0};
  point.result = Value(primitive, a, b);
  point.a_varies = point.b_varies = true;
  Choices choices(Choices::Rule::kOwn);
  const Partials partials = RowOf(primitive).partials(point, choices);
  *kinks += static_cast<int>(choices.points().size());
  return partials;
}

// Each partial derivative against a central difference of the function, or of the partial below it.
TEST(PartialsTest, AgreeWithDifferences) {
  constexpr double kStep = 1e-5;
  std::vector<PrimitiveRow> rows(UnaryPrimitives().begin(), UnaryPrimitives().end());
  rows.insert(rows.end(), BinaryPrimitives().begin(), BinaryPrimitives().end());
  for (const PrimitiveRow& row : rows) {
    if (row.partials == nullptr) continue;
    const Primitive primitive = row.primitive;
    for (const auto& [a, b] : std::vector<std::pair<double, double>>{{0.7, 1.9}, {2.3, 0.6}}) {
      int kinks = 0;
      const Partials p = At(primitive, a, b, &kinks);
      const auto near = [&](Number partial, double above, double below) {
        EXPECT_NEAR(partial.v, (above - below) / (2 * kStep), 1e-8 * (1 + std::fabs(partial.v)))
            << static_cast<int>(primitive) << " at " << a << ", " << b;
      };
      const auto f = [&](double x, double y) { return Value(primitive, x, y).v; };
      const auto first = [&](double x, double y) { return At(primitive, x, y, &kinks); };
      near(p.a, f(a + kStep, b), f(a - kStep, b));
      near(p.b, f(a, b + kStep), f(a, b - kStep));
      near(p.aa, first(a + kStep, b).a.v, first(a - kStep, b).a.v);
      near(p.ab, first(a, b + kStep).a.v, first(a, b - kStep).a.v);
      near(p.bb, first(a, b + kStep).b.v, first(a, b - kStep).b.v);
      EXPECT_EQ(kinks, 0);
      EXPECT_LT(p.a.e, 1e-14);
    }
  }
}

TEST(PartialsTest, ConventionsAtKinks) {
  int kinks = 0;
  EXPECT_EQ(At(Primitive::kRelu, 0, 0, &kinks).a.v, 0);
  EXPECT_EQ(At(Primitive::kAbs, 0, 0, &kinks).a.v, 0);
  const Partials tie = At(Primitive::kMaximum, 2, 2, &kinks);
  EXPECT_EQ(tie.a.v, 0.5);
  EXPECT_EQ(tie.b.v, 0.5);
  EXPECT_EQ(kinks, 3);
}

// At the end of a domain nothing is chosen: slopes are infinite.
TEST(PartialsTest, SlopesAtTheEndOfADomainAreInfinite) {
  int kinks = 0;
  for (const Primitive primitive : {Primitive::kSqrt, Primitive::kLog}) {
    const Partials p = At(primitive, 0, 0, &kinks);
    EXPECT_EQ(p.a.v, HUGE_VAL);
    EXPECT_EQ(p.aa.v, -HUGE_VAL);
    EXPECT_EQ(p.a.e + p.aa.e, 0);
  }
  EXPECT_EQ(At(Primitive::kDivide, 1, 0, &kinks).a.v, HUGE_VAL);
  EXPECT_EQ(At(Primitive::kDivide, 1, 0, &kinks).b.v, -HUGE_VAL);
  EXPECT_EQ(kinks, 0);
}

TEST(PartialsTest, PowersOfZeroAreNoKinksWithAConstantExponent) {
  for (const double exponent : {0.0, 1.0, 2.0, 3.0}) {
    ElementwisePoint point;
    point.b = {exponent, 0};
    point.result = Value(Primitive::kPower, 0, exponent);
    point.a_varies = true;
    Choices choices(Choices::Rule::kOwn);
    const Partials p = RowOf(Primitive::kPower).partials(point, choices);
    EXPECT_TRUE(choices.points().empty());
    EXPECT_EQ(p.a.v, exponent == 1 ? 1 : 0);
    EXPECT_EQ(p.aa.v, exponent == 2 ? 2 : 0);
    EXPECT_EQ(p.a.e + p.aa.e, 0);
  }
}

// At exponent 0 a^b is 1 for every base, and beside it smooth where the base is positive.
TEST(PartialsTest, PowersAreSmoothAtExponentZero) {
  int kinks = 0;
  const Partials p = At(Primitive::kPower, 4, 0, &kinks);
  EXPECT_EQ(kinks, 0);
  EXPECT_EQ(p.a.v, 0);
  EXPECT_EQ(p.aa.v, 0);
  EXPECT_EQ(p.ab.v, 0.25);
  EXPECT_DOUBLE_EQ(p.b.v, std::log(4.0));
  EXPECT_DOUBLE_EQ(p.bb.v, std::log(4.0) * std::log(4.0));
  for (const double base : {std::nan(""), HUGE_VAL, 0.0, -2.0}) {
    const Partials flat = At(Primitive::kPower, base, 0, &kinks);
    EXPECT_EQ(flat.a.v, 0);
    EXPECT_EQ(flat.a.e + flat.aa.e, 0);
    EXPECT_EQ(flat.b.e, kUnknown);
  }
  EXPECT_GT(kinks, 0);
}

TEST(PartialsTest, PowersAtZeroAndInfinity) {
  int kinks = 0;
  const Partials square = At(Primitive::kPower, 0, 2, &kinks);
  EXPECT_EQ(square.aa.v, 2);
  EXPECT_EQ(square.aa.e + square.ab.e + square.bb.e + square.b.e, 0);
  EXPECT_EQ(kinks, 0);
  EXPECT_EQ(At(Primitive::kPower, 0, 0.5, &kinks).a.v, HUGE_VAL);
  EXPECT_EQ(At(Primitive::kPower, 0, 0.5, &kinks).aa.v, -HUGE_VAL);
  EXPECT_EQ(At(Primitive::kPower, 0, 0.5, &kinks).aa.e, 0);
  EXPECT_EQ(At(Primitive::kPower, HUGE_VAL, 2, &kinks).a.v, HUGE_VAL);
  EXPECT_EQ(At(Primitive::kPower, HUGE_VAL, 2, &kinks).aa.v, 2);
}

TEST(PartialsTest, PowersWithABoundOfTheExponentNearZeroAreKnown) {
  ElementwisePoint point;
  point.a = {2, 0};
  point.b = {1e-17, 1e-16};
  point.result = {1, 1e-16};
  point.a_varies = point.b_varies = true;
  Choices choices(Choices::Rule::kOwn);
  const Partials p = RowOf(Primitive::kPower).partials(point, choices);
  for (const Number slope : {p.a, p.aa, p.b, p.bb, p.ab}) EXPECT_LT(slope.e, 1e-14);
  EXPECT_TRUE(choices.points().empty());
}

}  // namespace
}  // namespace twingrad::reference
