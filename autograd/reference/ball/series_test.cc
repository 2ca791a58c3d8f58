// Truncated series: monomials, products, compositions and hulls.

#include "autograd/reference/ball/series.h"

#include "gtest/gtest.h"

namespace twingrad::reference::ball {
namespace {

Series Variable(int32_t variable) {
  Series series;
  series.terms.push_back({OfVariable(variable), Real(1.0)});
  return series;
}

double CoefficientOf(const Series& series, Monomial monomial) {
  for (const Term& term : series.terms) {
    if (term.monomial == monomial) return term.coefficient.Middle();
  }
  return 0;
}

TEST(SeriesTest, MonomialsAreProductsInAnyOrder) {
  const Monomial x = OfVariable(0), y = OfVariable(7), z = OfVariable(kMaxVariables - 1);
  EXPECT_EQ(Times(Times(x, y), z), Times(z, Times(y, x)));
  const Monomial m = Times(Times(y, x), y);
  EXPECT_EQ(Degree(m), 3);
  EXPECT_EQ(Multiplicity(m, 7), 2);
  EXPECT_EQ(Multiplicity(m, 1), 0);
  EXPECT_EQ(Without(m, 7), Times(x, y));
  EXPECT_EQ(VariableAt(z, 0), kMaxVariables - 1);
  EXPECT_EQ(VariableAt(z, 1), -1);
}

TEST(SeriesTest, ProductsAreTruncatedAtTheOrder) {
  Budget budget(1000);
  SeriesSum sum(budget);
  sum.Limit(2);
  sum.Add(Variable(0));
  sum.Add(Variable(1), Real(3.0));
  const Series a = sum.Take();  // x + 3 y
  SeriesSum square(budget);
  square.AddProduct(a, a);
  const Series b = square.Take();
  EXPECT_EQ(b.order, 2);
  EXPECT_EQ(CoefficientOf(b, Times(OfVariable(0), OfVariable(1))), 6);
  EXPECT_EQ(CoefficientOf(b, Times(OfVariable(1), OfVariable(1))), 9);
  SeriesSum cube(budget);
  cube.AddProduct(b, a);
  EXPECT_TRUE(cube.Take().IsConstant());
}

TEST(SeriesTest, CompositionFollowsTheChainRule) {
  Budget budget(1000);
  // 5 + 2 d + 3 d² + 4 d³ for d = x + y, to third order.
  SeriesSum sum(budget);
  sum.Add(Variable(0));
  sum.Add(Variable(1));
  const Series f = Compose(budget, {Real(5.0), Real(2.0), Real(3.0), Real(4.0)}, sum.Take());
  const Monomial x = OfVariable(0), y = OfVariable(1);
  EXPECT_EQ(CoefficientOf(f, x), 2);
  EXPECT_EQ(CoefficientOf(f, Times(x, y)), 6);
  EXPECT_EQ(CoefficientOf(f, Times(Times(x, x), y)), 12);
}

TEST(SeriesTest, AHullHoldsEachAndTakesWhatIsAbsentForZero) {
  Budget budget(1000);
  const Series x = Variable(0), y = Variable(1);
  const Series hull = HullOf(budget, {&x, &y});
  ASSERT_EQ(hull.terms.size(), 2u);
  for (const Term& term : hull.terms) {
    const Enclosure ball = term.coefficient.ToEnclosure(kF64Format);
    EXPECT_EQ(ball.Distance(0), 0);
    EXPECT_EQ(ball.Distance(1), 0);
    EXPECT_GT(ball.Distance(1.001), 0);
  }
}

TEST(SeriesTest, ABudgetEndsARun) {
  Budget budget(3);
  SeriesSum sum(budget);
  sum.Add(Variable(0));
  sum.Add(Variable(1));
  sum.Add(Variable(2));
  EXPECT_THROW(sum.Add(Variable(3)), TooLarge);
}

}  // namespace
}  // namespace twingrad::reference::ball
