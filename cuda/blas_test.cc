// cuBLAS is found, or there is a reason why not; a product of it is the product.
#include "cuda/blas.h"

#include <cuda_runtime_api.h>

#include <vector>

#include "cuda/status.h"
#include "gtest/gtest.h"

namespace twingrad::cuda {
namespace {

TEST(BlasTest, IsThereOrSaysWhyNot) {
  EXPECT_EQ(FindBlas() == nullptr, !WhyNoBlas().empty()) << WhyNoBlas();
}

TEST(BlasTest, MultipliesByColumns) {
  if (DeviceCount() == 0) GTEST_SKIP() << WhyNoDevice();
  const Blas* const blas = FindBlas();
  if (blas == nullptr) GTEST_SKIP() << WhyNoBlas();
  // (1 3 5; 2 4 6) by (1 4; 2 5; 3 6), column by column.
  const std::vector<double> a = {1, 2, 3, 4, 5, 6}, b = {1, 2, 3, 4, 5, 6};
  double *a_there = nullptr, *b_there = nullptr, *c_there = nullptr;
  for (double** const there : {&a_there, &b_there, &c_there}) {
    ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(there), 6 * sizeof(double)), cudaSuccess);
  }
  ASSERT_EQ(cudaMemcpy(a_there, a.data(), 6 * sizeof(double), cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(b_there, b.data(), 6 * sizeof(double), cudaMemcpyHostToDevice), cudaSuccess);
  BlasHandle handle = nullptr;
  ASSERT_EQ(blas->create(&handle), kBlasSuccess);
  ASSERT_EQ(blas->set_stream(handle, nullptr), kBlasSuccess);
  ASSERT_EQ(blas->set_workspace(handle, nullptr, 0), kBlasSuccess);
  const double one = 1, zero = 0;
  ASSERT_EQ(blas->dgemm(handle, kBlasAsItIs, kBlasAsItIs, 2, 2, 3, &one, a_there, 2, 0, b_there, 3,
                        0, &zero, c_there, 2, 0, 1),
            kBlasSuccess);
  std::vector<double> c(4);
  ASSERT_EQ(cudaMemcpy(c.data(), c_there, 4 * sizeof(double), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(c, (std::vector<double>{22, 28, 49, 64}));
  for (double* const there : {a_there, b_there, c_there}) cudaFree(there);
}

TEST(BlasTest, RefusesWhatIsNoMatrix) {
  if (DeviceCount() == 0) GTEST_SKIP() << WhyNoDevice();
  const Blas* const blas = FindBlas();
  if (blas == nullptr) GTEST_SKIP() << WhyNoBlas();
  BlasHandle handle = nullptr;
  ASSERT_EQ(blas->create(&handle), kBlasSuccess);
  const float one = 1, zero = 0;
  EXPECT_NE(blas->sgemm(handle, kBlasAsItIs, kBlasAsItIs, 4, 1, 1, &one, nullptr, /*lda=*/2, 0,
                        nullptr, 1, 0, &zero, nullptr, 4, 0, 1),
            kBlasSuccess);
}

}  // namespace
}  // namespace twingrad::cuda
