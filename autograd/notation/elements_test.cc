// Elements, Item and Leaf: reading any type and stride; what they refuse.

#include "autograd/notation/elements.h"

#include <cstdint>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/graph/variable.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

TEST(Elements, ReadsEveryTypeInRowMajorOrder) {
  const Tensor a = Tensor::FromData<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Elements(a.AsStrided({3, 2}, {1, 3}, 0)), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(Elements(Tensor::FromData<bool>({2}, {true, false})), (std::vector<double>{1, 0}));
  EXPECT_EQ(Elements(Tensor::FromData<int64_t>({1}, {-7})), (std::vector<double>{-7}));
  EXPECT_EQ(Elements(Tensor::Zeros({0, 3}, DType::kF32)), std::vector<double>());
}

TEST(Elements, ItemTakesExactlyOneElement) {
  EXPECT_EQ(Item(Tensor::FromData<float>({1, 1}, {2.5f})), 2.5);
  EXPECT_EQ(Item(Tensor::Scalar(3, DType::kI64)), 3);
  for (const Tensor& wrong : {Tensor(), Tensor::Zeros({2}, DType::kF64)}) {
    try {
      Item(wrong);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), wrong.defined() ? ErrorKind::kShape : ErrorKind::kUndefined);
    }
  }
  EXPECT_THROW(Elements(Tensor()), Error);
}

TEST(Elements, LeafSharesMemoryAndLeavesHistoryBehind) {
  const Tensor data = Tensor::Scalar(3);
  const Tensor leaf = Leaf(data);
  EXPECT_TRUE(RequiresGrad(leaf));
  EXPECT_TRUE(IsLeaf(leaf));
  EXPECT_TRUE(leaf.HasSameStorage(data));
  EXPECT_FALSE(RequiresGrad(data));
  EXPECT_THROW(Leaf(Tensor::Scalar(3, DType::kI64)), Error);
  EXPECT_THROW(Leaf(Tensor()), Error);
}

}  // namespace
}  // namespace twingrad
