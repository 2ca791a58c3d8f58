#include "autograd/tensor/kernels/loops.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autograd/base/error.h"

namespace twingrad::kernels {
namespace {

std::vector<int64_t> Offsets(Ints sizes, const Shape& strides) {
  std::vector<int64_t> result;
  ForEachRow<1>(sizes, {strides}, [&](const Row<1>& row) {
    for (int64_t i = 0; i < row.count; ++i) result.push_back(row.offset[0] + i * row.step[0]);
  });
  return result;
}

TEST(Loops, VisitsElementsInRowMajorOrder) {
  EXPECT_EQ(Offsets({2, 3}, {3, 1}), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(Offsets({3, 2}, {1, 3}), (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(Offsets({2, 2, 2}, {0, 2, 1}), (std::vector<int64_t>{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(Loops, ScalarsAreOneElementAndEmptyShapesNone) {
  EXPECT_EQ(Offsets({}, {}), (std::vector<int64_t>{0}));
  EXPECT_TRUE(Offsets({0}, {1}).empty());
  EXPECT_TRUE(Offsets({2, 0, 3}, {0, 3, 1}).empty());
}

// Rules: R8.
TEST(Loops, BroadcastsShapesAlignedAtTheRight) {
  EXPECT_EQ(BroadcastShape("add", {2, 1}, {3}), (Shape{2, 3}));
  EXPECT_EQ(BroadcastShape("add", {}, {4}), (Shape{4}));
  EXPECT_EQ(BroadcastShape("add", {0}, {1}), (Shape{0}));
  EXPECT_EQ(BroadcastShape("add", {1}, {2, 0}), (Shape{2, 0}));
  EXPECT_EQ(BroadcastStrides({2, 1}, {1, 1}, {4, 2, 3}), (Shape{0, 1, 0}));
}

TEST(Loops, RefusesShapesThatDoNotFit) {
  try {
    BroadcastShape("add", {2, 3}, {2});
    FAIL() << "accepted [2,3] with [2]";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kShape);
    EXPECT_NE(std::string(error.what()).find("[2,3] and [2]"), std::string::npos) << error.what();
  }
  EXPECT_THROW(BroadcastShape("add", {0}, {2}), Error);
}

TEST(Loops, KnowsWhatBroadcastsToWhat) {
  EXPECT_TRUE(BroadcastsTo({1, 3}, {2, 3}));
  EXPECT_TRUE(BroadcastsTo({}, {0}));
  EXPECT_FALSE(BroadcastsTo({2, 3}, {3}));
  EXPECT_FALSE(BroadcastsTo({2}, {3}));
}

TEST(Loops, RefusesMixedTypesAndDevices) {
  const Tensor a = Tensor::Scalar(1, DType::kF64);
  EXPECT_THROW(CheckSameKind("add", a, Tensor::Scalar(1, DType::kF32)), Error);
  EXPECT_THROW(CheckSameKind("add", a, Tensor::Scalar(1, DType::kF64, Device::Sim(0))), Error);
  EXPECT_NO_THROW(CheckSameKind("add", a, a));
}

}  // namespace
}  // namespace twingrad::kernels
