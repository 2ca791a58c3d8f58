// Sparse tensors as values: what makes one, what is refused, and that others may hold and pass them
// on like any tensor.

#include "autograd/tensor/sparse.h"

#include <cstdint>
#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/base/span.h"
#include "autograd/base/test_errors.h"

namespace twingrad {
namespace {

Tensor Indices(int64_t dims, Span<const int64_t> data) {
  const int64_t entries = dims == 0 ? 0 : static_cast<int64_t>(data.size()) / dims;
  return Tensor::FromData<int64_t>({dims, entries}, data);
}

Tensor TwoRows() {
  return MakeSparse({4, 2}, Indices(1, {3, 0}), Tensor::FromData<double>({2, 2}, {1, 2, 3, 4}));
}

TEST(SparseTest, HasATypeSizesAndPartsButNoElements) {
  const Tensor s = TwoRows();
  EXPECT_TRUE(s.is_sparse());
  EXPECT_EQ(s.dtype(), DType::kF64);
  EXPECT_TRUE(s.device().IsCpu());
  EXPECT_EQ(s.numel(), 8);
  EXPECT_FALSE(s.IsContiguous());
  EXPECT_FALSE(s.HasSameTypeAs(Tensor::Zeros({4, 2}, DType::kF64)));
  EXPECT_TRUE(s.HasSameTypeAs(TwoRows()));
  EXPECT_EQ(SparsePartsOf(s).sparse_dims(), 1);
  EXPECT_EQ(SparsePartsOf(s).entries(), 2);
  EXPECT_FALSE(SparsePartsOf(s).is_coalesced);
  EXPECT_EQ(KindOf([&] { s.AsStrided({1}, {1}, 0); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { SparsePartsOf(Tensor::Scalar(1)); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { SparsePartsOf(Tensor()); }), ErrorKind::kInvalidArgument);
}

TEST(SparseTest, SharesItsPartsAndItsVersionWithDetachedOnes) {
  Tensor s = TwoRows();
  Tensor detached = s.Detach();
  EXPECT_TRUE(detached.is_sparse());
  EXPECT_TRUE(detached.HasSameStorage(s));
  detached.BumpVersion();
  EXPECT_EQ(s.version(), 1u);
  s.reset();
  EXPECT_EQ(SparsePartsOf(detached).values.data<double>()[3], 4);
  EXPECT_TRUE(detached.OwnsStorageAlone());
}

TEST(SparseTest, NothingAndEverythingMayBeSparse) {
  const Tensor none =
      MakeSparse({3}, Tensor::Empty({1, 0}, DType::kI64), Tensor::Empty({0}, DType::kF32));
  EXPECT_TRUE(SparsePartsOf(none).is_coalesced);
  const Tensor whole =
      MakeSparse({2}, Tensor::Empty({0, 1}, DType::kI64), Tensor::FromData<double>({1, 2}, {5, 6}));
  EXPECT_EQ(SparsePartsOf(whole).sparse_dims(), 0);
  const Tensor point =
      MakeSparse({}, Tensor::Empty({0, 1}, DType::kI64), Tensor::Ones({1}, DType::kF64));
  EXPECT_EQ(point.dim(), 0);
  // More elements than memory: only the entries take room.
  const Tensor large = MakeSparse({int64_t{1} << 30, int64_t{1} << 30}, Indices(2, {7, 8}),
                                  Tensor::Ones({1}, DType::kF64));
  EXPECT_EQ(large.numel(), int64_t{1} << 60);
}

TEST(SparseTest, PartsThatDoNotFitAreRefused) {
  const Tensor values = Tensor::Ones({2}, DType::kF64);
  const auto make = [&](Ints sizes, const Tensor& indices, const Tensor& of) {
    return KindOf([&] { MakeSparse(sizes, indices, of); });
  };
  EXPECT_EQ(make({3}, Indices(1, {0, 3}), values), ErrorKind::kIndex);
  EXPECT_EQ(make({3}, Indices(1, {0, -1}), values), ErrorKind::kIndex);
  EXPECT_EQ(make({0}, Indices(1, {0, 0}), values), ErrorKind::kIndex);
  EXPECT_EQ(make({3}, Tensor::Zeros({1, 2}, DType::kF64), values), ErrorKind::kDType);
  EXPECT_EQ(make({3}, Indices(1, {0, 1, 2}), values), ErrorKind::kShape);
  EXPECT_EQ(make({3}, Tensor::Zeros({2}, DType::kI64), values), ErrorKind::kShape);
  EXPECT_EQ(make({3}, Indices(2, {0, 1, 0, 1}), values), ErrorKind::kShape);
  EXPECT_EQ(make({3, 2}, Indices(1, {0, 1}), values), ErrorKind::kShape);
  EXPECT_EQ(make({3}, Tensor(), values), ErrorKind::kUndefined);
  EXPECT_EQ(make({3}, Indices(1, {0, 1}), TwoRows()), ErrorKind::kInvalidArgument);
  EXPECT_EQ(make({3}, Indices(1, {0, 1}), Tensor::Ones({2}, DType::kF64, Device::Sim(0))),
            ErrorKind::kDevice);
  const int64_t kHuge = int64_t{1} << 40;
  EXPECT_EQ(make({kHuge, kHuge}, Indices(2, {0, 1, 0, 1}), values), ErrorKind::kInvalidArgument);
  EXPECT_EQ(make({-1}, Indices(1, {0, 1}), values), ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace twingrad
