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

Partials At(Primitive primitive, double a, double b, bool* kink) {
  ElementwisePoint point;
  point.a = {a, 0};
  point.b = {b, 0};
  point.result = Value(primitive, a, b);
  point.a_varies = point.b_varies = true;
  return RowOf(primitive).partials(point, kink);
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
      bool kink = false;
      const Partials p = At(primitive, a, b, &kink);
      const auto near = [&](Number partial, double above, double below) {
        EXPECT_NEAR(partial.v, (above - below) / (2 * kStep), 1e-8 * (1 + std::fabs(partial.v)))
            << static_cast<int>(primitive) << " at " << a << ", " << b;
      };
      const auto f = [&](double x, double y) { return Value(primitive, x, y).v; };
      const auto first = [&](double x, double y) { return At(primitive, x, y, &kink); };
      near(p.a, f(a + kStep, b), f(a - kStep, b));
      near(p.b, f(a, b + kStep), f(a, b - kStep));
      near(p.aa, first(a + kStep, b).a.v, first(a - kStep, b).a.v);
      near(p.ab, first(a, b + kStep).a.v, first(a, b - kStep).a.v);
      near(p.bb, first(a, b + kStep).b.v, first(a, b - kStep).b.v);
      EXPECT_FALSE(kink);
      EXPECT_LT(p.a.e, 1e-14);
    }
  }
}

TEST(PartialsTest, ConventionsAtKinks) {
  bool kink = false;
  EXPECT_EQ(At(Primitive::kRelu, 0, 0, &kink).a.v, 0);
  EXPECT_TRUE(kink);
  kink = false;
  EXPECT_EQ(At(Primitive::kAbs, 0, 0, &kink).a.v, 0);
  EXPECT_TRUE(kink);
  kink = false;
  const Partials tie = At(Primitive::kMaximum, 2, 2, &kink);
  EXPECT_EQ(tie.a.v, 0.5);
  EXPECT_EQ(tie.b.v, 0.5);
  EXPECT_TRUE(kink);
  kink = false;
  EXPECT_EQ(At(Primitive::kSqrt, 0, 0, &kink).a.e, kUnknown);
  EXPECT_TRUE(kink);
}

TEST(PartialsTest, PowersOfZeroAreNoKinksWithAConstantExponent) {
  for (const double exponent : {0.0, 1.0, 2.0, 3.0}) {
    ElementwisePoint point;
    point.b = {exponent, 0};
    point.result = Value(Primitive::kPower, 0, exponent);
    point.a_varies = true;
    bool kink = false;
    const Partials p = RowOf(Primitive::kPower).partials(point, &kink);
    EXPECT_FALSE(kink);
    EXPECT_EQ(p.a.v, exponent == 1 ? 1 : 0);
    EXPECT_EQ(p.aa.v, exponent == 2 ? 2 : 0);
    EXPECT_EQ(p.a.e + p.aa.e, 0);
  }
}

TEST(PartialsTest, OfPowersOfNoNumberNothingIsKnown) {
  for (const double base : {std::nan(""), HUGE_VAL}) {
    bool kink = false;
    const Partials p = At(Primitive::kPower, base, 0, &kink);
    EXPECT_TRUE(kink);
    EXPECT_EQ(p.a.e, kUnknown);
    EXPECT_EQ(p.aa.e, kUnknown);
  }
}

}  // namespace
}  // namespace twingrad::reference
