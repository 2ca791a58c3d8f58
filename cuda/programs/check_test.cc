// What `oracle check --device=cuda` does, in this process: random Programs on CUDA, judged by all
// witnesses and oracles. No finding, and where devices are missing an error that says so.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cuda/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proptests/subjects/engine_subject.h"
#include "proptests/subjects/subject.h"
#include "proptests/workers/case.h"

namespace twingrad::cuda {
namespace {

TEST(CheckOnCudaTest, RandomProgramsShowNoDifference) {
  if (DeviceCount() == 0) GTEST_SKIP() << WhyNoDevice();
  const std::unique_ptr<subjects::Subject> subject = subjects::MakeEngineSubject();
  subjects::CaseOptions options;
  options.device = absl::StrCat("cuda:", std::min(DeviceCount(), 3));
  ASSERT_EQ(subject->Configure(options).message(), "");
  ASSERT_TRUE(subject->Start().ok());
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    const std::string program = subject->source().Generate(seed);
    const workers::CaseResult result = subject->judge().Judge();
    ASSERT_FALSE(result.failed) << result.text << "\n" << program;
  }
}

TEST(CheckOnCudaTest, DevicesThatAreNotThereAreAnError) {
  if (DeviceCount() >= 8) GTEST_SKIP() << "all are there";
  const std::unique_ptr<subjects::Subject> subject = subjects::MakeEngineSubject();
  subjects::CaseOptions options;
  options.device = "cuda:8";
  EXPECT_THAT(subject->Configure(options).message(), testing::HasSubstr("asks for GPUs"));
}

}  // namespace
}  // namespace twingrad::cuda
