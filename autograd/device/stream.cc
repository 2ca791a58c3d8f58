// The calling thread's current streams.
#include "autograd/device/stream.h"

#include <algorithm>
#include <vector>

#include "autograd/sync/thread_local.h"

namespace twingrad {

namespace {

using Streams = std::vector<Stream>;
// One a device whose current stream is not its default one.
AG_THREAD_LOCAL(Streams, CurrentStreams);

}  // namespace

Stream CurrentStream(Device device) {
  for (const Stream& stream : CurrentStreams()) {
    if (stream.device == device) return stream;
  }
  return Stream{device};
}

void SetCurrentStream(Stream stream) {
  Streams& streams = CurrentStreams();
  std::erase_if(streams, [&](const Stream& other) { return other.device == stream.device; });
  if (stream.id != 0) streams.push_back(stream);
}

}  // namespace twingrad
