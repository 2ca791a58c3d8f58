// Stream: the name of one queue of work of a device; and the calling thread's current streams.
//
//   StreamGuard guard(interface.CreateStream(0));   // work of this scope goes to the new stream
//
// Work of one stream runs in the order in which it was queued. Work of two streams is ordered by
// events only: the default stream (id 0) waits for no other and none waits for it. The CPU has its
// default stream only, whose work is done when the call returns.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "autograd/base/device.h"

namespace twingrad {

struct Stream {
  Device device;
  uint32_t id = 0;  // given by the device; 0 is its default stream

  // "sim:0 stream 2".
  std::string ToString() const { return device.ToString() + " stream " + std::to_string(id); }

  friend constexpr auto operator<=>(const Stream&, const Stream&) = default;
};

// The stream of `device` that the calling thread queues work on: the default one unless it was set.
Stream CurrentStream(Device device);
// Makes `stream` the calling thread's current one of its device.
void SetCurrentStream(Stream stream);

// Sets the current stream of one device for a scope.
class StreamGuard {
 public:
  explicit StreamGuard(Stream stream) : previous_(CurrentStream(stream.device)) {
    SetCurrentStream(stream);
  }
  ~StreamGuard() { SetCurrentStream(previous_); }
  StreamGuard(const StreamGuard&) = delete;
  StreamGuard& operator=(const StreamGuard&) = delete;

 private:
  Stream previous_;
};

}  // namespace twingrad
