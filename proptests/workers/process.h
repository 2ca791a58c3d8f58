// What all who start processes need: argument lists, waiting, and how a process ended.

#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include "absl/status/statusor.h"

namespace twingrad::workers {

// What exec takes, valid as long as the words are: a pointer to each, and a null pointer.
std::vector<char*> Pointers(std::vector<std::string>& words);

// The environment of this process, with these NAME=value in place of its own of those names; valid
// as long as they are.
std::vector<char*> EnvironmentWith(std::vector<std::string>& entries);

// Signals that ask a run to end in order, which is its parent's business alone. Batch systems send
// them to all processes of a task at once.
inline constexpr int kRequests[] = {SIGINT, SIGTERM, SIGUSR1, SIGHUP};
sigset_t RequestSet();

// Waits for the end of a child; its status, as waitpid has it.
int WaitFor(pid_t pid);

// How a process ended: "signal 11 (Segmentation fault)" or "exit status 3".
std::string EndText(int status);

// Bytes of physical memory that the process holds; 0 when it is gone.
uint64_t ResidentSize(pid_t pid);

// By thread of a process, how long it was ready to run and had no processor. None when the process
// is gone, or where the kernel does not count it.
using Waits = std::map<pid_t, std::chrono::nanoseconds>;
Waits WaitsForProcessor(pid_t pid);
// Of the thread that waited most from the one to the other.
std::chrono::nanoseconds LongestWait(const Waits& before, const Waits& after);

// Runs a program, found as a shell finds it, without input, and with its standard output in the
// file `output`. Returns the program's status as waitpid has it, or why it could not be run.
absl::StatusOr<int> RunInto(const std::string& output, std::vector<std::string> words);

}  // namespace twingrad::workers
