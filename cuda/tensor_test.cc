// What the engine says of tensors on CUDA where //cuda is linked.
#include "autograd/tensor/tensor.h"

#include <string>

#include "autograd/base/error.h"
#include "autograd/base/test_errors.h"
#include "cuda/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

TEST(TensorOnCudaTest, IsUnsupportedRatherThanMemoryOfTheHost) {
  const Error error = ErrorOf([] { Tensor::Zeros({2}, DType::kF64, Device::Cuda(0)); });
  if (DeviceCount() == 0) {
    EXPECT_EQ(error.kind(), ErrorKind::kDevice);
    EXPECT_THAT(error.what(), testing::HasSubstr("there is no device cuda:0"));
  } else {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("tensors on cuda:0 are unsupported"));
  }
}

}  // namespace
}  // namespace twingrad::cuda
