// Functions of one element on CUDA give what they give on the host.
#include <cstdint>

#include "autograd/tensor/kernels/elementary.h"
#include "autograd/tensor/kernels/numbers.h"
#include "cuda/kernels/test_operands.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using namespace twingrad::kernels;

using UnaryOnCudaTest = KernelsOnCudaTest;

// At many sizes, and of operands that are strided, repeated and scalar.
template <class Kernel>
void ExpectSameOf(Kernel kernel, DType dtype, double scale, double parts) {
  for (const Tensor& a : {Numbers({33}, dtype, scale), Strided(5, 7, dtype, scale),
                          Numbers({1, 3}, dtype, scale).AsStrided({4, 3}, {0, 1}, 0),
                          Numbers({}, dtype, scale), Numbers({0, 3}, dtype, scale)}) {
    ExpectSame(kernel(There(a)), kernel(a), parts);
  }
}

template <class... Functions>
void ExpectSameFunctions(double scale, double parts) {
  for (const DType dtype : kFloats) {
    (ExpectSameOf([](const Tensor& a) { return Each<Functions>(a); }, dtype, scale, parts), ...);
  }
}

TEST_F(UnaryOnCudaTest, ArithmeticHasTheBitsOfTheHost) {
  ExpectSameFunctions<NegNumber, AbsNumber, ReluNumber, SgnNumber, SquareNumber, SqrtNumber,
                      RsqrtNumber, ReciprocalNumber>(0.5, 0);
}

TEST_F(UnaryOnCudaTest, FunctionsAreThoseOfTheHost) {
  ExpectSameFunctions<ExpNumber, LogNumber, SinNumber, CosNumber, TanNumber, AsinNumber, AcosNumber,
                      AtanNumber, SinhNumber, CoshNumber, AsinhNumber, AcoshNumber, AtanhNumber,
                      ErfNumber, ErfcNumber, Expm1Number, Log1pNumber, Log2Number, Log10Number,
                      Exp2Number, TanhNumber, SigmoidNumber, SiluNumber, SoftplusNumber, GeluNumber,
                      GeluTanhNumber>(0.25, 8);
}

TEST_F(UnaryOnCudaTest, Integers) {
  const DType dtype = DType::kI64;
  ExpectSameOf([](const Tensor& a) { return Each<NegNumber>(a); }, dtype, 1, 0);
  ExpectSameOf([](const Tensor& a) { return Each<AbsNumber>(a); }, dtype, 1, 0);
  ExpectSameOf([](const Tensor& a) { return Each<ReluNumber>(a); }, dtype, 1, 0);
  ExpectSameOf([](const Tensor& a) { return Each<SgnNumber>(a); }, dtype, 1, 0);
  ExpectSameOf([](const Tensor& a) { return Each<SquareNumber>(a); }, dtype, 1, 0);
}

TEST_F(UnaryOnCudaTest, LimitsAndMasks) {
  for (const DType dtype : kFloats) {
    ExpectSameOf([](const Tensor& a) { return Clamp(a, -2, 3); }, dtype, 1, 0);
    ExpectSameOf([](const Tensor& a) { return IsWithin(a, -2, INFINITY); }, dtype, 1, 0);
    ExpectSameOf([](const Tensor& a) { return IsPositive(a); }, dtype, 1, 0);
    ExpectSameOf([](const Tensor& a) { return IsZero(a); }, dtype, 1, 0);
  }
}

TEST_F(UnaryOnCudaTest, EverySize) {
  for (const int64_t size : kSizes) {
    const Tensor a = Numbers({size}, DType::kF32);
    ExpectSame(Each<NegNumber>(There(a)), Each<NegNumber>(a));
  }
}

}  // namespace
}  // namespace twingrad::cuda
