// cuDNN is found, or there is a reason why not; a convolution of it is the convolution.
#include "cuda/dnn.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "cuda/status.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

TEST(DnnTest, IsThereOrSaysWhyNot) {
  EXPECT_EQ(FindDnn() == nullptr, !WhyNoDnn().empty()) << WhyNoDnn();
}

TEST(DnnTest, NamesItsStatus) {
  const Dnn* const dnn = FindDnn();
  if (dnn == nullptr) GTEST_SKIP() << WhyNoDnn();
  EXPECT_EQ(dnn->name_of(kDnnSuccess), std::string_view("CUDNN_STATUS_SUCCESS"));
  EXPECT_EQ(dnn->name_of(kDnnShapeMismatch),
            std::string_view("CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH"));
  EXPECT_EQ(dnn->name_of(kDnnDeviceAllocationFailed),
            std::string_view("CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"));
}

// Descriptors need no GPU.
TEST(DnnTest, DescriptorsTakePlanesOfTwoAndThreeDimensionsAndNoEmptyOnes) {
  const Dnn* const dnn = FindDnn();
  if (dnn == nullptr) GTEST_SKIP() << WhyNoDnn();
  DnnTensor tensor = nullptr;
  DnnFilter filter = nullptr;
  DnnConvolution convolution = nullptr;
  ASSERT_EQ(dnn->create_tensor(&tensor), kDnnSuccess);
  ASSERT_EQ(dnn->create_filter(&filter), kDnnSuccess);
  ASSERT_EQ(dnn->create_convolution(&convolution), kDnnSuccess);
  const int sizes[] = {2, 3, 4, 5, 6}, strides[] = {360, 120, 30, 6, 1};
  const int of_planes[] = {60, 20, 5, 1}, ones[] = {1, 1, 1}, none[] = {0, 0, 0, 0};
  EXPECT_EQ(dnn->set_tensor(tensor, kDnnFloat, 5, sizes, strides), kDnnSuccess);
  EXPECT_EQ(dnn->set_tensor(tensor, kDnnDouble, 4, sizes, of_planes), kDnnSuccess);
  EXPECT_NE(dnn->set_tensor(tensor, kDnnFloat, 4, none, of_planes), kDnnSuccess);
  for (const int rank : {4, 5}) {
    EXPECT_EQ(dnn->set_filter(filter, kDnnDouble, kDnnRowMajor, rank, sizes), kDnnSuccess);
    EXPECT_EQ(dnn->set_convolution(convolution, rank - 2, none, ones, ones, kDnnCrossCorrelation,
                                   kDnnDouble),
              kDnnSuccess);
  }
  EXPECT_NE(dnn->set_convolution(convolution, 2, none, none, ones, kDnnCrossCorrelation, kDnnFloat),
            kDnnSuccess);
  EXPECT_EQ(dnn->set_groups(convolution, 3), kDnnSuccess);
  EXPECT_EQ(dnn->set_math(convolution, kDnnFmaMath), kDnnSuccess);
  EXPECT_EQ(dnn->destroy_tensor(tensor), kDnnSuccess);
  EXPECT_EQ(dnn->destroy_filter(filter), kDnnSuccess);
  EXPECT_EQ(dnn->destroy_convolution(convolution), kDnnSuccess);
}

// [1 2 3 4] by [10 1], by the first algorithm that is a sum and works in little memory.
TEST(DnnTest, ConvolvesALine) {
  if (DeviceCount() == 0) GTEST_SKIP() << WhyNoDevice();
  const Dnn* const dnn = FindDnn();
  if (dnn == nullptr) GTEST_SKIP() << WhyNoDnn();
  DnnHandle handle = nullptr;
  DnnTensor wide = nullptr, narrow = nullptr;
  DnnFilter filter = nullptr;
  DnnConvolution by = nullptr;
  ASSERT_EQ(dnn->create(&handle), kDnnSuccess);
  ASSERT_EQ(dnn->create_tensor(&wide), kDnnSuccess);
  ASSERT_EQ(dnn->create_tensor(&narrow), kDnnSuccess);
  ASSERT_EQ(dnn->create_filter(&filter), kDnnSuccess);
  ASSERT_EQ(dnn->create_convolution(&by), kDnnSuccess);
  const int four[] = {1, 1, 1, 4}, three[] = {1, 1, 1, 3}, two[] = {1, 1, 1, 2};
  const int of_four[] = {4, 4, 4, 1}, of_three[] = {3, 3, 3, 1}, ones[] = {1, 1}, none[] = {0, 0};
  ASSERT_EQ(dnn->set_tensor(wide, kDnnDouble, 4, four, of_four), kDnnSuccess);
  ASSERT_EQ(dnn->set_tensor(narrow, kDnnDouble, 4, three, of_three), kDnnSuccess);
  ASSERT_EQ(dnn->set_filter(filter, kDnnDouble, kDnnRowMajor, 4, two), kDnnSuccess);
  ASSERT_EQ(dnn->set_convolution(by, 2, none, ones, ones, kDnnCrossCorrelation, kDnnDouble),
            kDnnSuccess);
  ASSERT_EQ(dnn->set_math(by, kDnnFmaMath), kDnnSuccess);
  ASSERT_EQ(dnn->set_stream(handle, nullptr), kDnnSuccess);
  DnnOffer offers[8];
  int count = 0;
  ASSERT_EQ(dnn->forward.offers(handle, wide, filter, by, narrow, 8, &count, offers), kDnnSuccess);
  ASSERT_GT(count, 0);
  constexpr int kPrecomputed = 1;  // CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM
  size_t bytes = 0;
  ASSERT_EQ(dnn->forward.workspace(handle, wide, filter, by, narrow, kPrecomputed, &bytes),
            kDnnSuccess);
  const std::vector<double> a = {1, 2, 3, 4}, b = {10, 1}, zeros(3);
  double *a_there = nullptr, *b_there = nullptr, *c_there = nullptr;
  void* workspace = nullptr;
  for (double** const there : {&a_there, &b_there, &c_there}) {
    ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(there), 4 * sizeof(double)), cudaSuccess);
  }
  ASSERT_EQ(cudaMalloc(&workspace, bytes + 1), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(a_there, a.data(), 4 * sizeof(double), cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(b_there, b.data(), 2 * sizeof(double), cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(c_there, zeros.data(), 3 * sizeof(double), cudaMemcpyHostToDevice),
            cudaSuccess);
  const double one = 1, zero = 0;
  ASSERT_EQ(dnn->forward.run(handle, &one, wide, a_there, filter, b_there, by, kPrecomputed,
                             workspace, bytes, &zero, narrow, c_there),
            kDnnSuccess);
  std::vector<double> c(3);
  ASSERT_EQ(cudaMemcpy(c.data(), c_there, 3 * sizeof(double), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(c, (std::vector<double>{12, 23, 34}));
  for (double* const there : {a_there, b_there, c_there}) cudaFree(there);
  cudaFree(workspace);
  dnn->destroy_tensor(wide);
  dnn->destroy_tensor(narrow);
  dnn->destroy_filter(filter);
  dnn->destroy_convolution(by);
}

}  // namespace
}  // namespace twingrad::cuda
