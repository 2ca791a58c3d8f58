// A Session: one engine in a child process, driven over the pipe.
//
//   auto session = Session::Start({{"python3", "my_adapter.py"}}, limits);
//   (*session)->Send(program);
//   Reply reply = (*session)->Receive();      // an Observation, or what went wrong
//
// Whatever the child does (die, hang, eat memory, write garbage without end), Receive returns
// within the limits and the next Send starts a fresh child. If something outside killed the child,
// its Program runs again. The child and its process group die with the Session, and with this
// process. Used by one thread; from the first Start on SIGPIPE is ignored.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "proptests/protocol/frame.h"
#include "proptests/protocol/hello.h"

namespace twingrad::conformance {

class Child;

struct SessionOptions {
  std::vector<std::string> command;  // the first word is found as a shell finds it
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);        // of one Program
  std::chrono::nanoseconds start_timeout = std::chrono::seconds(60);  // of the handshake
  uint64_t memory = uint64_t{2} << 30;  // bytes that the child may hold
};

struct Reply {
  enum class Kind : uint8_t {
    kObserved,
    kSkipped,   // the adapter does not run this Program
    kCrash,     // the child died
    kHang,      // no reply within the time
    kMemory,    // the child grew too large
    kProtocol,  // the reply breaks the protocol, or the adapter says that it failed
  };
  Kind kind = Kind::kObserved;
  twingrad::program::Observation observation;
  std::string text;    // the reason, or what is wrong
  std::string output;  // the last lines of the child's standard error, where something is wrong
};

class Session {
 public:
  // Starts a child and shakes hands. An error says what is wrong with the handshake.
  static absl::StatusOr<std::unique_ptr<Session>> Start(SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const protocol::Hello& hello() const { return hello_; }
  // Hands over the Program; its reply is what the next Receive returns. The Program must live until
  // then. One at a time.
  void Send(const twingrad::program::Program& program);
  Reply Receive();

  // Ends the child: the next Send starts a fresh one.
  void Renew();

  // Children started after the first; those that something outside killed.
  uint64_t restarts() const { return restarts_; }
  uint64_t killed() const { return killed_; }
  // Of the child that runs now; -1: none.
  int pid() const;

 private:
  explicit Session(SessionOptions options);
  absl::Status Shake();
  absl::Status Greet(const std::optional<protocol::Frame>& frame, std::string_view wrong);
  void Restart();
  bool Bury();
  Reply Fail(Reply::Kind kind, std::string text);
  Reply Await();

  SessionOptions options_;
  protocol::Hello hello_;
  std::unique_ptr<Child> child_;  // null: the next Send starts one
  const twingrad::program::Program* program_ = nullptr;
  std::string text_;
  uint64_t id_ = 0;
  uint64_t restarts_ = 0;
  uint64_t killed_ = 0;
  std::optional<Reply> failed_;  // what Send has met
  bool killed_by_other_ = false;
};

}  // namespace twingrad::conformance
