// Stream: the name of one queue of work of a device; and the calling thread's current streams.
//
//   StreamGuard guard(interface.CreateStream(0));   // work of this scope goes to the new stream
//   WorkLabelGuard label("MulBackward");            // and has this name in reports
//
// Work of one stream runs in the order in which it was queued. Work of two streams is ordered by
// events only: the default stream (id 0) waits for no other and none waits for it. The CPU has its
// default stream only, whose work is done when the call returns.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// The calling thread's current streams that are no default ones, one a device.
const std::vector<Stream>& CurrentStreams();
// Makes these the thread's current ones, and the default ones of all other devices.
void SetCurrentStreams(std::vector<Stream> streams);

// Whose work it is when the calling thread touches memory of `device`: that of the device's current
// stream, or of the one of a WorkStreamGuard.
Stream WorkStream(Device device);

// For a scope the thread's work is that of one stream, on whatever device of its type memory lies:
// for a copy between two of them.
class WorkStreamGuard {
 public:
  explicit WorkStreamGuard(Stream stream);
  ~WorkStreamGuard();
  WorkStreamGuard(const WorkStreamGuard&) = delete;
  WorkStreamGuard& operator=(const WorkStreamGuard&) = delete;

 private:
  std::optional<Stream> previous_;
};

// What the calling thread's work is called in reports; "work" unless it was set.
std::string_view CurrentWorkLabel();
// The number of the caller's statement whose work it is: a line of a script, say. kNoStatement
// unless it was set.
inline constexpr int32_t kNoStatement = -1;
int32_t CurrentWorkStatement();

// Gives the thread's work a name for a scope, that outlives it, and the number of a statement, or
// that which it had.
class WorkLabelGuard {
 public:
  explicit WorkLabelGuard(std::string_view label) : WorkLabelGuard(label, CurrentWorkStatement()) {}
  WorkLabelGuard(std::string_view label, int32_t statement);
  ~WorkLabelGuard();
  WorkLabelGuard(const WorkLabelGuard&) = delete;
  WorkLabelGuard& operator=(const WorkLabelGuard&) = delete;

 private:
  std::string_view previous_;
  int32_t previous_statement_;
};

// An access that nothing orders, as a device that checks it reports it.
struct UnorderedAccess {
  std::string text;                  // what is wrong, and what to do
  int32_t statement = kNoStatement;  // whose work it is
  int32_t other = kNoStatement;      // and that which it is not ordered with
};

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

// Sets the current streams of all devices for a scope.
class StreamsGuard {
 public:
  explicit StreamsGuard(std::vector<Stream> streams) : previous_(CurrentStreams()) {
    SetCurrentStreams(std::move(streams));
  }
  ~StreamsGuard() { SetCurrentStreams(std::move(previous_)); }
  StreamsGuard(const StreamsGuard&) = delete;
  StreamsGuard& operator=(const StreamsGuard&) = delete;

 private:
  std::vector<Stream> previous_;
};

}  // namespace twingrad
