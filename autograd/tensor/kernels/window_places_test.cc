// Tables of windows against what each Line says of its dimension.

#include "autograd/tensor/kernels/window_places.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "autograd/tensor/kernels/test_values.h"

namespace twingrad::kernels {
namespace {

TEST(WindowPlaces, PlanesAreTheLastDimensions) {
  const WindowPlane plane({2, 3, 4, 5}, {NearestLine(4, 1), NearestLine(5, 1)});
  EXPECT_EQ(plane.size, 20);
  EXPECT_EQ(plane.count, 6);
  EXPECT_EQ(WindowPlane({0, 4}, {NearestLine(4, 1)}).count, 0);
}

// By entry, and then by window; the first dimension outside.
TEST(WindowPlaces, PlacesAreCrossed) {
  const Windows windows = {BoxLine(2, {.kernel = 2, .padding = 1}),
                           BoxLine(3, {.kernel = 2, .stride = 1})};
  EXPECT_EQ(NumWindows(windows), 6);
  EXPECT_EQ(PlacesOf(windows), (std::vector<int64_t>{-1, -1, 0, 1, 3,  4,  -1, -1, 1, 2, 4,  5,  //
                                                     0,  1,  3, 4, -1, -1, 1,  2,  4, 5, -1, -1}));
  EXPECT_EQ(PlacesOf({}), (std::vector<int64_t>{0}));
}

TEST(WindowPlaces, WeightsAreMultiplied) {
  const Windows windows = {LinearLine(2, 4, false), LinearLine(2, 3, true)};
  const std::vector<double> weights = ProductsOfWeights(windows);
  ASSERT_EQ(weights.size(), 48u);
  // Entry 3, the last of both, in window 4: a quarter of the way down, and half the way along.
  EXPECT_EQ(weights[3 * 12 + 4], 0.25 * 0.5);
  EXPECT_EQ(ProductsOfWeights({NearestLine(2, 3)}), (std::vector<double>{1, 1, 1}));
}

TEST(WindowPlaces, TakersOfAPlaceAreInOrder) {
  std::vector<int64_t> starts, takers;
  Invert({1, -1, 0, 1, 1}, 3, &starts, &takers);
  EXPECT_EQ(starts, (std::vector<int64_t>{0, 1, 4, 4}));
  EXPECT_EQ(takers, (std::vector<int64_t>{2, 0, 3, 4}));
}

TEST(WindowPlaces, OnlyBoxesAreBoxes) {
  const Line box = BoxLine(5, {.kernel = 2, .stride = 3}), portion = PortionLine(5, 2);
  const auto boxes = BoxesIn({box});
  ASSERT_TRUE(boxes.has_value());
  EXPECT_EQ(boxes->axes[0].size, 1);
  EXPECT_EQ(boxes->axes[2].stride, 3);
  EXPECT_FALSE(BoxesIn({box, portion}).has_value());
  EXPECT_FALSE(BoxWorkOf({portion}, 1).has_value());
  EXPECT_EQ(BoxWorkOf({box, box}, 7)->plane, 25);
}

// Rows of windows along the last dimension, with the places of the first one.
TEST(WindowPlaces, RowsHaveTheEntriesInside) {
  const WindowRows all = WindowRowsOf({BoxLine(2, {.kernel = 2, .stride = 2, .padding = 1}),
                                       BoxLine(6, {.kernel = 2, .stride = 2})});
  ASSERT_EQ(all.rows.size(), 2u);
  EXPECT_EQ(all.places, (std::vector<int64_t>{0, 1, 6, 7}));
  EXPECT_EQ(all.rows[1].first, 3);
  EXPECT_EQ(all.rows[1].count, 3);
  EXPECT_EQ(all.rows[1].step, 2);
  EXPECT_EQ(all.rows[1].begin, 2u);
  EXPECT_EQ(all.rows[1].entries, 2u);
}

// Windows of one dimension as runs at one step.
TEST(WindowPlaces, Stretches) {
  const auto stretches = StretchesOf(BoxLine(6, {.kernel = 3, .stride = 2, .padding = 1}));
  ASSERT_EQ(stretches.size(), 2u);
  EXPECT_EQ(stretches[0].places, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(stretches[1].places, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(stretches[1].count, 2);
  EXPECT_EQ(stretches[1].step, 2);
  // Portions of 3 elements, and such of 2, 3 and 2.
  EXPECT_EQ(StretchesOf(PortionLine(7, 3)).size(), 1u);
  EXPECT_EQ(StretchesOf(PortionLine(5, 3)).size(), 3u);
}

}  // namespace
}  // namespace twingrad::kernels
