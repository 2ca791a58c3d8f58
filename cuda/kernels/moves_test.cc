// Copies, conversions, choices and elements in other places on CUDA are those of the host.
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/rearrange.h"
#include "autograd/tensor/remote.h"
#include "cuda/kernels/test_operands.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using namespace twingrad::kernels;
using ::testing::HasSubstr;

using MovesOnCudaTest = KernelsOnCudaTest;

TEST_F(MovesOnCudaTest, Conversions) {
  for (const DType from : kDTypes) {
    for (const DType to : kDTypes) {
      const Tensor a = Strided(3, 4, from, 0.5);
      ExpectSame(Cast(There(a), to), Cast(a, to));
    }
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Tensor extremes = Tensor::FromData<double>(
      {5}, {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(), 1e300, -0.5});
  ExpectSame(Cast(There(extremes), DType::kI64), Cast(extremes, DType::kI64));
}

TEST_F(MovesOnCudaTest, CopiesIntoAnyGeometry) {
  for (const int64_t size : kSizes) {
    const Tensor a = Numbers({size}, DType::kF64);
    ExpectSame(Clone(There(a)), a);
  }
  const Tensor row = Numbers({4}, DType::kF32);
  // On the device, from the host, and to the host.
  Tensor there = There(Strided(3, 4, DType::kF64)), from_host = There(Strided(3, 4, DType::kF64));
  Tensor here = Strided(3, 4, DType::kF64), to_host = Strided(3, 4, DType::kF64);
  CopyInto(here, row);
  CopyInto(there, There(row));
  CopyInto(from_host, row);
  CopyInto(to_host, There(row));
  ExpectSame(Clone(there), Clone(here));
  ExpectSame(Clone(from_host), Clone(here));
  ExpectSame(There(to_host), Clone(here));
}

TEST_F(MovesOnCudaTest, CopiesWithinOneStorage) {
  const Tensor base = Numbers({6}, DType::kI64);
  Tensor there = There(base);
  Tensor later = there.AsStrided({4}, {1}, 2);
  CopyInto(later, there.AsStrided({4}, {1}, 0));
  const Tensor expected = Tensor::FromData<int64_t>({6}, {-6, 1, -6, 1, -5, 2});
  ExpectSame(there, expected);
}

// Indices are looked at once, until somebody may have written them.
TEST_F(MovesOnCudaTest, IndicesAreKnownAsLongAsNobodyWrites) {
  const Tensor made = ExtremeIndex(There(Numbers({4, 9}, DType::kF32)), 1, /*least=*/false);
  EXPECT_TRUE(AreIndicesBelow(made, 9));
  EXPECT_FALSE(AreIndicesBelow(made, 8));
  const Tensor given = There(Tensor::FromData<int64_t>({3}, {2, 0, 1}));
  EXPECT_FALSE(AreIndicesBelow(given, 3));
  const Tensor from = There(Numbers({5}, DType::kF64));
  Gather(from, 0, given);
  EXPECT_TRUE(AreIndicesBelow(given, 5));
  EXPECT_TRUE(AreIndicesBelow(given, 6));
  EXPECT_FALSE(AreIndicesBelow(given, 4));
  // A write, which a version counts.
  Tensor written = given;
  CopyInto(written, There(Tensor::FromData<int64_t>({3}, {2, 7, 1})));
  written.BumpVersion();
  EXPECT_FALSE(AreIndicesBelow(given, 5));
  EXPECT_EQ(KindOf([&] { Gather(from, 0, given); }), ErrorKind::kIndex);
  // One that it does not.
  const Tensor lent = There(Tensor::FromData<int64_t>({3}, {2, 0, 1}));
  Gather(from, 0, lent);
  Tensor alias = lent.Data();
  EXPECT_FALSE(AreIndicesBelow(lent, 5));
  CopyInto(alias, There(Tensor::FromData<int64_t>({3}, {2, 7, 1})));
  EXPECT_EQ(KindOf([&] { Gather(from, 0, lent); }), ErrorKind::kIndex);
  // Part of the memory says nothing of the rest; what is repeated is known by its memory.
  const Tensor wide = There(Tensor::FromData<int64_t>({4}, {2, 0, 9, 1}));
  Gather(from, 0, wide.AsStrided({2}, {1}, 0));
  EXPECT_FALSE(AreIndicesBelow(wide, 5));
  const Tensor few = There(Tensor::FromData<int64_t>({2}, {2, 0}));
  Gather(There(Numbers({5, 7}, DType::kF64)), 0, few.AsStrided({2, 7}, {1, 0}, 0));
  EXPECT_TRUE(AreIndicesBelow(few, 5));
}

TEST_F(MovesOnCudaTest, CopiesBetweenDevices) {
  if (DeviceCount() < 2) GTEST_SKIP() << "there is one device";
  const Tensor a = Strided(3, 4, DType::kF32);
  const Tensor other = CopyTo(There(a), Device::Cuda(1));
  EXPECT_EQ(other.device(), Device::Cuda(1));
  ExpectSame(CopyTo(other, kGpu), Clone(a));
  Tensor strided = There(Strided(3, 4, DType::kF64));
  CopyInto(strided, other);
  ExpectSame(Clone(strided), Cast(a, DType::kF64));
}

TEST_F(MovesOnCudaTest, CopiesToAndFromASimulatedAccelerator) {
  const Tensor a = Strided(3, 4, DType::kF32);
  const Tensor simulated = CopyTo(There(a), Device::Sim(0));
  EXPECT_EQ(simulated.device(), Device::Sim(0));
  ExpectSame(CopyTo(simulated, kGpu), Clone(a));
}

TEST_F(MovesOnCudaTest, Choices) {
  for (const DType dtype : kDTypes) {
    const Tensor a = Strided(3, 4, dtype), b = Numbers({4}, dtype);
    const Tensor condition = Cast(Numbers({3, 1}, DType::kI64), DType::kBool);
    ExpectSame(Where(There(condition), There(a), There(b)), Where(condition, a, b));
  }
}

TEST_F(MovesOnCudaTest, ElementsInOtherPlaces) {
  const Tensor index = Tensor::FromData<int64_t>({3, 2}, {0, 1, 1, 1, 3, 0});
  for (const DType dtype : kDTypes) {
    const Tensor a = Strided(3, 4, dtype), source = Numbers({3, 2}, dtype);
    ExpectSame(Flip(There(a), {0, 1}), Flip(a, {0, 1}));
    ExpectSame(Gather(There(a), 1, There(index)), Gather(a, 1, index));
    ExpectSame(Scatter(There(a), 1, There(index), There(source)), Scatter(a, 1, index, source));
    if (dtype == DType::kBool) continue;
    ExpectSame(ScatterAdd(There(a), 1, There(index), There(source)),
               ScatterAdd(a, 1, index, source));
    if (!IsFloating(dtype)) continue;
    ExpectSame(ScatterMul(There(a), 1, There(index), There(source)),
               ScatterMul(a, 1, index, source));
    for (const bool least : {false, true}) {
      ExpectSame(ScatterExtreme(There(a), 1, There(index), There(source), least),
                 ScatterExtreme(a, 1, index, source, least));
    }
  }
  const Tensor none = Tensor::Zeros({0, 2}, DType::kI64), a = Numbers({3, 4}, DType::kF32);
  ExpectSame(Gather(There(a), 0, There(none)), Gather(a, 0, none));
}

TEST_F(MovesOnCudaTest, AnIndexOutsideIsAnError) {
  const Tensor a = There(Numbers({3}, DType::kF32));
  const Tensor index = There(Tensor::FromData<int64_t>({2}, {1, 3}));
  for (const Error& error : {ErrorOf([&] { Gather(a, 0, index); }),
                             ErrorOf([&] { Scatter(a, 0, index, a.AsStrided({2}, {1}, 0)); })}) {
    EXPECT_EQ(error.kind(), ErrorKind::kIndex);
    EXPECT_THAT(error.what(), HasSubstr("index 3 of a dimension of size 3"));
  }
}

TEST_F(MovesOnCudaTest, MoreDimensionsThanAWalkTakesAreUnsupported) {
  // Sizes of 1 and dimensions that lie side by side do not count.
  const Shape twos(14, 2);
  ExpectSame(Clone(Tensor::Ones(twos, DType::kBool, kGpu)), Tensor::Ones(twos, DType::kBool));
  const Tensor spread = Tensor::Zeros({1 << 15}, DType::kBool, kGpu);
  Shape strides;
  for (int64_t d = 0; d < 14; ++d) strides.push_back(int64_t{1} << (d + 1));
  const Error error = ErrorOf([&] { Clone(spread.AsStrided(twos, strides, 0)); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("[copy_] unsupported on cuda of operands of rank 14"));
}

}  // namespace
}  // namespace twingrad::cuda
