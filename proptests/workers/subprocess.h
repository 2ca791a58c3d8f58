// Runs a program as a user would and returns all that it shows. For tests.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace twingrad::workers {

struct SubprocessResult {
  int exit_status = -1;  // 128 + signal when killed by one
  std::string output;
  std::string errors;  // empty with a terminal: both go to the output
};

struct SubprocessOptions {
  std::string input;
  // Added to the environment, as NAME=value.
  std::vector<std::string> environment;
  // Standard output and error are a terminal of 100 columns.
  bool terminal = false;
  // Called once with the process running.
  std::function<void(pid_t)> meanwhile;
};

SubprocessResult RunSubprocess(std::vector<std::string> words,
                               const SubprocessOptions& options = {});

}  // namespace twingrad::workers
