// The CPU behind the device interface: aligned memory, and no waiting.
#include "autograd/device/cpu_device.h"

#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"

namespace twingrad {

namespace {

constexpr std::align_val_t kAlignment{64};

void RequireDefaultStream(Stream stream) {
  if (stream == Stream{Device::Cpu()}) return;
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[device] ", stream.ToString(),
                           " is no stream of the CPU; it has its default stream only; pass "
                           "Stream{Device::Cpu()}"));
}

class CpuEvent final : public Event {
 public:
  void Record(Stream stream) override { RequireDefaultStream(stream); }
  void MakeWait(Stream stream) override { RequireDefaultStream(stream); }
  bool IsReached() override { return true; }
  void Synchronize() override {}
};

// std::memcpy takes no null pointer, not even for no bytes.
void Copy(void* to, const void* from, size_t bytes, Stream stream) {
  RequireDefaultStream(stream);
  if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace

void* CpuDevice::Allocate(size_t bytes, Stream stream) {
  RequireDefaultStream(stream);
  void* const data = ::operator new(bytes == 0 ? 1 : bytes, kAlignment, std::nothrow);
  if (data == nullptr) {
    throw Error(ErrorKind::kDevice,
                absl::StrCat("[device] no memory for ", bytes,
                             " bytes on cpu; free tensors or use smaller ones"));
  }
  return data;
}

void CpuDevice::Deallocate(void* data) { ::operator delete(data, kAlignment); }

void CpuDevice::RecordStream(void* /*data*/, Stream stream) { RequireDefaultStream(stream); }

Stream CpuDevice::CreateStream(uint8_t /*device_index*/) {
  throw Error(ErrorKind::kDevice,
              "[device] the CPU has no further streams; it has its default stream only; use it");
}

std::unique_ptr<Event> CpuDevice::CreateEvent(uint8_t /*device_index*/) {
  return std::make_unique<CpuEvent>();
}

void CpuDevice::Synchronize(Stream stream) { RequireDefaultStream(stream); }

void CpuDevice::SynchronizeDevice(uint8_t /*device_index*/) {}

void CpuDevice::CopyFromHost(void* to, const void* from_host, size_t bytes, Stream stream) {
  Copy(to, from_host, bytes, stream);
}

void CpuDevice::CopyToHost(void* to_host, const void* from, size_t bytes, Stream stream) {
  Copy(to_host, from, bytes, stream);
}

void CpuDevice::CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) {
  Copy(to, from, bytes, stream);
}

}  // namespace twingrad
