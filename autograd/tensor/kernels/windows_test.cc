#include "autograd/tensor/kernels/windows.h"

#include <gtest/gtest.h>

#include <vector>

#include "autograd/tensor/kernels/test_values.h"

namespace twingrad::kernels {
namespace {

const Windows kPairs = {BoxLine(3, {.kernel = 2, .padding = 1})};

TEST(Windows, UnfoldListsEntriesByWindow) {
  const Tensor a = Make<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor columns = Unfold(a, kPairs);
  EXPECT_EQ(SizesOf(columns), (Integers{2, 2, 4}));
  EXPECT_EQ(kernels::Elements<double>(columns),
            (Doubles{0, 1, 2, 3, 1, 2, 3, 0, 0, 4, 5, 6, 4, 5, 6, 0}));
  EXPECT_EQ(kernels::Elements<double>(
                Unfold(Transposed(Make<double>({3, 2}, {1, 4, 2, 5, 3, 6})), kPairs)),
            kernels::Elements<double>(columns));
}

TEST(Windows, FoldAddsWhatUnfoldRepeats) {
  const Tensor columns = Make<float>({1, 2, 4}, {1, 2, 3, 4, 10, 20, 30, 40});
  EXPECT_EQ(kernels::Elements<float>(Fold(columns, kPairs, {1, 3})),
            (std::vector<float>{12, 23, 34}));
}

TEST(Windows, PlanesWithStridesAndDilation) {
  const Windows w = {BoxLine(2, {.kernel = 2}),
                     BoxLine(3, {.kernel = 2, .stride = 2, .padding = 1, .dilation = 2})};
  const Tensor a = Make<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(EntriesOf(w), 4);
  EXPECT_EQ(CountsOf(w), (Shape{1, 2}));
  EXPECT_EQ(kernels::Elements<double>(Unfold(a, w)), (Doubles{0, 2, 2, 0, 0, 5, 5, 0}));
}

TEST(Windows, WeightsAreProductsOfThoseOfTheLines) {
  const Windows w = {LinearLine(2, 4, false), LinearLine(2, 3, true)};
  const Tensor like = Make<float>({}, {0});
  const Tensor weights = WeightsOf(w, like);
  EXPECT_EQ(SizesOf(weights), (Integers{4, 12}));
  const auto all = kernels::Elements<float>(weights);
  // Row 1 is a quarter of the way down, column 1 between the two.
  EXPECT_EQ((std::vector<float>{all[4], all[16], all[28], all[40]}),
            (std::vector<float>{0.375, 0.375, 0.125, 0.125}));
}

TEST(Windows, NumbersOfEntries) {
  const Windows w = {PortionLine(3, 2), PortionLine(2, 1)};
  EXPECT_EQ(kernels::Elements<double>(NumbersOfEntries(w, Make<double>({}, {0}))), (Doubles{4, 4}));
  EXPECT_EQ(kernels::Elements<double>(NumbersOfEntries({PortionLine(5, 3)}, Make<double>({}, {0}))),
            (Doubles{2, 3, 2}));
}

TEST(Windows, NoPlanes) {
  const Tensor none = Make<double>({0, 3}, {});
  EXPECT_EQ(SizesOf(Unfold(none, kPairs)), (Integers{0, 2, 4}));
}

}  // namespace
}  // namespace twingrad::kernels
