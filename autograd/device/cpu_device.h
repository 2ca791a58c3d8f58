// CpuDevice: the host's memory behind the device interface. Work is done when the call returns, so
// there is one stream and nothing to wait for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/device/device_interface.h"

namespace twingrad {

class CpuDevice : public DeviceInterface {
 public:
  DeviceType type() const override { return DeviceType::kCpu; }
  int DeviceCount() const override { return 1; }

  void* Allocate(size_t bytes, Stream stream) override {
    RequireDefault(stream);
    void* const data = ::operator new(bytes == 0 ? 1 : bytes, kAlignment, std::nothrow);
    if (data == nullptr) {
      throw Error(ErrorKind::kDevice,
                  absl::StrCat("[device] no memory for ", bytes,
                               " bytes on cpu; free tensors or use smaller ones"));
    }
    return data;
  }
  void Deallocate(void* data) override { ::operator delete(data, kAlignment); }
  void RecordStream(void*, Stream stream) override { RequireDefault(stream); }

  Stream CreateStream(uint8_t) override {
    throw Error(ErrorKind::kDevice,
                "[device] the CPU has no further streams; it has its default stream only; use it");
  }
  std::unique_ptr<Event> CreateEvent(uint8_t) override { return std::make_unique<CpuEvent>(); }
  void Synchronize(Stream stream) override { RequireDefault(stream); }
  void SynchronizeDevice(uint8_t) override {}

  void CopyFromHost(void* to, const void* from_host, size_t bytes, Stream stream) override {
    RequireDefault(stream);
    if (bytes > 0) std::memcpy(to, from_host, bytes);  // which takes no null pointer
  }
  void CopyToHost(void* to_host, const void* from, size_t bytes, Stream stream) override {
    CpuDevice::CopyFromHost(to_host, from, bytes, stream);
  }
  void CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) override {
    CpuDevice::CopyFromHost(to, from, bytes, stream);
  }

 private:
  static constexpr std::align_val_t kAlignment{64};

  class CpuEvent final : public Event {
   public:
    void Record(Stream stream) override { RequireDefault(stream); }
    void MakeWait(Stream stream) override { RequireDefault(stream); }
    bool IsReached() override { return true; }
    void Synchronize() override {}
  };

  static void RequireDefault(Stream stream) {
    if (stream == Stream{Device::Cpu()}) return;
    throw Error(ErrorKind::kInvalidArgument,
                absl::StrCat("[device] ", stream.ToString(),
                             " is no stream of the CPU; it has its default stream only; pass "
                             "Stream{Device::Cpu()}"));
  }
};

}  // namespace twingrad
