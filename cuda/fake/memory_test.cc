#include "cuda/fake/memory.h"

#include <cstdint>
#include <string>
#include <vector>

#include "cuda/fake/test_device.h"
#include "gtest/gtest.h"

namespace twingrad::cuda::fake {
namespace {

using DeviceMemoryTest = FakeRuntimeTest;

TEST(DeviceMemoryAloneTest, BlocksAreApartAlignedAndOpenForAScope) {
  DeviceMemory memory;
  char* const one = memory.Take(1);
  char* const large = memory.Take(100'000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(one) % DeviceMemory::kAlignment, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(large) % DeviceMemory::kAlignment, 0u);
  EXPECT_TRUE(memory.Contains(one));
  EXPECT_FALSE(memory.Contains(&memory));
  const DeviceMemory::Opened open(large, 100'000, /*is_write=*/true);
  EXPECT_TRUE(DeviceMemory::IsIntact(large, 100'000));
  large[99'999] = 1;
  EXPECT_TRUE(DeviceMemory::IsIntact(large, 100'000));
  large[100'000] = 1;
  EXPECT_FALSE(DeviceMemory::IsIntact(large, 100'000));
}

TEST(DeviceMemoryAloneTest, AddressesRunOut) {
  DeviceMemory memory;
  EXPECT_EQ(memory.Take(SIZE_MAX), nullptr);
  const size_t half = size_t{1} << 37;
  EXPECT_NE(memory.Take(half), nullptr);
  EXPECT_EQ(memory.Take(half), nullptr);
}

TEST_F(DeviceMemoryTest, TheHostMustNotReadIt) {
  double* const data = NewBlock(nullptr);
  Set(data, 1, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_DEATH(*static_cast<volatile double*>(data), "the host touched device memory");
  Free(data, nullptr);
}

TEST_F(DeviceMemoryTest, AKernelMustDeclareWhatItReads) {
  double* const data = NewBlock(nullptr);
  double* const other = NewBlock(nullptr);
  EXPECT_DEATH(
      {
        Kernel("copy", {Writes(data)}, nullptr, [=] { *data = *other; });
        cudaDeviceSynchronize();
      },
      "copy touched device memory that it had not declared so");
  Free(data, nullptr);
  Free(other, nullptr);
}

TEST_F(DeviceMemoryTest, AKernelMustDeclareWhatItWrites) {
  double* const data = NewBlock(nullptr);
  EXPECT_DEATH(
      {
        Kernel("set", {Reads(data)}, nullptr, [=] { *data = 1; });
        cudaDeviceSynchronize();
      },
      "set touched device memory that it had not declared so");
  Free(data, nullptr);
}

TEST_F(DeviceMemoryTest, AccessesFarPastTheEndStop) {
  double* const data = NewBlock(nullptr, 1);
  EXPECT_DEATH(
      {
        Kernel("far", {Writes(data)}, nullptr, [=] { data[32] = 1; });
        cudaDeviceSynchronize();
      },
      "far touched device memory");
  Free(data, nullptr);
}

TEST_F(DeviceMemoryTest, WritesJustPastTheEndAreReported) {
  double* const data = NewBlock(nullptr, 31);
  Kernel("near", {Writes(data, 31)}, nullptr, [=] { data[31] = 1; });
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::vector<std::string> reports = TakeReports();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0],
            "[cuda/fake] near wrote past the end of a block of 248 bytes; keep within it");
  Free(data, nullptr);
}

TEST_F(DeviceMemoryTest, FreshMemoryHoldsNoNumbers) {
  double* const data = NewBlock(nullptr);
  EXPECT_NE(Get(data, nullptr), Get(data, nullptr)) << "a NaN";
  Free(data, nullptr);
}

}  // namespace
}  // namespace twingrad::cuda::fake
