// Tensors of a *remote* device: one whose memory the host cannot touch.
//
//   RunRemote("fill", FillBody<float>{Address<float>(out), 1}, out.numel(), {&out}, {});
//   Tensor here = ToHost(there);                       // waits, and copies
//
// Work on such a tensor is a body (body.h) or a copy, queued on the device's current stream; data()
// of it is Error(kUnsupported). A body that no launcher takes is that error too, naming the
// operation; a simulated accelerator whose work runs later takes every body. A block that is used
// on another stream than its own is recorded there, so that it is never reused under the work. Any
// thread.

#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

#include "autograd/base/check.h"
#include "autograd/device/stream.h"
#include "autograd/tensor/body.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

inline bool IsRemote(const Tensor& tensor) { return tensor.type().is_remote(); }

// The first element, for a body. The host must not follow it.
template <class T>
T* Address(const Tensor& tensor) {
  AG_DCHECK(kDTypeOf<T> == tensor.dtype(), "[tensor] the address of another type than ",
            DTypeName(tensor.dtype()));
  return static_cast<T*>(tensor.impl()->data());
}

// The first element for a body that runs here or there, to be read; to be written.
template <class T>
const T* ToRead(const Tensor& tensor) {
  return IsRemote(tensor) ? Address<T>(tensor) : tensor.data<T>();
}
template <class T>
T* ToWrite(const Tensor& tensor) {
  return IsRemote(tensor) ? Address<T>(tensor) : tensor.mutable_data<T>();
}

// Throws Error(kUnsupported): `op` does nothing on that device.
[[noreturn]] void RefuseRemote(const char* op, Device device);
// Does so for a remote tensor.
inline void RequireHost(const char* op, const Tensor& tensor) {
  if (IsRemote(tensor)) [[unlikely]]
    RefuseRemote(op, tensor.device());
}

// What a body touches of these tensors, as work of `stream`; their blocks are recorded there.
std::vector<BodyAccess> AccessesOf(std::initializer_list<const Tensor*> written,
                                   std::initializer_list<const Tensor*> read, Stream stream);

// Queues what the host is to do later for a simulated accelerator.
void RunLater(const char* op, std::function<void()> work, Span<const BodyAccess> accesses,
              Stream stream);

// Queues `count` pieces of the body on the current stream of the tensors' device.
template <class Body>
[[gnu::noinline, gnu::cold]] void RunRemote(const char* op, const Body& body, int64_t count,
                                            std::initializer_list<const Tensor*> written,
                                            std::initializer_list<const Tensor*> read) {
  const Device device = (*written.begin())->device();
  const bool is_late = device.type == DeviceType::kLate;
  if (!is_late && launcher_of<Body> == nullptr) RefuseRemote(op, device);
  if (count == 0) return;
  const Stream stream = WorkStream(device);
  if (is_late) {
    const auto work = [body, count] {
      for (int64_t i = 0; i < count; ++i) body(i);
    };
    return RunLater(op, work, AccessesOf(written, read, stream), stream);
  }
  launcher_of<Body>(op, body, count, AccessesOf(written, read, stream), stream);
}

// Runs the pieces: here, in order, or on the tensors' remote device.
template <class Body>
void RunBody(const char* op, const Body& body, int64_t count,
             std::initializer_list<const Tensor*> written,
             std::initializer_list<const Tensor*> read) {
  if (IsRemote(**written.begin())) [[unlikely]]
    return RunRemote(op, body, count, written, read);
  for (int64_t i = 0; i < count; ++i) body(i);
}

// Whether all elements of an i64 tensor there are known to be indices of a dimension of this size;
// notes that they are, where the tensor is all of its memory.
bool AreIndicesBelow(const Tensor& index, int64_t size);
void NoteIndicesBelow(const Tensor& index, int64_t size);

// A contiguous copy in the host's memory of a contiguous remote tensor; waits for the stream.
Tensor CopiedToHost(const Tensor& contiguous);
// Writes a remote contiguous tensor, of the same type and shape as `host`, which is contiguous too.
void CopyFromHost(const Tensor& target, const Tensor& host);
// The same for two remote tensors of one type of device. Work of the source's current stream.
void CopyOnDevice(const Tensor& target, const Tensor& source);

}  // namespace twingrad
