// Sums of whole rows against those of each window by itself, and the way back.

#include "autograd/tensor/kernels/weighed_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/kernels/window_places.h"

namespace twingrad::kernels {
namespace {

template <typename T>
class WeighedRowsTest : public testing::Test {};
using RowTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(WeighedRowsTest, RowTypes);

template <typename T>
std::vector<T> Sines(int64_t count) {
  std::vector<T> sines;
  for (int64_t i = 0; i < count; ++i) sines.push_back(static_cast<T>(std::sin(3.0 * double(i))));
  return sines;
}

template <typename T>
std::vector<T> SumsByHand(const Windows& windows, bool back, const std::vector<T>& in) {
  const std::vector<int64_t> places = PlacesOf(windows);
  const std::vector<double> weights = ProductsOfWeights(windows);
  const auto count = static_cast<size_t>(NumWindows(windows));
  std::vector<T> out(back ? static_cast<size_t>(PlaneSizeOf(windows)) : count, T(0));
  for (size_t i = 0; i < places.size(); ++i) {
    const auto place = static_cast<size_t>(places[i]), window = i % count;
    out[back ? place : window] += in[back ? window : place] * CastNumber<T>(weights[i]);
  }
  return out;
}

TYPED_TEST(WeighedRowsTest, AreSumsByHand) {
  using T = TypeParam;
  const Windows kinds[] = {
      {NearestLine(3, 3)},
      {LinearLine(20, 9, false)},
      {NearestLine(5, 10), NearestLine(20, 40)},
      {NearestLine(9, 4), NearestLine(19, 18)},
      {LinearLine(6, 12, false), LinearLine(40, 80, false)},
      {CubicLine(3, 2, true), CubicLine(2, 50, true)},
      {LinearLine(3, 2, true), NearestLine(5, 7), CubicLine(6, 17, false)},
  };
  for (const Windows& windows : kinds) {
    for (const bool back : {false, true}) {
      const int64_t sources = back ? NumWindows(windows) : PlaneSizeOf(windows);
      const std::vector<T> in = Sines<T>(sources), expected = SumsByHand(windows, back, in);
      WeighedRows<T> rows(windows, back);
      for (int again = 0; again < 2; ++again) {
        std::vector<T> out(expected.size(), T(7));
        rows.Sum(in.data(), sources, out.data());
        EXPECT_EQ(out, expected) << back;
      }
    }
  }
}

// A row of the source is laid out anew for each plane.
TYPED_TEST(WeighedRowsTest, OfPlanesOneAfterTheOther) {
  using T = TypeParam;
  const Windows windows = {LinearLine(1, 1, false), LinearLine(3, 20, false)};
  WeighedRows<T> rows(windows, /*back=*/false);
  for (const T value : {T(1), T(2)}) {
    const std::vector<T> in(3, value);
    std::vector<T> out(20);
    rows.Sum(in.data(), 3, out.data());
    for (const T sum : out) EXPECT_NEAR(sum, value, 1e-6);
  }
}

// What has no entry at a place adds nothing to it, whatever it is.
TYPED_TEST(WeighedRowsTest, InfinityReachesNoOtherPlace) {
  using T = TypeParam;
  const Windows windows = {NearestLine(4, 3)};  // at 0, 1 and 2
  WeighedRows<T> rows(windows, /*back=*/true);
  const std::vector<T> in = {T(INFINITY), 1, T(NAN)};
  std::vector<T> out(4);
  rows.Sum(in.data(), 3, out.data());
  EXPECT_EQ(out[0], T(INFINITY));
  EXPECT_EQ(out[1], 1);
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_EQ(out[3], 0);
}

}  // namespace
}  // namespace twingrad::kernels
