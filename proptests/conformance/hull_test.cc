// Points within and outside the hull of others, by hand and against random combinations.

#include "proptests/conformance/hull.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace twingrad::conformance {
namespace {

using Points = std::vector<std::vector<double>>;

bool Within(const Points& vertices, const std::vector<double>& point, double tolerance = 0) {
  return IsWithinHull(vertices, point, std::vector<double>(point.size(), tolerance));
}

TEST(HullTest, SharesOfATieSumToOne) {
  const Points shares = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_TRUE(Within(shares, {0.5, 0.25, 0.25}));
  EXPECT_TRUE(Within(shares, {1, 0, 0}));
  EXPECT_FALSE(Within(shares, {0.5, 0.5, 0.5}));
  EXPECT_FALSE(Within(shares, {1, 1, -1}));
  EXPECT_FALSE(Within(shares, {0, 0, 0}));
  EXPECT_TRUE(Within(shares, {0.5, 0.5, 0.3}, 0.2));
}

TEST(HullTest, OneVertexIsAPoint) {
  EXPECT_TRUE(Within({{-1, 2}}, {-1, 2}));
  EXPECT_FALSE(Within({{-1, 2}}, {-1, 2.001}));
  EXPECT_FALSE(Within({}, {1}));
  EXPECT_TRUE(Within({{0}}, {0}));
}

TEST(HullTest, CombinationsAreWithinAndWhatIsBeyondIsNot) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> number(-100, 100), share(0, 1);
  for (int trial = 0; trial < 300; ++trial) {
    const size_t count = 1 + random() % 12, size = 1 + random() % 8;
    Points vertices(count, std::vector<double>(size));
    std::vector<double> weights(count), point(size, 0);
    double sum = 0;
    for (double& w : weights) sum += w = share(random);
    double greatest = -1000;
    for (size_t v = 0; v < count; ++v) {
      double along = 0;
      for (double& x : vertices[v]) along += x = number(random);
      for (size_t i = 0; i < size; ++i) point[i] += weights[v] / sum * vertices[v][i];
      greatest = std::max(greatest, along);
    }
    EXPECT_TRUE(Within(vertices, point, 1e-9)) << trial;
    // The sum of coordinates separates it from all vertices.
    double along = 0;
    for (const double x : point) along += x;
    point[random() % size] += greatest - along + 0.01;
    EXPECT_FALSE(Within(vertices, point)) << trial;
  }
}

}  // namespace
}  // namespace twingrad::conformance
