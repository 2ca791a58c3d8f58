// Scratch: memory of a stream for the work that is queued in a scope.
//
//   const Scratch workspace(bytes, stream);
//   library->Use(workspace.data(), bytes);        // null where that is none
//
// Throws Error(kDevice) where there is no memory. Any thread.
#pragma once

#include <cstddef>

#include "autograd/device/stream.h"
#include "cuda/cuda_device.h"

namespace twingrad::cuda {

class Scratch {
 public:
  Scratch(size_t bytes, Stream stream)
      : data_(bytes == 0 ? nullptr : RegisteredCudaDevice().Allocate(bytes, stream)) {}
  ~Scratch() {
    if (data_ != nullptr) RegisteredCudaDevice().Deallocate(data_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* data() const { return data_; }

 private:
  void* const data_;
};

}  // namespace twingrad::cuda
