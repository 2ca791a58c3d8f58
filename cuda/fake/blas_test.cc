// Products of the fake cuBLAS: column by column, of batches and transposes; what is refused, and
// that it is judged as a kernel is.
#include "cuda/fake/blas.h"

#include <vector>

#include "cuda/fake/test_device.h"
#include "gmock/gmock.h"

namespace twingrad::cuda::fake {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FakeBlasTest : public FakeRuntimeTest {
 protected:
  FakeBlasTest() {
    EXPECT_EQ(BlasCreate(&handle_), kBlasSuccess);
    BlasSetStream(handle_, stream_);
  }

  double* Filled(const std::vector<double>& numbers) {
    blocks_.push_back(FakeRuntimeTest::Filled(numbers, stream_));
    return blocks_.back();
  }
  std::vector<double> Read(const double* data, size_t count) {
    return FakeRuntimeTest::Read(data, count, stream_);
  }
  // 2 x 3 by 3 x 2, `count` of them.
  BlasStatus Multiply(BlasOperation of_a, BlasOperation of_b, const double* a, const double* b,
                      double* c, int64_t lda, int64_t count = 1) {
    const double one = 1, zero = 0;
    return Gemm<double>(handle_, of_a, of_b, 2, 2, 3, &one, a, lda, 6, b,
                        of_b == kBlasTransposed ? 2 : 3, 0, &zero, c, 2, 4, count);
  }
  void TearDown() override {
    for (double* const data : blocks_) Free(data, stream_);
  }

  const cudaStream_t stream_ = NewStream();
  BlasHandle handle_ = nullptr;
  std::vector<double*> blocks_;
};

TEST_F(FakeBlasTest, MultipliesBatchesAndTransposes) {
  const double* const a = Filled({1, 2, 3, 4, 5, 6, 0, 1, 0, 1, 0, 1});
  const double* const b = Filled({1, 0, 1, 0, 1, 0});
  double* const c = Filled(std::vector<double>(8, -1));
  EXPECT_EQ(Multiply(kBlasAsItIs, kBlasAsItIs, a, b, c, 2, /*count=*/2), kBlasSuccess);
  EXPECT_THAT(Read(c, 8), ElementsAre(6, 8, 3, 4, 0, 2, 0, 1));
  EXPECT_EQ(Multiply(kBlasTransposed, kBlasAsItIs, a, b, c, 3), kBlasSuccess);
  EXPECT_THAT(Read(c, 4), ElementsAre(4, 10, 2, 5));
  EXPECT_EQ(Multiply(kBlasAsItIs, kBlasTransposed, a, b, c, 2), kBlasSuccess);
  EXPECT_THAT(Read(c, 4), ElementsAre(9, 12, 0, 0));
}

TEST_F(FakeBlasTest, RefusesWhatIsNoMatrixAndWhatItDoesNotKnow) {
  double* const a = Filled({1, 2, 3, 4, 5, 6});
  double* const c = Filled({0, 0, 0, 0});
  EXPECT_NE(Multiply(kBlasAsItIs, kBlasAsItIs, a, a, c, /*lda=*/1), kBlasSuccess);
  EXPECT_NE(Multiply(kBlasAsItIs, kBlasAsItIs, a, a, c, 2, /*count=*/0), kBlasSuccess);
  const double two = 2, zero = 0;
  EXPECT_NE(Gemm<double>(handle_, kBlasAsItIs, kBlasAsItIs, 1, 1, 1, &two, a, 1, 0, a, 1, 0, &zero,
                         c, 1, 0, 1),
            kBlasSuccess);
}

TEST_F(FakeBlasTest, FailsAsItIsTold) {
  double* const a = Filled({1, 2, 3, 4, 5, 6});
  double* const c = Filled({0, 0, 0, 0});
  FailCall("launch", 1, cudaErrorUnknown);
  EXPECT_EQ(Multiply(kBlasAsItIs, kBlasAsItIs, a, a, c, 2), kBlasExecutionFailed);
  FailCall("cublasCreate", 1, cudaErrorMemoryAllocation);
  BlasHandle other = nullptr;
  EXPECT_EQ(BlasCreate(&other), kBlasAllocFailed);
  EXPECT_EQ(other, nullptr);
  cudaGetLastError();
}

TEST_F(FakeBlasTest, AWorkspaceIsWrittenAndStreamsForgetIt) {
  double* const a = Filled({1, 2, 3, 4, 5, 6});
  double* const c = Filled({0, 0, 0, 0});
  const cudaStream_t other = NewStream();
  double* const scratch = NewBlock(other);
  BlasSetWorkspace(handle_, scratch, sizeof(double));
  EXPECT_EQ(Multiply(kBlasAsItIs, kBlasAsItIs, a, a, c, 2), kBlasSuccess);
  EXPECT_THAT(TakeReports(), testing::Contains(HasSubstr("gemm")));  // nothing orders the two
  BlasSetStream(handle_, stream_);
  EXPECT_EQ(Multiply(kBlasAsItIs, kBlasAsItIs, a, a, c, 2), kBlasSuccess);
  EXPECT_THAT(TakeReports(), IsEmpty());
  cudaDeviceSynchronize();
  Free(scratch, other);
}

}  // namespace
}  // namespace twingrad::cuda::fake
