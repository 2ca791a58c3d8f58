#include "autograd/reference/tangents.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::reference {
namespace {

constexpr Partials kProduct(double a, double b) { return {{b, 0}, {a, 0}, {}, {1, 0}, {}}; }

class TangentsTest : public testing::Test {
 protected:
  Arena arena_;
  TangentAlgebra algebra_{arena_, 2};
};

// f = x^2 y at x = 3, y = 5.
TEST_F(TangentsTest, ProductRule) {
  const Tangents* x = algebra_.Seeded(nullptr, 1, 0, 1);
  const Tangents* y = algebra_.Seeded(nullptr, 1, 1, 1);
  const Partials square = kProduct(3, 3), times = kProduct(9, 5);
  const Tangents* xx = algebra_.Combine(x, x, 1, &square);
  const Tangents* f = algebra_.Combine(xx, y, 1, &times);
  EXPECT_EQ(xx->First(0, 0), 6);
  EXPECT_EQ(xx->Second(0, 0, 0), 2);
  EXPECT_EQ(f->First(0, 0), 30);
  EXPECT_EQ(f->First(0, 1), 9);
  EXPECT_EQ(f->Second(0, 0, 0), 10);
  EXPECT_EQ(f->Second(0, 0, 1), 6);
  EXPECT_EQ(f->Second(0, 1, 0), 6);
  EXPECT_EQ(f->Second(0, 1, 1), 0);
  EXPECT_EQ(f->First(0, 2), 0);  // outside the interval
  EXPECT_LT(f->second_error[0], 1e-12);
}

TEST_F(TangentsTest, MapsMoveElements) {
  const Tangents* x = algebra_.Seeded(nullptr, 3, 0, 2);
  const int32_t places[] = {2, 0, 2};
  const IndexMap map{places, 3};
  const Tangents* gathered = algebra_.Gather(x, map);
  EXPECT_EQ(gathered->First(0, 2), 2);
  EXPECT_EQ(gathered->First(1, 0), 2);
  const Tangents* summed = algebra_.ScatterAdd(x, map, 3);
  EXPECT_EQ(summed->First(2, 0), 2);
  EXPECT_EQ(summed->First(2, 2), 2);
  EXPECT_EQ(summed->First(1, 1), 0);
  const int32_t one[] = {1};
  const Tangents* written = algebra_.Overwrite(x, 3, nullptr, {one, 1});
  EXPECT_EQ(written->First(0, 0), 2);
  EXPECT_EQ(written->First(1, 1), 0);
  EXPECT_EQ(algebra_.Scaled(x, -3)->First(1, 1), -6);
}

TEST_F(TangentsTest, LinearFunctionsHoldNoSecondDerivatives) {
  const Tangents* x = algebra_.Seeded(nullptr, 1, 0, 1);
  const Tangents* y = algebra_.Seeded(nullptr, 1, 1, 1);
  Partials sum{};
  sum.a = sum.b = {1, 0};
  const Tangents* linear = algebra_.Combine(x, y, 1, &sum);
  EXPECT_EQ(linear->second, nullptr);
  EXPECT_EQ(linear->Second(0, 0, 1), 0);
  const Partials times = kProduct(2, 3);
  const Tangents* product = algebra_.Combine(linear, x, 1, &times);
  ASSERT_NE(product->second, nullptr);
  EXPECT_EQ(product->Second(0, 0, 0), 2);
  const Tangents* both = algebra_.Combine(product, linear, 1, &sum);
  EXPECT_EQ(both->Second(0, 0, 1), 1);
}

// As of a gradient, whose own second derivatives are third ones.
TEST_F(TangentsTest, WhatIsMadeOfHiddenSecondDerivativesHoldsNone) {
  const Tangents* x = algebra_.Seeded(nullptr, 2, 0, 1);
  const Tangents* g = algebra_.Hidden(nullptr, {true, true}, 0, 2);
  EXPECT_TRUE(g->HidesSecond());
  const Partials times[] = {kProduct(2, 3), kProduct(2, 3)};
  const Tangents* squares = algebra_.Combine(x, x, 2, times);
  EXPECT_NE(squares->second, nullptr);
  const Tangents* product = algebra_.Combine(squares, g, 2, times);
  EXPECT_TRUE(product->HidesSecond());
  EXPECT_EQ(product->First(0, 0), squares->First(0, 0) * 3);
  const Tangents* partly =
      algebra_.Combine(x, algebra_.Hidden(nullptr, {true, false}, 0, 2), 2, times);
  EXPECT_FALSE(partly->HidesSecond());
}

TEST_F(TangentsTest, ConstantsStayConstant) {
  EXPECT_EQ(algebra_.Combine(nullptr, nullptr, 1, nullptr), nullptr);
  EXPECT_EQ(algebra_.Gather(nullptr, {nullptr, 1}), nullptr);
  EXPECT_EQ(algebra_.Overwrite(nullptr, 1, nullptr, {nullptr, 1}), nullptr);
}

TEST_F(TangentsTest, ErrorsPropagate) {
  const Tangents* x = algebra_.Seeded(nullptr, 1, 0, 1);
  const Partials inexact{{2, 1e-10}, {}, {}, {}, {}};
  const Tangents* y = algebra_.Combine(x, nullptr, 1, &inexact);
  EXPECT_GE(y->first_error[0], 1e-10);
  EXPECT_LT(y->first_error[0], 1.1e-10);
  const Partials unknown{{0, kUnknown}, {}, {}, {}, {}};
  const Tangents* z = algebra_.Combine(x, nullptr, 1, &unknown);
  EXPECT_EQ(z->first_error[0], kUnknown);
  // Nor is 0 times what may be no number known.
  const Partials zero{{0, 0}, {}, {}, {}, {}};
  EXPECT_EQ(algebra_.Combine(z, nullptr, 1, &zero)->first_error[0], kUnknown);
  EXPECT_EQ(algebra_.Combine(x, nullptr, 1, &zero)->first_error[0], 0);
}

TEST_F(TangentsTest, RefusesTooManyDerivatives) {
  EXPECT_THROW(algebra_.Seeded(nullptr, 100'000, 0, 1), TooWide);
}

// y = sqrt(x) at 0 and 4, added up, and then times 0.
TEST_F(TangentsTest, InfiniteSlopesReachWhatDependsOnThem) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tangents* x = algebra_.Seeded(nullptr, 2, 0, 1);
  Partials roots[2];
  roots[0].a = {inf, 0};
  roots[1].a = {0.25, 0};
  const Tangents* y = algebra_.Combine(x, nullptr, 2, roots);
  EXPECT_EQ(y->First(0, 0), inf);
  EXPECT_EQ(y->First(0, 1), 0);
  EXPECT_EQ(y->First(1, 1), 0.25);
  EXPECT_EQ(algebra_.Singular(0), 1);
  EXPECT_EQ(algebra_.Singular(1), 0);
  const int32_t all[] = {0, 0};
  const Tangents* sum = algebra_.ScatterAdd(y, {all, 2}, 1);
  EXPECT_EQ(sum->First(0, 0), inf);
  EXPECT_EQ(sum->First(0, 1), 0.25);
  Partials zero, flat;
  flat.a_flat = true;
  // 0 times infinity is nothing known, but of a function that is constant nearby.
  EXPECT_TRUE(std::isnan(algebra_.Combine(sum, nullptr, 1, &zero)->First(0, 0)));
  EXPECT_EQ(algebra_.Combine(sum, nullptr, 1, &zero)->First(0, 1), 0);
  EXPECT_EQ(algebra_.Combine(sum, nullptr, 1, &flat)->First(0, 0), 0);
}

// Behind x^2 at 0, whose slope is 0 there, sqrt tells nothing: the two make abs.
TEST_F(TangentsTest, AnInfiniteSlopeBehindASlopeOfZeroTellsNothing) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tangents* x = algebra_.Seeded(nullptr, 1, 0, 1);
  const Partials square = kProduct(0, 0);
  const Tangents* q = algebra_.Combine(x, x, 1, &square);
  Partials root;
  root.a = {inf, 0};
  EXPECT_TRUE(algebra_.Zeroed(0));
  EXPECT_TRUE(std::isnan(algebra_.Combine(q, nullptr, 1, &root)->First(0, 0)));
}

// sqrt(x * m) at 0, where the mask m hides one of two elements: 0 times infinity is what reverse
// mode gives it.
TEST_F(TangentsTest, SlopesOfZeroHideWhatEntersASingularOperation) {
  const Tangents* x = algebra_.Seeded(nullptr, 3, 0, 1);
  Partials mask[3];
  mask[0].a = {1, 0};
  mask[2].a = {1, 0};
  mask[1].a_flat = true;
  const int32_t groups[] = {0, 0, 1};
  const Tangents* sums = algebra_.ScatterAdd(algebra_.Combine(x, nullptr, 3, mask), {groups, 3}, 2);
  Partials roots[2];
  roots[0].a = {std::numeric_limits<double>::infinity(), 0};
  roots[1].a = {0.25, 0};
  algebra_.Combine(sums, nullptr, 2, roots);
  EXPECT_EQ(algebra_.Singular(0), 1);
  EXPECT_EQ(algebra_.Singular(1), 1);
  EXPECT_EQ(algebra_.Singular(2), 0);
}

// x times a slope of [0, 1], times -3, next to a slope of one number.
TEST_F(TangentsTest, SpreadsAreOfEachDerivative) {
  const Tangents* x = algebra_.Seeded(nullptr, 2, 0, 1);
  Partials slopes[2];
  slopes[0].a = {0.5, 0};
  slopes[0].a_spread = 0.5;
  slopes[1].a = {1, 0};
  const Tangents* y = algebra_.Scaled(algebra_.Combine(x, nullptr, 2, slopes), -3);
  EXPECT_EQ(y->First(0, 0), -1.5);
  EXPECT_EQ(y->Spread(0, 0), 1.5);
  EXPECT_EQ(y->Spread(0, 1), 0);
  EXPECT_EQ(y->Spread(1, 1), 0);
  const int32_t all[] = {0, 0};
  const Tangents* sum = algebra_.ScatterAdd(y, {all, 2}, 1);
  EXPECT_EQ(sum->Spread(0, 0), 1.5);
  EXPECT_EQ(sum->Spread(0, 1), 0);
  EXPECT_EQ(sum->Spread(0, 5), 0);
}

// x^2 of three elements, and its sum.
TEST_F(TangentsTest, SupportsGrowWithWhatIsAdded) {
  const Tangents* x = algebra_.Seeded(nullptr, 3, 0, 1);
  const Partials square[] = {kProduct(1, 1), kProduct(2, 2), kProduct(3, 3)};
  const Tangents* squares = algebra_.Combine(x, x, 3, square);
  EXPECT_EQ(squares->support[1].begin, 1);
  EXPECT_EQ(squares->support[1].end, 2);
  EXPECT_EQ(squares->Second(1, 1, 1), 2);
  EXPECT_EQ(squares->Second(1, 0, 1), 0);
  const int32_t all[] = {0, 0, 0};
  const Tangents* sum = algebra_.ScatterAdd(squares, {all, 3}, 1);
  EXPECT_EQ(sum->support[0].begin, 0);
  EXPECT_EQ(sum->support[0].end, 3);
  for (int32_t v = 0; v < 3; ++v) EXPECT_EQ(sum->Second(0, v, v), 2);
  EXPECT_EQ(sum->Second(0, 0, 2), 0);
}

// Room is not cleared: what a support comes to include is 0, and what it has held stays.
TEST_F(TangentsTest, SecondDerivativesAreWrittenWhereSupportsReach) {
  Tangents* t = algebra_.New(1, 10, 15, /*curved=*/true, /*spreads=*/false);
  std::fill_n(t->second, t->pairs(), std::numeric_limits<double>::quiet_NaN());
  for (const Interval& by : {Interval{12, 13}, Interval{13, 14}, Interval{10, 11}, Interval{}}) {
    t->Extend(0, by);
    *t->RowOf(0, 12) = 5;
    for (int32_t a = 10; a < 15; ++a) {
      for (int32_t b = 10; b < 15; ++b) {
        EXPECT_EQ(t->Second(0, a, b), a == 12 && b == 12 ? 5 : 0) << a << ", " << b;
      }
    }
  }
  EXPECT_EQ(t->support[0].begin, 10);
  EXPECT_EQ(t->support[0].end, 14);
}

// A product that overflows times a derivative of 0 is no number.
TEST_F(TangentsTest, OverflowLeavesItsTraceOutsideTheSupport) {
  const Tangents* x = algebra_.Seeded(nullptr, 2, 0, 1e200);
  Partials curves[2];
  curves[0].aa = curves[1].aa = {1e200, 0};
  const Tangents* y = algebra_.Combine(x, nullptr, 2, curves);
  EXPECT_TRUE(std::isinf(y->Second(0, 0, 0)));
  EXPECT_TRUE(std::isnan(y->Second(0, 0, 1)));
}

// An element with a variable of its own beside those that it is computed from.
TEST_F(TangentsTest, SeedsAreAddedToTangents) {
  const Tangents* x = algebra_.Seeded(nullptr, 1, 0, 1);
  const Tangents* y = algebra_.Seeded(algebra_.Scaled(x, 3), 1, 4, 2);
  EXPECT_EQ(y->First(0, 0), 3);
  EXPECT_EQ(y->First(0, 4), 2);
  EXPECT_EQ(y->First(0, 2), 0);
  EXPECT_EQ(y->first_magnitude[0], 5);
}

}  // namespace
}  // namespace twingrad::reference
