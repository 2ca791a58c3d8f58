// Geometry, sharing, versions and limits of tensors.

#include "autograd/tensor/tensor.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/base/test_errors.h"
#include "autograd/sync/thread.h"

namespace twingrad {
namespace {

TEST(TensorTest, FromDataIsRowMajor) {
  Tensor a = Tensor::FromData<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(a.dim(), 2);
  EXPECT_EQ(a.numel(), 6);
  EXPECT_EQ(a.strides()[0], 3);
  EXPECT_EQ(a.strides()[1], 1);
  EXPECT_TRUE(a.IsContiguous());
  EXPECT_EQ(a.data<double>()[5], 6);
  EXPECT_EQ(KindOf([] { Tensor::FromData<double>({2}, {1}); }), ErrorKind::kShape);
}

TEST(TensorTest, SmallAndLargeTensorsHoldTheirElements) {
  for (int64_t n : {0, 1, 8, 9, 1000}) {
    Tensor a = Tensor::Full({n}, 7, DType::kI64);
    ASSERT_NE(a.data<int64_t>(), nullptr);
    for (int64_t i = 0; i < n; ++i) EXPECT_EQ(a.data<int64_t>()[i], 7);
  }
}

TEST(TensorTest, FullConvertsTheValue) {
  EXPECT_EQ(Tensor::Full({}, 1e300, DType::kI64).item<int64_t>(),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(Tensor::Full({}, -2.7, DType::kI64).item<int64_t>(), -2);
  EXPECT_TRUE(Tensor::Full({}, 0.5, DType::kBool).item<bool>());
  EXPECT_EQ(Tensor::Scalar(0.1, DType::kF32).item<float>(), 0.1f);
}

TEST(TensorTest, WhatATensorHasNotIsAnError) {
  const Tensor one = Tensor::Scalar(1);
  const Tensor two = Tensor::Zeros({2}, DType::kF64);
  const Tensor none;
  EXPECT_EQ(KindOf([&] { one.item<float>(); }), ErrorKind::kDType);
  EXPECT_EQ(KindOf([&] { two.item<double>(); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { none.item<double>(); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { none.dtype(); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { none.device(); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { none.sizes(); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { none.strides(); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { none.dim(); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { none.numel(); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { none.storage_offset(); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { none.IsContiguous(); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { none.raw_data(); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { none.version(); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { none.BumpVersion(); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { none.Detach(); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { none.AsStrided({}, {}, 0); }), ErrorKind::kUndefined);
  EXPECT_EQ(KindOf([&] { one.HasSameTypeAs(none); }), ErrorKind::kUndefined);
  EXPECT_FALSE(none.HasSameStorage(none));
  EXPECT_EQ(none.UseCount(), 0);
}

// Rules: L1.
TEST(TensorTest, ViewsShareMemoryAndVersion) {
  Tensor a = Tensor::FromData<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor column = a.AsStrided({2}, {3}, 1);
  EXPECT_FALSE(column.IsContiguous());
  EXPECT_EQ(column.data<double>()[0], 2);
  EXPECT_EQ(column.data<double>()[3], 5);
  EXPECT_TRUE(column.HasSameStorage(a));
  column.BumpVersion();
  EXPECT_EQ(a.version(), 1u);
  EXPECT_EQ(a.Detach().version(), 1u);
  EXPECT_FALSE(a.OwnsStorageAlone());
}

TEST(TensorTest, AViewOutlivesItsBase) {
  Tensor view;
  {
    Tensor a = Tensor::FromData<double>({4}, {1, 2, 3, 4});
    view = a.AsStrided({2}, {1}, 2);
  }
  EXPECT_EQ(view.data<double>()[1], 4);
  EXPECT_TRUE(view.OwnsStorageAlone());
}

TEST(TensorTest, HandlesCount) {
  Tensor a = Tensor::Scalar(1);
  EXPECT_TRUE(a.IsUniquelyOwned());
  Tensor b = a;
  EXPECT_EQ(a.UseCount(), 2);
  EXPECT_TRUE(a.IsSameAs(b));
  EXPECT_TRUE(a.OwnsStorageAlone());
}

TEST(TensorTest, AsStridedStaysInsideTheStorage) {
  Tensor a = Tensor::Zeros({4}, DType::kF64);
  EXPECT_EQ(KindOf([&] { a.AsStrided({2}, {3}, 1); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { a.AsStrided({2}, {-1}, 0); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(a.AsStrided({0}, {1}, 4).numel(), 0);
  EXPECT_EQ(a.AsStrided({3}, {-1}, 3).numel(), 3);
}

// Rules: R7.
TEST(TensorTest, ImpossibleSizesAreErrors) {
  constexpr int64_t kBig = int64_t{1} << 40;
  EXPECT_EQ(KindOf([] { Tensor::Empty({kBig, kBig}, DType::kF64); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([] { Tensor::Empty({int64_t{1} << 61}, DType::kF64); }),
            ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([] { Tensor::Empty({-1}, DType::kF64); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([] { Tensor::Empty(std::vector<int64_t>(256, 1), DType::kF64); }),
            ErrorKind::kInvalidArgument);
}

TEST(TensorTest, TypesCompareByDtypeDeviceAndShape) {
  const std::vector<std::vector<int64_t>> shapes = {
      {},        {1},       {2},          {1, 1},       {2, 3}, {3, 2},
      {2, 3, 4}, {2, 3, 5}, {1, 2, 3, 4}, {1, 2, 3, 5}, {0, 5}};
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (size_t j = 0; j < shapes.size(); ++j) {
      Tensor a = Tensor::Zeros(shapes[i], DType::kF32);
      Tensor b = Tensor::Zeros(shapes[j], DType::kF32);
      EXPECT_EQ(a.HasSameTypeAs(b), i == j) << i << " " << j;
    }
  }
  EXPECT_FALSE(Tensor::Scalar(1, DType::kF32).HasSameTypeAs(Tensor::Scalar(1, DType::kF64)));
  EXPECT_FALSE(Tensor::Scalar(1, DType::kF64, Device::Sim(0))
                   .HasSameTypeAs(Tensor::Scalar(1, DType::kF64, Device::Sim(1))));
}

TEST(TensorTest, OnCudaWithoutItIsAnErrorThatSaysHowToGetIt) {
  const std::function<void()> makings[] = {
      [] {
        Tensor::Zeros({2, 3}, DType::kF32, Device::Cuda(0));
      },
      [] { Tensor::Scalar(1, DType::kF64, Device::Cuda(0)); },
      [] { Tensor::Empty({0}, DType::kI64, Device::Cuda(0)); }};
  for (const auto& make : makings) {
    EXPECT_NE(MessageOf(ErrorKind::kDevice, make).find("link //cuda"), std::string::npos);
  }
}

TEST(TensorTest, RanksAboveTheInlineOnesWork) {
  Tensor a = Tensor::Zeros({1, 2, 1, 2, 1, 2}, DType::kF64);
  EXPECT_EQ(a.dim(), 6);
  EXPECT_EQ(a.strides()[1], 4);
  Tensor b = a.Detach();
  EXPECT_TRUE(b.HasSameTypeAs(a));
}

// Of every rank around those that lie in the tensor's own block.
TEST(TensorTest, DimensionsOfAnyRankAreKept) {
  for (size_t rank = 0; rank <= 12; ++rank) {
    Shape sizes;
    for (size_t i = 0; i < rank; ++i) sizes.push_back(1 + static_cast<int64_t>(i % 2));
    const Tensor a = Tensor::Ones(sizes, DType::kF64);
    const Tensor view = a.Detach();
    const Tensor data = a.Data();
    for (const Tensor& each : {a, view, data}) {
      EXPECT_EQ(each.sizes(), Ints(sizes));
      EXPECT_EQ(each.strides(), Ints(ContiguousStrides(sizes)));
      EXPECT_EQ(each.storage_offset(), 0);
    }
    // From each rank to each other, there and back.
    for (size_t other = 0; other <= 12; ++other) {
      const Tensor b = Tensor::Zeros(Shape(other), DType::kF64);
      const Tensor changed = Tensor::Ones(sizes, DType::kF64);
      changed.impl()->Exchange(*b.impl());
      EXPECT_EQ(changed.sizes(), b.sizes());
      changed.impl()->Exchange(*a.impl());
      EXPECT_EQ(changed.sizes(), Ints(sizes));
      EXPECT_EQ(changed.strides(), a.strides());
      EXPECT_EQ(changed.data<double>()[a.numel() - 1], 1);
    }
  }
}

// ASan sees a write behind the block.
TEST(TensorTest, AnEmptyTensorHasAPlaceInItsOwnBlock) {
  for (const Shape& sizes : {Shape{0}, Shape{0, 3}, Shape(12)}) {
    const Tensor empty = Tensor::Empty(sizes, DType::kF64);
    *static_cast<char*>(empty.mutable_raw_data()) = 1;
    EXPECT_FALSE(empty.HasSameStorage(Tensor::Empty(sizes, DType::kF64)));
  }
}

TEST(TensorTest, TheOffsetIsThatOfTheFirstElement) {
  const Tensor a = Tensor::Zeros({3, 4}, DType::kF32);
  const Tensor part = a.AsStrided({2}, {4}, 5);
  EXPECT_EQ(part.storage_offset(), 5);
  EXPECT_EQ(part.Detach().storage_offset(), 5);
  EXPECT_EQ(part.Data().storage_offset(), 5);
  const Tensor changed = Tensor::Scalar(0, DType::kF64);
  changed.impl()->Exchange(*part.impl());
  EXPECT_EQ(changed.storage_offset(), 5);
  EXPECT_EQ(changed.raw_data(), part.raw_data());
}

TEST(TensorTest, ElementsLieAlignedForWhatReadsSeveralAtOnce) {
  for (int64_t count = 1; count <= 20; ++count) {
    for (const Shape& sizes : {Shape{count}, Shape{1, count}}) {
      const Tensor a = Tensor::Zeros(sizes, DType::kF32);
      const uintptr_t alignment = count * 4 <= 8 ? 8 : 16;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(a.raw_data()) % alignment, 0u) << count;
    }
  }
}

TEST(TensorTest, OfStorageShowsWhatIsStoredRowMajor) {
  const Tensor a = Tensor::FromData<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  ASSERT_TRUE(a.impl()->IsStoredRowMajor());
  const Tensor b = Tensor::OfStorage(sync::IntrusivePtr<Storage>(a.impl()->storage()), a.type());
  EXPECT_TRUE(b.HasSameTypeAs(a));
  EXPECT_EQ(b.strides(), a.strides());
  EXPECT_EQ(b.raw_data(), a.raw_data());
  EXPECT_FALSE(a.OwnsStorageAlone());
  EXPECT_FALSE(a.AsStrided({3}, {1}, 3).impl()->IsStoredRowMajor());        // not from the start
  EXPECT_FALSE(a.AsStrided({2}, {3}, 0).impl()->IsStoredRowMajor());        // with gaps
  EXPECT_FALSE(a.AsStrided({1, 6}, {9, 1}, 0).impl()->IsStoredRowMajor());  // other strides
  EXPECT_FALSE(Tensor::Zeros({1, 1, 1, 2}, DType::kF64).impl()->IsStoredRowMajor());  // rank 4
}

TEST(TensorTest, HandlesMayBeDroppedByAnyThread) {
  for (int round = 0; round < 100; ++round) {
    Tensor a = Tensor::Scalar(1);
    Tensor view = a.Detach();
    sync::Thread thread("drop", [moved = std::move(a)]() mutable { moved.reset(); });
    view.reset();
    thread.Join();
  }
}

}  // namespace
}  // namespace twingrad
