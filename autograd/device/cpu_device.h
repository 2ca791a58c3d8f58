// CpuDevice: the host's memory behind the device interface. Work is done when the call returns, so
// there is one stream and nothing to wait for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "autograd/device/device_interface.h"

namespace twingrad {

class CpuDevice final : public DeviceInterface {
 public:
  DeviceType type() const override { return DeviceType::kCpu; }
  int DeviceCount() const override { return 1; }
  void* Allocate(size_t bytes, Stream stream) override;
  void Deallocate(void* data) override;
  void RecordStream(void* data, Stream stream) override;
  Stream CreateStream(uint8_t device_index) override;
  std::unique_ptr<Event> CreateEvent(uint8_t device_index) override;
  void Synchronize(Stream stream) override;
  void SynchronizeDevice(uint8_t device_index) override;
  void CopyFromHost(void* to, const void* from_host, size_t bytes, Stream stream) override;
  void CopyToHost(void* to_host, const void* from, size_t bytes, Stream stream) override;
  void CopyOnDevice(void* to, const void* from, size_t bytes, Stream stream) override;
};

}  // namespace twingrad
