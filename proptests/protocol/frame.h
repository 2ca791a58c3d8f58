// Frames: the outer form of what an adapter writes, cut from a stream of bytes.
//
//   FrameReader reader;
//   reader.Feed(bytes_from_the_pipe);
//   absl::StatusOr<std::optional<Frame>> frame = reader.Next();   // nullopt: not complete yet
//
// Whatever the bytes, Next ends in a frame, in the wish for more, or in an error that stays. Holds
// at most one frame of the largest size. One thread.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace twingrad::protocol {

inline constexpr size_t kMaxLine = size_t{1} << 16;  // of a line without a body
inline constexpr size_t kMaxBody = size_t{1} << 24;  // of the results of one Program

struct Frame {
  enum class Kind : uint8_t { kHello, kOk, kSkip, kError };
  Kind kind = Kind::kHello;
  uint64_t id = 0;   // of the case; 0 for hello
  std::string text;  // hello: the whole line; ok: the body; skip and error: the reason
};

class FrameReader {
 public:
  void Feed(std::string_view bytes) { buffer_.append(bytes); }
  // Error: `[protocol] what is wrong; what is allowed; what to do`.
  absl::StatusOr<std::optional<Frame>> Next();
  // Nothing waits to be cut.
  bool empty() const { return buffer_.empty() && !body_; }
  // What has come of a frame that is not complete, in words; empty where nothing has.
  std::string Partial() const;

 private:
  absl::Status Header(std::string_view line);

  std::string buffer_;
  Frame frame_;
  std::optional<size_t> body_;  // bytes of the body of frame_, once its header is known
  absl::Status status_;
};

// What the runner and the adapter write.
std::string PrintCase(uint64_t id, std::string_view program);
std::string PrintOk(uint64_t id, std::string_view body);
std::string PrintSkip(uint64_t id, std::string_view reason);
std::string PrintFault(uint64_t id, std::string_view reason);

}  // namespace twingrad::protocol
