#include "autograd/notation/networks.h"

#include <vector>

#include "autograd/base/test_errors.h"
#include "autograd/notation/elements.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

using Doubles = std::vector<double>;

Tensor Counted(Ints sizes) {
  Doubles elements(static_cast<size_t>(ElementCount(sizes)));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<double>(i);
  return Tensor::FromData<double>(sizes, elements);
}

TEST(Networks, LinearHasARowOfWeightsForEachResult) {
  const Tensor a = Tensor::FromData<double>({2, 2}, {1, 2, 3, 4});
  const Tensor weights = Tensor::FromData<double>({3, 2}, {1, 0, 0, 1, 1, 1});
  EXPECT_EQ(Elements(Linear(a, weights)), (Doubles{1, 2, 3, 3, 4, 7}));
  const Tensor bias = Tensor::FromData<double>({3}, {10, 20, 30});
  EXPECT_EQ(Elements(Linear(a, weights, bias)), (Doubles{11, 22, 33, 13, 24, 37}));
}

TEST(Networks, ConvolutionsHaveABiasForEachChannel) {
  const Tensor image = Counted({1, 1, 2, 3});
  const Tensor weights = Tensor::FromData<double>({2, 1, 1, 2}, {1, 1, 0, 1});
  const Tensor bias = Tensor::FromData<double>({2}, {10, 20});
  const Tensor y = Conv2d(image, weights, {.bias = bias});
  EXPECT_EQ(y.sizes(), Ints({1, 2, 2, 2}));
  EXPECT_EQ(Elements(y), (Doubles{11, 13, 17, 19, 21, 22, 24, 25}));
  const Tensor alone = Conv2d(Counted({1, 2, 3}), weights, {.bias = bias, .stride = {2, 1}});
  EXPECT_EQ(Elements(alone), (Doubles{11, 13, 21, 22}));
  // The weights reach over the padding, and each second place.
  const Tensor line = Tensor::FromData<double>({1, 3}, {1, 2, 3});
  const Tensor pair = Tensor::FromData<double>({1, 1, 2}, {1, 10});
  EXPECT_EQ(Elements(Conv1d(line, pair, {.padding = {1}, .dilation = {2}})), (Doubles{20, 31, 2}));
  EXPECT_EQ(Conv3d(Counted({2, 2, 2, 2}), Counted({4, 1, 1, 1, 1}), {.groups = 2}).sizes(),
            Ints({4, 2, 2, 2}));
}

TEST(Networks, TransposedConvolutionsAddWhereThatOneReads) {
  const Tensor line = Tensor::FromData<double>({1, 2}, {1, 2});
  const Tensor pair = Tensor::FromData<double>({1, 1, 2}, {1, 10});
  EXPECT_EQ(Elements(ConvTranspose1d(line, pair)), (Doubles{1, 12, 20}));
  EXPECT_EQ(
      Elements(ConvTranspose1d(
          line, pair,
          {.bias = Tensor::FromData<double>({1}, {100}), .stride = {3}, .output_padding = {1}})),
      (Doubles{101, 110, 100, 102, 120, 100}));
  EXPECT_EQ(ConvTranspose2d(Counted({1, 2, 2}), Counted({1, 3, 2, 2}), {.stride = {2, 2}}).sizes(),
            Ints({3, 4, 4}));
  EXPECT_EQ(ConvTranspose3d(Counted({1, 1, 1, 1}), Counted({1, 1, 2, 2, 2})).sizes(),
            Ints({1, 2, 2, 2}));
}

TEST(Networks, Pools) {
  const Tensor line = Tensor::FromData<double>({1, 4}, {1, 5, 3, 7});
  EXPECT_EQ(Elements(AvgPool1d(line, {2})), (Doubles{3, 5}));
  EXPECT_EQ(Elements(MaxPool1d(line, {2}, {.stride = {1}})), (Doubles{5, 5, 7}));
  EXPECT_EQ(Elements(MaxPool1dIndices(line, {2}, {.stride = {1}})), (Doubles{1, 1, 3}));
  EXPECT_EQ(Elements(AvgPool1d(line, {2}, {.padding = {1}})), (Doubles{0.5, 4, 3.5}));
  EXPECT_EQ(Elements(AdaptiveAvgPool1d(line, {1})), (Doubles{4}));
  EXPECT_EQ(Elements(MaxPool1dWithIndices(line, {2}, {.stride = {1}}).values), (Doubles{5, 5, 7}));
  EXPECT_EQ(Elements(MaxPool1dWithIndices(line, {2}, {.stride = {1}}).indices), (Doubles{1, 1, 3}));
  EXPECT_EQ(Elements(AdaptiveMaxPool1dWithIndices(line, {2}).indices), (Doubles{1, 3}));
  EXPECT_EQ(Elements(AdaptiveMaxPool1d(line, {2})), (Doubles{5, 7}));
  EXPECT_EQ(Elements(AdaptiveMaxPool1dIndices(line, {2})), (Doubles{1, 3}));
  const Tensor plane = Counted({1, 2, 2}), space = Counted({1, 2, 2, 2});
  EXPECT_EQ(Elements(AvgPool2d(plane, {2, 2})), (Doubles{1.5}));
  EXPECT_EQ(Elements(MaxPool2d(plane, {2, 2})), (Doubles{3}));
  EXPECT_EQ(Elements(MaxPool2dIndices(plane, {2, 2})), (Doubles{3}));
  EXPECT_EQ(Elements(AdaptiveAvgPool2d(plane, {1, 2})), (Doubles{1, 2}));
  EXPECT_EQ(Elements(MaxPool2dWithIndices(plane, {2, 2}).indices), (Doubles{3}));
  EXPECT_EQ(Elements(AdaptiveMaxPool2dWithIndices(plane, {1, 2}).values), (Doubles{2, 3}));
  EXPECT_EQ(Elements(AdaptiveMaxPool2d(plane, {1, 2})), (Doubles{2, 3}));
  EXPECT_EQ(Elements(AdaptiveMaxPool2dIndices(plane, {1, 2})), (Doubles{2, 3}));
  EXPECT_EQ(Elements(AvgPool3d(space, {2, 2, 2})), (Doubles{3.5}));
  EXPECT_EQ(Elements(MaxPool3d(space, {2, 2, 2})), (Doubles{7}));
  EXPECT_EQ(Elements(MaxPool3dIndices(space, {2, 2, 2})), (Doubles{7}));
  EXPECT_EQ(Elements(AdaptiveAvgPool3d(space, {1, 1, 1})), (Doubles{3.5}));
  EXPECT_EQ(Elements(MaxPool3dWithIndices(space, {2, 2, 2}).values), (Doubles{7}));
  EXPECT_EQ(Elements(AdaptiveMaxPool3dWithIndices(space, {1, 1, 1}).indices), (Doubles{7}));
  EXPECT_EQ(Elements(AdaptiveMaxPool3d(space, {1, 1, 1})), (Doubles{7}));
  EXPECT_EQ(Elements(AdaptiveMaxPool3dIndices(space, {1, 1, 1})), (Doubles{7}));
}

TEST(Networks, PlanesOfOtherSizes) {
  const Tensor line = Tensor::FromData<double>({1, 2}, {0, 4});
  EXPECT_EQ(Elements(UpsampleNearest1d(line, {4})), (Doubles{0, 0, 4, 4}));
  EXPECT_EQ(Elements(UpsampleLinear1d(line, {4})), (Doubles{0, 1, 3, 4}));
  EXPECT_EQ(Elements(UpsampleLinear1d(line, {3}, /*corners=*/true)), (Doubles{0, 2, 4}));
  const Tensor plane = Counted({1, 2, 2}), space = Counted({1, 2, 2, 2});
  EXPECT_EQ(Elements(UpsampleNearest2d(plane, {1, 4})), (Doubles{0, 0, 1, 1}));
  EXPECT_EQ(Elements(UpsampleBilinear2d(plane, {3, 1}, true)), (Doubles{0, 1, 2}));
  EXPECT_EQ(Elements(UpsampleBicubic2d(plane, {2, 2})), (Doubles{0, 1, 2, 3}));
  EXPECT_EQ(Elements(UpsampleNearest3d(space, {1, 1, 2})), (Doubles{0, 1}));
  EXPECT_EQ(Elements(UpsampleTrilinear3d(space, {1, 1, 2}, true)), (Doubles{0, 1}));
}

TEST(Networks, WhatDoesNotFitIsAnError) {
  EXPECT_EQ(KindOf([] { Conv2d(Counted({1, 2, 2}), Counted({1, 2, 1, 1})); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([] { Linear(Counted({2, 3}), Counted({2, 2})); }), ErrorKind::kShape);
}

}  // namespace
}  // namespace twingrad
