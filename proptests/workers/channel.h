// Messages between a worker and its parent: JSON over a socket pair, each behind its length.
//
// Only rare things travel here (a worker is ready, a finding, a program to judge); counters go
// through the flight recorder. The worker sends and receives blocking; the parent receives what is
// there. A message that the peer did not live to finish is dropped.

#pragma once

#include <optional>
#include <string>
#include <utility>

#include "nlohmann/json.hpp"
#include "proptests/workers/case.h"

namespace twingrad::workers {

class Channel {
 public:
  // Takes the descriptor over.
  explicit Channel(int fd) : fd_(fd) {}
  Channel(Channel&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), received_(std::move(other.received_)) {}
  Channel& operator=(Channel&&) = delete;
  ~Channel();

  int fd() const { return fd_; }

  // False: the peer is gone.
  bool Send(const nlohmann::json& message);

  // The next whole message. Blocking: waits for it; nothing means that the peer is gone. Otherwise
  // nothing means that there is none yet, or that the peer is gone: closed() tells.
  std::optional<nlohmann::json> Receive(bool blocking);
  bool closed() const { return closed_; }

 private:
  std::optional<nlohmann::json> TakeMessage();

  int fd_;
  bool closed_ = false;
  std::string received_;
};

// A member that a message lacks has its default.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CaseResult, failed, oracle, text, expected, actual,
                                                marked, reproducer, outcome, files)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Failure, index, seed, program, result, before)

}  // namespace twingrad::workers
