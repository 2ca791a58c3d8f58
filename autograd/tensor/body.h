// Bodies: kernels written once for the host and for the devices whose memory the host cannot touch.
//
//   template <class T>
//   struct FillBody {                                       // a body is a functor
//     static constexpr const char* kName = "fill";
//     T* out;
//     T value;
//     AG_DEVICE void operator()(int64_t i) const { out[i] = value; }   // piece i of the work
//   };
//   launcher_of<FillBody<double>>                           // null where no device has it
//
// The pieces of a body are independent: they may run in any order and at the same time. //cuda
// compiles the bodies that it knows with nvcc and sets their launchers before main. Nothing here
// knows of tensors: remote.h joins the two.

#pragma once

#include <cstddef>
#include <cstdint>

#include "autograd/base/device_code.h"
#include "autograd/base/span.h"
#include "autograd/device/stream.h"

namespace twingrad {

// Bytes of device memory that a body reads, or writes (and then may read as well).
struct BodyAccess {
  const void* data;
  size_t bytes;
  bool is_write;
};

// Queues pieces 0 to count - 1 of the body, as part of `op`, on the stream. Throws Error(kDevice)
// if it cannot.
template <class Body>
using BodyLauncher = void (*)(const char* op, const Body& body, int64_t count,
                              Span<const BodyAccess> accesses, Stream stream);

// Set before main, and constant from then on.
template <class Body>
inline BodyLauncher<Body> launcher_of = nullptr;

// out[i] = value.
template <class T>
struct FillBody {
  static constexpr const char* kName = "fill";
  T* out;
  T value;
  AG_DEVICE void operator()(int64_t i) const { out[i] = value; }
};

}  // namespace twingrad
