#include "proptests/workers/process.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace twingrad::workers {

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<char*> EnvironmentWith(std::vector<std::string>& entries) {
  std::vector<char*> environment = Pointers(entries);
  environment.pop_back();
  for (char** own = environ; *own != nullptr; ++own) {
    const auto replaces = [own](const std::string& entry) {
      return absl::StartsWith(*own, entry.substr(0, entry.find('=') + 1));
    };
    if (std::ranges::none_of(entries, replaces)) environment.push_back(*own);
  }
  environment.push_back(nullptr);
  return environment;
}

sigset_t RequestSet() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kRequests) sigaddset(&set, signal);
  return set;
}

int WaitFor(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string EndText(int status) {
  if (!WIFSIGNALED(status)) return absl::StrCat("exit status ", WEXITSTATUS(status));
  return absl::StrFormat("signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

uint64_t ResidentSize(pid_t pid) {
  std::ifstream statm(absl::StrCat("/proc/", pid, "/statm"));
  uint64_t size = 0;
  uint64_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

Waits WaitsForProcessor(pid_t pid) {
  Waits waits;
  std::error_code gone;
  const std::filesystem::directory_iterator threads(absl::StrCat("/proc/", pid, "/task"), gone);
  for (auto thread = begin(threads); !gone && thread != end(threads); thread.increment(gone)) {
    // Time on a processor and time waiting for one, in nanoseconds
    // (https://docs.kernel.org/scheduler/sched-stats.html).
    std::ifstream schedule(thread->path() / "schedstat");
    int64_t ran = 0, waited = 0;
    pid_t id = 0;
    if (schedule >> ran >> waited && absl::SimpleAtoi(thread->path().filename().string(), &id)) {
      waits[id] = std::chrono::nanoseconds(waited);
    }
  }
  return waits;
}

std::chrono::nanoseconds LongestWait(const Waits& before, const Waits& after) {
  std::chrono::nanoseconds longest = {};
  for (const auto& [thread, waited] : after) {
    const auto known = before.find(thread);
    const std::chrono::nanoseconds since = known == before.end() ? waited : waited - known->second;
    longest = std::max(longest, since);
  }
  return longest;
}

absl::StatusOr<int> RunInto(const std::string& output, std::vector<std::string> words) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const std::vector<char*> argv = Pointers(words);
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return absl::UnavailableError(std::strerror(error));
  return WaitFor(pid);
}

}  // namespace twingrad::workers
