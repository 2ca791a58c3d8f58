#include "fuzz/campaign/targets/child.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "proptests/workers/process.h"

namespace twingrad::campaign {
namespace {

// Of one that talks without end.
constexpr size_t kMostOutput = size_t{1} << 20;

// As the tests of the sanitizer configurations have it (.bazelrc), but for what a target may say
// itself: one that keeps many fibers asks for no second stack for each, which take gigabytes.
constexpr char kSanitizers[] =
    "ASAN_OPTIONS=allocator_may_return_null=1:strict_string_checks=1:"
    "external_symbolizer_path=/usr/lib/llvm-19/bin/llvm-symbolizer";

std::string From(const std::string& path, size_t begin) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

absl::StatusOr<Child> Child::Start(std::vector<std::string> words, const std::string& output) {
  const std::vector<char*> argv = workers::Pointers(words);
  std::vector<std::string> additions;
  if (std::getenv("ASAN_OPTIONS") == nullptr) additions.emplace_back(kSanitizers);
  const std::vector<char*> environment = workers::EnvironmentWith(additions);
  const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  const int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t parent = getpid();
  const pid_t pid = out < 0 || none < 0 ? -1 : fork();
  if (pid == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(none, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    if (getppid() == parent) execve(argv[0], argv.data(), environment.data());
    _exit(127);
  }
  const int error = errno;
  if (out >= 0) close(out);
  if (none >= 0) close(none);
  if (pid > 0) return Child(pid, output);
  return absl::UnavailableError(absl::StrCat("[campaign] cannot start ", words[0], " (",
                                             std::strerror(error),
                                             "); needed are free processes, descriptors and room "
                                             "for temporary files; free some"));
}

Child::~Child() {
  if (pid_ < 0) return;
  Signal(SIGKILL);
  workers::WaitFor(pid_);
}

bool Child::Ended() {
  if (pid_ < 0) return true;
  if (waitpid(pid_, &status_, WNOHANG) != pid_) return false;
  kill(-pid_, SIGKILL);  // what it has started and left behind
  pid_ = -1;
  return true;
}

void Child::Signal(int signal) const {
  if (pid_ < 0) return;
  // Of a group that it has not made yet, it is the only member.
  if (signal != SIGKILL || kill(-pid_, signal) != 0) kill(pid_, signal);
}

std::vector<std::string> Child::TakeLines() {
  const bool ended = pid_ < 0;
  const std::string text = From(output_, read_);
  std::vector<std::string> lines;
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (ended && begin < text.size()) {
    lines.push_back(text.substr(begin));
    begin = text.size();
  }
  read_ += begin;
  return lines;
}

std::string Child::Output() const {
  std::string text = From(output_, 0);
  if (text.size() > kMostOutput) text.erase(0, text.size() - kMostOutput);
  return text;
}

}  // namespace twingrad::campaign
