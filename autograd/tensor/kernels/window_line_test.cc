#include "autograd/tensor/kernels/window_line.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace twingrad::kernels {
namespace {

using Places = std::vector<int64_t>;
using Weights = std::vector<double>;

TEST(WindowLine, BoxesMoveAndReachIntoThePadding) {
  const Line line = BoxLine(4, {.kernel = 2, .stride = 2, .padding = 1, .dilation = 3});
  EXPECT_EQ(line.windows, 2);
  EXPECT_EQ(line.places, (Places{-1, 2, 1, -1}));
  EXPECT_TRUE(line.weights.empty());
}

TEST(WindowLine, PortionsShareAllEntriesOut) {
  EXPECT_EQ(PortionLine(4, 2).places, (Places{0, 1, 2, 3}));
  EXPECT_EQ(PortionLine(5, 3).places, (Places{0, 1, -1, 1, 2, 3, 3, 4, -1}));
  EXPECT_EQ(PortionLine(2, 3).places, (Places{0, -1, 0, 1, 1, -1}));
}

TEST(WindowLine, Nearest) {
  EXPECT_EQ(NearestLine(2, 5).places, (Places{0, 0, 0, 1, 1}));
  EXPECT_EQ(NearestLine(5, 2).places, (Places{0, 2}));
}

TEST(WindowLine, LinearBetweenMiddles) {
  const Line line = LinearLine(2, 4, /*corners=*/false);
  EXPECT_EQ(line.places, (Places{0, 1, 0, 1, 0, 1, 1, 1}));
  EXPECT_EQ(line.weights, (Weights{1, 0, 0.75, 0.25, 0.25, 0.75, 0.75, 0.25}));
}

TEST(WindowLine, LinearBetweenCorners) {
  EXPECT_EQ(LinearLine(2, 3, /*corners=*/true).weights, (Weights{1, 0, 0.5, 0.5, 1, 0}));
  const Line one = LinearLine(3, 1, /*corners=*/true);
  EXPECT_EQ(one.places, (Places{0, 1}));
  EXPECT_EQ(one.weights, (Weights{1, 0}));
}

// At 1/2 the weights of a = -3/4 are -3/32, 19/32, 19/32, -3/32.
TEST(WindowLine, Cubic) {
  const Line line = CubicLine(3, 5, /*corners=*/true);
  EXPECT_EQ(Places(line.places.begin() + 4, line.places.begin() + 8), (Places{0, 0, 1, 2}));
  EXPECT_EQ(Weights(line.weights.begin() + 4, line.weights.begin() + 8),
            (Weights{-3.0 / 32, 19.0 / 32, 19.0 / 32, -3.0 / 32}));
  EXPECT_EQ(Weights(line.weights.begin(), line.weights.begin() + 4), (Weights{0, 1, 0, 0}));
  // Before the first middle.
  const Line middles = CubicLine(2, 4, /*corners=*/false);
  EXPECT_EQ(Places(middles.places.begin(), middles.places.begin() + 4), (Places{0, 0, 0, 1}));
}

}  // namespace
}  // namespace twingrad::kernels
