// Programs on a device that has failed for good, or that has no memory left: clear errors, nothing
// crashes, and what needs no such device goes on. Over the fake runtime, which can be told to fail.
// Each test runs in a process of its own, as such errors of CUDA last until it ends.
#include <cstdint>
#include <string>

#include "autograd/program/parse.h"
#include "cuda/fake/control.h"
#include "cuda/programs/there.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proptests/generators/generate.h"

namespace twingrad::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Leaves the error behind as a process does that ends.
class LastingFailuresTest : public ProgramsOnCudaTest {
 protected:
  ~LastingFailuresTest() override { fake::Restart(); }
};

program::Program Squares(int device) {
  return *program::Parse("twingrad 1\n%x = leaf type=f64[2] data=2,3 grad=1 device=dev:" +
                         std::to_string(device) + "\n%y = mul %x %x\n%s = sum %y\nbackward %s\n");
}

std::string ErrorOf(const program::Observation& seen) {
  if (!seen.error) return "";
  EXPECT_EQ(seen.error->error, ErrorKind::kDevice) << seen.error->message;
  return seen.error->message;
}

TEST_F(LastingFailuresTest, WithoutMemoryAnErrorHasTheSizesAndLessMemoryGoesOn) {
  constexpr size_t kLittle = 1024;
  fake::SetMemory(0, kLittle);
  const program::Program large = *program::Parse(
      "twingrad 1\n%x = leaf type=f64[400] seed=1 grad=1 device=dev:0\n%s = sum %x\nbackward %s\n");
  EXPECT_THAT(ErrorOf(RunOnEngine(large, 0)),
              AllOf(HasSubstr("[cuda] no memory for 3200 bytes on cuda:0"),
                    HasSubstr("0 bytes are in use"), HasSubstr("1024 of 1024 are free")));
  EXPECT_EQ(ErrorOf(RunOnEngine(Squares(0), 0)), "");
  EXPECT_EQ(fake::CountLive().blocks, 0);
  fake::SetMemory(0, fake::kMemoryBytes);
  EXPECT_EQ(ErrorOf(RunOnEngine(large, 0)), "");
}

TEST_F(LastingFailuresTest, AfterWorkThatFailsEveryProgramOnCudaSaysSo) {
  fake::FailWork(3, cudaErrorIllegalAddress);
  for (const int device_threads : {2, 0}) {
    const std::string error = ErrorOf(RunOnEngine(Squares(0), device_threads));
    EXPECT_TRUE(fake::HasFailed());
    EXPECT_THAT(error, AllOf(HasSubstr("cudaErrorIllegalAddress"), HasSubstr("[cuda] ")));
    generators::GeneratorOptions options;
    EXPECT_TRUE(generators::SetDevice("cuda:3", &options).ok());
    for (uint64_t seed = 1; seed <= 50; ++seed) {
      RunOnEngine(generators::Generate(seed, options), device_threads);  // ends
    }
    EXPECT_THAT(ErrorOf(RunOnEngine(Squares(1), device_threads)),
                HasSubstr("cudaErrorIllegalAddress"));
    const program::Program on_host = *program::Parse(
        "twingrad 1\n%x = leaf type=f64[2] data=2,3 grad=1\n%s = sum %x\nbackward %s\n"
        "expect %x kind=grad data=1,1\n");
    EXPECT_EQ(ErrorOf(RunOnEngine(on_host, device_threads)), "");
  }
}

TEST_F(LastingFailuresTest, AfterTheLossOfADeviceTheOthersGoOn) {
  EXPECT_EQ(ErrorOf(RunOnEngine(Squares(0), 2)), "");
  fake::LoseDevice(1);
  for (const int device_threads : {0, 2}) {
    EXPECT_THAT(ErrorOf(RunOnEngine(Squares(1), device_threads)),
                HasSubstr("cudaErrorDevicesUnavailable"));
    EXPECT_EQ(ErrorOf(RunOnEngine(Squares(0), device_threads)), "");
  }
}

}  // namespace
}  // namespace twingrad::cuda
