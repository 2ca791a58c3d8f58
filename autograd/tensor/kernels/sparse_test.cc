// Sparse arithmetic against dense loops written here: duplicates add up in order, and a sum has the
// bits of the sum of the dense forms.

#include "autograd/tensor/kernels/sparse.h"

#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/base/error.h"
#include "autograd/base/span.h"
#include "autograd/base/test_errors.h"
#include "autograd/tensor/sparse.h"

namespace twingrad::kernels {
namespace {

Tensor Vector(int64_t size, Span<const int64_t> indices, Span<const double> values) {
  const int64_t count = static_cast<int64_t>(values.size());
  return MakeSparse({size}, Tensor::FromData<int64_t>({1, count}, indices),
                    Tensor::FromData<double>({count}, values));
}

std::vector<double> Elements(const Tensor& a) {
  return {a.data<double>(), a.data<double>() + a.numel()};
}
std::vector<int64_t> IndicesOf(const Tensor& a) {
  const Tensor& indices = SparsePartsOf(a).indices;
  return {indices.data<int64_t>(), indices.data<int64_t>() + indices.numel()};
}
std::vector<double> ValuesOf(const Tensor& a) { return Elements(SparsePartsOf(a).values); }

TEST(SparseKernelsTest, CoalescingSortsAndAddsDuplicatesInOrder) {
  // (1 + 1e16) - 1e16 is 0, and (1e16 - 1e16) + 1 is 1: the order is that of the entries.
  const Tensor s = Vector(9, {7, 2, 7, 2, 7}, {1, 1e16, 1e16, -1e16, -1e16});
  const Tensor c = Coalesce(s);
  EXPECT_EQ(IndicesOf(c), (std::vector<int64_t>{2, 7}));
  EXPECT_EQ(ValuesOf(c), (std::vector<double>{0, (1 + 1e16) - 1e16}));
  EXPECT_TRUE(SparsePartsOf(c).is_coalesced);
  EXPECT_TRUE(Coalesce(c).IsSameAs(c));
  EXPECT_EQ(SparsePartsOf(s).entries(), 5);
}

TEST(SparseKernelsTest, IndicesOfSeveralDimensionsAndValuesThatAreRows) {
  // Entries (1,0) (0,2) (1,0) of a [2,3,2].
  const Tensor indices = Tensor::FromData<int64_t>({2, 3}, {1, 0, 1, 0, 2, 0});
  const Tensor values = Tensor::FromData<double>({3, 2}, {1, 2, 10, 20, 100, 200});
  const Tensor s = MakeSparse({2, 3, 2}, indices, values);
  EXPECT_EQ(IndicesOf(Coalesce(s)), (std::vector<int64_t>{0, 1, 2, 0}));
  EXPECT_EQ(ValuesOf(Coalesce(s)), (std::vector<double>{10, 20, 101, 202}));
  EXPECT_EQ(Elements(ToDense(s)), (std::vector<double>{0, 0, 0, 0, 10, 20, 101, 202, 0, 0, 0, 0}));
}

TEST(SparseKernelsTest, PartsMayBeStrided) {
  const Tensor memory = Tensor::FromData<int64_t>({4}, {2, 9, 0, 9});
  const Tensor values = Tensor::FromData<double>({5}, {9, 1, 9, 9, 5});
  const Tensor s =
      MakeSparse({3}, memory.AsStrided({1, 2}, {4, 2}, 0), values.AsStrided({2}, {3}, 1));
  EXPECT_EQ(Elements(ToDense(s)), (std::vector<double>{5, 0, 1}));
}

TEST(SparseKernelsTest, SumsHaveTheBitsOfDenseSums) {
  const Tensor a = Vector(4, {3, 1, 3}, {0.1, 1, 0.2});
  const Tensor b = Vector(4, {3, 0, 3}, {0.3, 2, 0.7});
  const Tensor sum = AddSparse(a, b);
  EXPECT_TRUE(sum.is_sparse());
  EXPECT_EQ(IndicesOf(sum), (std::vector<int64_t>{0, 1, 3}));
  EXPECT_EQ(ValuesOf(sum), (std::vector<double>{2, 1, (0.1 + 0.2) + (0.3 + 0.7)}));
  const Tensor dense = Tensor::FromData<double>({4}, {10, 20, 30, 40});
  for (const Tensor& mixed : {AddSparse(a, dense), AddSparse(dense, a)}) {
    EXPECT_FALSE(mixed.is_sparse());
    EXPECT_EQ(Elements(mixed), (std::vector<double>{10, 21, 30, (0.1 + 0.2) + 40}));
  }
  EXPECT_EQ(dense.data<double>()[1], 20);
  EXPECT_EQ(SparsePartsOf(a).entries(), 3);
}

TEST(SparseKernelsTest, SumsInPlace) {
  Tensor target = Vector(4, {3}, {1});
  const Tensor same = target;
  EXPECT_TRUE(AddIntoSparse(target, Vector(4, {0, 3}, {5, 6})));
  EXPECT_TRUE(target.IsSameAs(same));
  EXPECT_EQ(Elements(ToDense(same)), (std::vector<double>{5, 0, 0, 7}));
  EXPECT_TRUE(AddIntoSparse(target, target));
  EXPECT_EQ(Elements(ToDense(same)), (std::vector<double>{10, 0, 0, 14}));

  const Tensor memory = Tensor::Zeros({6}, DType::kF64);
  Tensor columns = memory.AsStrided({2, 3}, {1, 2}, 0);
  AddSparseInto(columns, MakeSparse({2, 3}, Tensor::FromData<int64_t>({1, 1}, {1}),
                                    Tensor::FromData<double>({1, 3}, {1, 2, 3})));
  EXPECT_EQ(Elements(memory), (std::vector<double>{0, 1, 0, 2, 0, 3}));
}

TEST(SparseKernelsTest, OtherNumbersOfSparseDimensionsMakeADenseSum) {
  const Tensor rows = MakeSparse({2, 2}, Tensor::FromData<int64_t>({1, 1}, {1}),
                                 Tensor::FromData<double>({1, 2}, {1, 2}));
  Tensor points = MakeSparse({2, 2}, Tensor::FromData<int64_t>({2, 1}, {1, 0}),
                             Tensor::FromData<double>({1}, {10}));
  EXPECT_EQ(Elements(AddSparse(rows, points)), (std::vector<double>{0, 0, 11, 2}));
  EXPECT_FALSE(AddIntoSparse(points, rows));
  EXPECT_EQ(Elements(ToDense(points)), (std::vector<double>{0, 0, 10, 0}));
}

TEST(SparseKernelsTest, CopiesHavePartsOfTheirOwn) {
  const Tensor s = Vector(4, {3, 1}, {1.5, 2});
  const Tensor copy = CloneSparse(s);
  EXPECT_FALSE(SparsePartsOf(copy).values.HasSameStorage(SparsePartsOf(s).values));
  EXPECT_FALSE(SparsePartsOf(copy).indices.HasSameStorage(SparsePartsOf(s).indices));
  EXPECT_EQ(Elements(ToDense(copy)), (std::vector<double>{0, 2, 0, 1.5}));
  EXPECT_EQ(CastSparse(s, DType::kF32).dtype(), DType::kF32);
  EXPECT_EQ(SparsePartsOf(CastSparse(s, DType::kI64)).values.data<int64_t>()[0], 1);
}

TEST(SparseKernelsTest, WhatDoesNotFitIsRefused) {
  const Tensor s = Vector(4, {3}, {1});
  Tensor dense = Tensor::Zeros({4}, DType::kF64);
  EXPECT_EQ(KindOf([&] { AddSparse(s, Vector(5, {3}, {1})); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { AddSparse(s, Tensor::Zeros({1}, DType::kF64)); }), ErrorKind::kShape);
  EXPECT_EQ(KindOf([&] { AddSparse(s, Tensor::Zeros({4}, DType::kF32)); }), ErrorKind::kDType);
  EXPECT_EQ(KindOf([&] { AddSparse(Tensor::Zeros({4}, DType::kF64, Device::Sim(0)), s); }),
            ErrorKind::kDevice);
  EXPECT_EQ(KindOf([&] { ToDense(dense); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(KindOf([&] { Coalesce(dense); }), ErrorKind::kInvalidArgument);
  // The dense form of a large one does not fit 63 bits of bytes.
  const Tensor large =
      MakeSparse({int64_t{1} << 31, int64_t{1} << 31}, Tensor::FromData<int64_t>({2, 1}, {7, 8}),
                 Tensor::Ones({1}, DType::kF64));
  EXPECT_EQ(KindOf([&] { ToDense(large); }), ErrorKind::kInvalidArgument);
  EXPECT_EQ(ValuesOf(AddSparse(large, large)), (std::vector<double>{2}));
}

}  // namespace
}  // namespace twingrad::kernels
