// Tensors on CUDA: their memory is the device's, kernels and copies reach it, the host does not.
#include "autograd/tensor/tensor.h"

#include <cstdint>
#include <vector>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"
#include "autograd/tensor/kernels/kernels.h"
#include "autograd/tensor/kernels/numbers.h"
#include "autograd/tensor/sparse.h"
#include "cuda/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Device kGpu = Device::Cuda(0);

std::vector<double> Doubles(const Tensor& tensor) {
  const Tensor here = kernels::CopyTo(tensor, Device::Cpu());
  return {here.data<double>(), here.data<double>() + here.numel()};
}

Tensor There(Ints sizes, const std::vector<double>& elements) {
  return Tensor::FromData<double>(sizes, elements, kGpu);
}

class TensorOnCudaTest : public testing::Test {
 protected:
  void SetUp() override {
    if (DeviceCount() == 0) GTEST_SKIP() << WhyNoDevice();
  }
};

TEST(NoCudaTest, WithoutADeviceATensorThereIsAnErrorThatSaysHowToGetOne) {
  if (DeviceCount() != 0) GTEST_SKIP() << "there is one";
  const Error error = ErrorOf([] { Tensor::Zeros({2}, DType::kF64, kGpu); });
  EXPECT_EQ(error.kind(), ErrorKind::kDevice);
  EXPECT_THAT(error.what(), HasSubstr("there is no device cuda:0"));
}

TEST_F(TensorOnCudaTest, ComesFromTheHostAndGoesBack) {
  const Tensor there = There({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(there.device(), kGpu);
  EXPECT_THAT(Doubles(there), ElementsAre(1, 2, 3, 4));
  const Tensor column = there.AsStrided({2}, {2}, 1);
  EXPECT_THAT(Doubles(column), ElementsAre(2, 4));
  EXPECT_EQ(there.AsStrided({}, {}, 3).item<double>(), 4);
}

TEST_F(TensorOnCudaTest, IsFilled) {
  EXPECT_THAT(Doubles(Tensor::Ones({3}, DType::kF64, kGpu)), ElementsAre(1, 1, 1));
  Tensor there = There({4}, {1, 2, 3, 4});
  Tensor odd = there.AsStrided({2}, {2}, 0);
  kernels::FillInto(odd, 7);
  EXPECT_THAT(Doubles(there), ElementsAre(7, 2, 7, 4));
}

TEST_F(TensorOnCudaTest, IsAddedMultipliedNegatedAndSummed) {
  const Tensor a = There({2, 1}, {1, 2}), b = There({3}, {10, 20, 30});
  EXPECT_THAT(Doubles(kernels::Add(a, b)), ElementsAre(11, 21, 31, 12, 22, 32));
  const Tensor c = kernels::Mul(a, b);
  EXPECT_THAT(Doubles(c), ElementsAre(10, 20, 30, 20, 40, 60));
  EXPECT_THAT(Doubles(kernels::Each<kernels::NegNumber>(b)), ElementsAre(-10, -20, -30));
  EXPECT_THAT(Doubles(kernels::SumAll(c, false)), ElementsAre(180));
  EXPECT_THAT(Doubles(kernels::Sum(c, {0}, false)), ElementsAre(30, 60, 90));
  EXPECT_THAT(Doubles(kernels::SumTo(c, a.sizes())), ElementsAre(60, 120));
}

TEST_F(TensorOnCudaTest, TheHostDoesNotTouchItsElements) {
  const Tensor there = Tensor::Zeros({2}, DType::kF64, kGpu);
  for (const Error& error :
       {ErrorOf([&] { there.data<double>(); }), ErrorOf([&] { there.mutable_data<double>(); }),
        ErrorOf([&] { there.watched_data<double>(); })}) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("unsupported on cuda"));
    EXPECT_THAT(error.what(), HasSubstr("copy the tensor to cpu"));
  }
}

TEST_F(TensorOnCudaTest, SparseTensorsAreUnsupportedByName) {
  const Tensor indices = Tensor::Zeros({1, 2}, DType::kI64, kGpu);
  const Tensor values = Tensor::Ones({2}, DType::kF64, kGpu);
  const Error error = ErrorOf([&] { MakeSparse({3}, indices, values); });
  EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("[sparse] unsupported on cuda; it works on cpu and sim"));
}

TEST_F(TensorOnCudaTest, OperandsOnTwoDevicesAreRefused) {
  const Tensor there = Tensor::Zeros({2}, DType::kF64, kGpu);
  const Tensor here = Tensor::Zeros({2}, DType::kF64);
  EXPECT_EQ(ErrorOf([&] { kernels::Add(there, here); }).kind(), ErrorKind::kDevice);
}

}  // namespace
}  // namespace twingrad::cuda
