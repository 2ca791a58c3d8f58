// The calling thread's current streams, and what its work is called.
#include "autograd/device/stream.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "autograd/sync/thread_local.h"

namespace twingrad {

namespace {

struct ThreadStreams {
  // One a device whose current stream is not its default one.
  std::vector<Stream> current;
  std::optional<Stream> work;  // of a WorkStreamGuard
  std::string_view label = "work";
  int32_t statement = kNoStatement;
};
AG_THREAD_LOCAL(ThreadStreams, StreamsOfThread);

}  // namespace

Stream CurrentStream(Device device) {
  for (const Stream& stream : StreamsOfThread().current) {
    if (stream.device == device) return stream;
  }
  return Stream{device};
}

void SetCurrentStream(Stream stream) {
  std::vector<Stream>& streams = StreamsOfThread().current;
  streams.reserve(streams.size() + 1);  // before anything is lost
  std::erase_if(streams, [&](const Stream& other) { return other.device == stream.device; });
  if (stream.id != 0) streams.push_back(stream);
}

const std::vector<Stream>& CurrentStreams() { return StreamsOfThread().current; }

void SetCurrentStreams(std::vector<Stream> streams) {
  StreamsOfThread().current = std::move(streams);
}

Stream WorkStream(Device device) {
  const std::optional<Stream>& work = StreamsOfThread().work;
  return work && work->device.type == device.type ? *work : CurrentStream(device);
}

WorkStreamGuard::WorkStreamGuard(Stream stream)
    : previous_(std::exchange(StreamsOfThread().work, stream)) {}

WorkStreamGuard::~WorkStreamGuard() { StreamsOfThread().work = previous_; }

std::string_view CurrentWorkLabel() { return StreamsOfThread().label; }

int32_t CurrentWorkStatement() { return StreamsOfThread().statement; }

WorkLabelGuard::WorkLabelGuard(std::string_view label, int32_t statement)
    : previous_(std::exchange(StreamsOfThread().label, label)),
      previous_statement_(std::exchange(StreamsOfThread().statement, statement)) {}

WorkLabelGuard::~WorkLabelGuard() {
  ThreadStreams& thread = StreamsOfThread();
  thread.label = previous_;
  thread.statement = previous_statement_;
}

}  // namespace twingrad
