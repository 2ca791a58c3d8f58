#include "autograd/device/cpu_device.h"

#include <cstdint>
#include <memory>

#include "autograd/base/error.h"
#include "gtest/gtest.h"

namespace twingrad {
namespace {

constexpr Stream kStream{Device::Cpu()};

// Rules: R7.
TEST(CpuDeviceTest, MemoryIsAlignedAndNeverNull) {
  CpuDevice cpu;
  for (size_t bytes : {0, 1, 63, 4096}) {
    void* const data = cpu.Allocate(bytes, kStream);
    EXPECT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
    cpu.RecordStream(data, kStream);
    cpu.Deallocate(data);
  }
}

TEST(CpuDeviceTest, CopiesAreDoneAtOnce) {
  CpuDevice cpu;
  int* const a = static_cast<int*>(cpu.Allocate(sizeof(int), kStream));
  int* const b = static_cast<int*>(cpu.Allocate(sizeof(int), kStream));
  const int seven = 7;
  cpu.CopyFromHost(a, &seven, sizeof(int), kStream);
  cpu.CopyOnDevice(b, a, sizeof(int), kStream);
  int result = 0;
  cpu.CopyToHost(&result, b, sizeof(int), kStream);
  EXPECT_EQ(result, 7);
  cpu.CopyFromHost(a, nullptr, 0, kStream);
  cpu.Deallocate(a);
  cpu.Deallocate(b);
}

TEST(CpuDeviceTest, EventsAreReached) {
  CpuDevice cpu;
  const std::unique_ptr<Event> event = cpu.CreateEvent(0);
  event->Record(kStream);
  event->MakeWait(kStream);
  EXPECT_TRUE(event->IsReached());
  event->Synchronize();
  cpu.Synchronize(kStream);
  cpu.SynchronizeDevice(0);
}

TEST(CpuDeviceTest, HasOneStream) {
  CpuDevice cpu;
  EXPECT_EQ(cpu.DeviceCount(), 1);
  EXPECT_THROW(cpu.CreateStream(0), Error);
  EXPECT_THROW(cpu.Synchronize(Stream{Device::Cpu(), 1}), Error);
  EXPECT_THROW(cpu.Allocate(8, Stream{Device::Sim(0)}), Error);
}

TEST(CpuDeviceTest, TooMuchMemoryIsAnError) {
  CpuDevice cpu;
  try {
    cpu.Deallocate(cpu.Allocate(size_t{1} << 60, kStream));
    FAIL() << "an exabyte was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDevice);
  }
}

}  // namespace
}  // namespace twingrad
