// Functions of two elements, folds and matrix products on CUDA give what they give on the host.
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"
#include "autograd/tensor/kernels/arithmetic.h"
#include "autograd/tensor/kernels/copy.h"
#include "autograd/tensor/kernels/elementary.h"
#include "autograd/tensor/kernels/matmul.h"
#include "autograd/tensor/kernels/reduce.h"
#include "cuda/kernels/test_operands.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using namespace twingrad::kernels;

using BinaryOnCudaTest = KernelsOnCudaTest;
using Kernel = Tensor (*)(const Tensor& a, const Tensor& b);

// Of operands that are broadcast, strided and scalar.
void ExpectSameOf(Kernel kernel, DType dtype, double scale = 1, double parts = 0) {
  const Tensor matrix = Strided(5, 7, dtype, scale);
  for (const Tensor& a : {matrix, Numbers({7}, dtype, scale), Numbers({5, 1}, dtype, scale),
                          Numbers({}, dtype, scale), Numbers({2, 5, 7}, dtype, scale)}) {
    ExpectSame(kernel(There(a), There(matrix)), kernel(a, matrix), parts);
    ExpectSame(kernel(There(matrix), There(a)), kernel(matrix, a), parts);
  }
  const Tensor none = Numbers({0, 7}, dtype);
  ExpectSame(kernel(There(none), There(none)), kernel(none, none));
}

TEST_F(BinaryOnCudaTest, ArithmeticHasTheBitsOfTheHost) {
  for (const DType dtype : kNumbers) {
    for (const Kernel kernel : {Add, Sub, Mul, Maximum, Minimum}) ExpectSameOf(kernel, dtype);
  }
  for (const DType dtype : kFloats) ExpectSameOf(Div, dtype, 0.5);
}

TEST_F(BinaryOnCudaTest, FunctionsAreThoseOfTheHost) {
  for (const DType dtype : kFloats) {
    for (const Kernel kernel : {Pow, LogAddExp, Atan2}) ExpectSameOf(kernel, dtype, 0.5, 8);
    for (const Kernel kernel :
         {Fmod, Remainder, TruncatedQuotient, FlooredQuotient, MaximumWeight, Gated, Equals,
          PowIsFlatInBase, PowIsFlatInExponent, ScaleOfSquares}) {
      ExpectSameOf(kernel, dtype);
    }
  }
}

TEST_F(BinaryOnCudaTest, WhatIsSteepNowhereIsUndefined) {
  const Tensor one = There(Tensor::Ones({2}, DType::kF64));
  EXPECT_FALSE(PowIsSteepInBase(one, one).defined());
  const Tensor base = Tensor::FromData<double>({2}, {5e-324, 1}),
               zero = Tensor::Zeros({2}, DType::kF64);
  ExpectSame(PowIsSteepInBase(There(base), There(zero)), PowIsSteepInBase(base, zero));
}

TEST_F(BinaryOnCudaTest, IntegerPowers) {
  const Tensor base = Numbers({9}, DType::kI64), two = Tensor::Full({}, 2, DType::kI64);
  ExpectSame(Pow(There(base), There(two)), Pow(base, two));
  const Tensor negative = Tensor::Full({}, -1, DType::kI64);
  EXPECT_EQ(KindOf([&] { Pow(There(base), There(negative)); }), ErrorKind::kDomain);
}

TEST_F(BinaryOnCudaTest, AddsInPlace) {
  Tensor there = There(Strided(3, 4, DType::kF64));
  Tensor here = Strided(3, 4, DType::kF64);
  const Tensor more = Numbers({3, 4}, DType::kF64);
  AddInto(there, There(more));
  AddInto(here, more);
  ExpectSame(Clone(there), Clone(here));
}

// Elements of the target that share memory take all of their terms.
TEST_F(BinaryOnCudaTest, AddsIntoOverlappingWindows) {
  const auto windows = [](const Tensor& line) { return line.AsStrided({65534, 3}, {1, 1}, 0); };
  const auto rows = [](const Tensor& line) { return line.AsStrided({3, 4, 5}, {6, 2, 1}, 0); };
  for (const auto& [of, terms] : {std::pair(+windows, Numbers({65534, 3}, DType::kF64)),
                                  {+rows, Numbers({3, 4, 5}, DType::kF64)}}) {
    Tensor there = There(Numbers({65536}, DType::kF64)), here = Numbers({65536}, DType::kF64);
    Tensor places = of(there), same = of(here);
    AddInto(places, There(terms));
    AddInto(same, terms);
    ExpectSame(there, here);
  }
}

// What no order of pieces can do is refused, on the fake runtime too, where they have one.
TEST_F(BinaryOnCudaTest, PiecesNeverMeet) {
  const Tensor line = There(Numbers({8}, DType::kF64));
  Tensor late = line.AsStrided({6}, {1}, 2), back = line.AsStrided({3}, {1}, 5);
  const Tensor early = line.AsStrided({6}, {1}, 0), front = line.AsStrided({3}, {1}, 0);
  EXPECT_EQ(KindOf([&] { AddInto(late, early); }), ErrorKind::kInternal);
  AddInto(back, front);
  AddInto(late, late);
  Tensor repeated = line.AsStrided({2, 3}, {0, 1}, 0);
  EXPECT_EQ(KindOf([&] { FillInto(repeated, 1); }), ErrorKind::kInternal);
}

TEST_F(BinaryOnCudaTest, SubtractsScaledInPlace) {
  for (const DType dtype : kFloats) {
    Tensor there = There(Strided(3, 4, dtype, 0.1)), here = Strided(3, 4, dtype, 0.1);
    const Tensor by = Numbers({3, 4}, dtype, 0.3);
    SubScaledInto(there, 0.7, There(by));
    SubScaledInto(here, 0.7, by);
    ExpectSame(Clone(there), Clone(here));
  }
}

// Parts side by side in memory, in either direction, and of several stages.
TEST_F(BinaryOnCudaTest, LongFolds) {
  for (const DType dtype : kNumbers) {
    const Tensor flat = Numbers({300'001}, dtype), tall = Numbers({70'000, 3}, dtype),
                 wide = Numbers({3, 70'000}, dtype), square = Numbers({600, 500}, dtype);
    ExpectSame(SumAll(There(flat), false), SumAll(flat, false));
    for (const Tensor& a : {tall, wide, square}) {
      for (const int64_t dim : {0, 1}) {
        ExpectSame(Sum(There(a), {dim}, false), Sum(a, {dim}, false));
        ExpectSame(Amin(There(a), {dim}, true), Amin(a, {dim}, true));
      }
    }
    const Tensor transposed = square.AsStrided({500, 600}, {1, 500}, 0);
    ExpectSame(Sum(There(transposed), {0}, false), Sum(transposed, {0}, false));
  }
}

TEST_F(BinaryOnCudaTest, EverySize) {
  for (const int64_t size : kSizes) {
    const Tensor a = Numbers({size}, DType::kF32);
    ExpectSame(Add(There(a), There(a)), Add(a, a));
    ExpectSame(SumAll(There(a), false), SumAll(a, false));
    ExpectSame(Amax(There(a), {}, true), Amax(a, {}, true));
  }
}

TEST_F(BinaryOnCudaTest, Folds) {
  for (const DType dtype : kNumbers) {
    for (const Tensor& a :
         {Numbers({3, 4, 5}, dtype), Strided(6, 5, dtype).AsStrided({6, 5, 1}, {11, 2, 1}, 1),
          Numbers({3, 0, 2}, dtype), Numbers({2, 3, 5000}, dtype)}) {
      for (const std::vector<int64_t>& dims : {std::vector<int64_t>{0}, {1}, {2}, {0, 2}, {1, 2}}) {
        for (const bool keepdim : {false, true}) {
          ExpectSame(Sum(There(a), dims, keepdim), Sum(a, dims, keepdim));
          ExpectSame(Amax(There(a), dims, keepdim), Amax(a, dims, keepdim));
          ExpectSame(Amin(There(a), dims, keepdim), Amin(a, dims, keepdim));
        }
      }
      ExpectSame(SumAll(There(a), true), SumAll(a, true));
    }
    const Tensor small = Cast(IsPositive(Numbers({4, 6}, DType::kF64)), dtype);
    ExpectSame(Prod(There(small), {1}, false), Prod(small, {1}, false));
    ExpectSame(SumTo(There(small), Shape({6})), SumTo(small, Shape({6})));
  }
}

TEST_F(BinaryOnCudaTest, SumsHaveTheSameBitsOnEveryRun) {
  const Tensor a = There(Numbers({70000}, DType::kF32, 0.1));
  ExpectSame(SumAll(a, false), CopyTo(SumAll(a, false), Device::Cpu()));
}

TEST_F(BinaryOnCudaTest, MatrixProducts) {
  for (const DType dtype : kNumbers) {
    const Tensor a = Numbers({3, 4}, dtype), b = Numbers({4, 5}, dtype);
    const Tensor batch = Numbers({2, 1, 5, 4}, dtype), vector = Numbers({4}, dtype);
    const Tensor transposed = b.AsStrided({5, 4}, {1, 5}, 0);
    ExpectSame(Matmul(There(a), There(b)), Matmul(a, b));
    ExpectSame(Matmul(There(vector), There(b)), Matmul(vector, b));
    ExpectSame(Matmul(There(a), There(vector)), Matmul(a, vector));
    ExpectSame(Matmul(There(vector), There(vector)), Matmul(vector, vector));
    ExpectSame(Matmul(There(batch), There(b)), Matmul(batch, b));
    ExpectSame(Matmul(There(transposed), There(b)), Matmul(transposed, b));
    const Tensor none = Numbers({3, 0}, dtype), nothing = Numbers({0, 5}, dtype);
    ExpectSame(Matmul(There(none), There(nothing)), Matmul(none, nothing));
    const Tensor wide = Numbers({33, 65}, dtype), tall = Numbers({65, 31}, dtype);
    ExpectSame(Matmul(There(wide), There(tall)), Matmul(wide, tall));
    if (!IsFloating(dtype)) continue;
    for (const bool upper : {false, true}) {
      ExpectSame(TriangularMatmul(There(wide), There(tall), upper),
                 TriangularMatmul(wide, tall, upper));
      ExpectSame(TriangularMatmul(There(transposed), There(b), upper),
                 TriangularMatmul(transposed, b, upper));
    }
  }
}

}  // namespace
}  // namespace twingrad::cuda
