// A child process with pipes at its standard input and output, and its standard error kept.
//
// Its process group is its own and dies with this object, as does what has left the group but kept
// the environment; the child itself also dies with the thread that started it. Nothing here waits
// longer than it is told. One thread.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "absl/status/statusor.h"

namespace twingrad::conformance {

class Child {
 public:
  static absl::StatusOr<std::unique_ptr<Child>> Spawn(std::vector<std::string> words);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Queues bytes for its standard input; Flush and Pump write what it takes without waiting.
  void Write(std::string_view bytes) { pending_.append(bytes); }
  void Flush();
  // Writes what can be written and reads what is there, for at most `wait`. False: its output is at
  // its end. What was read is appended to `*out`, at most about 1 MiB.
  bool Pump(std::chrono::nanoseconds wait, std::string* out);

  // How it ended ("signal 11 (Segmentation fault)"), waiting up to `wait` for that.
  std::optional<std::string> Reap(std::chrono::nanoseconds wait);
  bool killed() const { return killed_; }  // by SIGKILL; after Reap
  pid_t pid() const { return pid_; }
  uint64_t ErrorSize() const;
  // The last lines of its standard error; ClearErrors forgets what it has written so far.
  std::string ErrorTail() const;
  void ClearErrors();

 private:
  Child(pid_t pid, int in, int out, int errors, std::string mark)
      : pid_(pid), in_(in), out_(out), errors_(errors), mark_(std::move(mark)) {}

  pid_t pid_;
  int in_;
  int out_;
  int errors_;
  std::string mark_;  // in the environment of what it starts
  std::string pending_;
  bool reaped_ = false;
  bool killed_ = false;
  std::string end_;
};

}  // namespace twingrad::conformance
