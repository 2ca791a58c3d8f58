// A process that this one watches: started in a group of its own, killed with all that it started,
// and by the system when this process ends.
//
//   absl::StatusOr<Child> child = Child::Start(words, "/tmp/x/output");
//   while (!child->Ended()) { for (const std::string& line : child->TakeLines()) ... }

#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "absl/status/statusor.h"

namespace twingrad::campaign {

class Child {
 public:
  // Standard output and error go to the file `output`.
  static absl::StatusOr<Child> Start(std::vector<std::string> words, const std::string& output);
  Child(Child&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)),
        status_(other.status_),
        read_(other.read_),
        output_(std::move(other.output_)) {}
  Child& operator=(Child&&) = delete;
  ~Child();

  bool Ended();
  // Once it has ended, as waitpid has it.
  int status() const { return status_; }
  void Signal(int signal) const;
  // The whole lines that it has written since the last call; once it has ended, the rest too.
  std::vector<std::string> TakeLines();
  // All that it has written; of much the end.
  std::string Output() const;

 private:
  Child(pid_t pid, std::string output) : pid_(pid), output_(std::move(output)) {}

  pid_t pid_;  // -1: it has ended
  int status_ = 0;
  size_t read_ = 0;
  std::string output_;
};

}  // namespace twingrad::campaign
