#include "proptests/conformance/child.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proptests/workers/process.h"

namespace twingrad::conformance {
namespace {

using std::chrono::steady_clock;

constexpr size_t kMostAtOnce = size_t{1} << 20;
constexpr size_t kErrorTail = 4000;
constexpr int kCannotExecute = 127;
constexpr int kMostSearches = 100;

// Between fork and exec: system calls alone.
[[noreturn]] void Become(char* const* argv, char* const* environment, int in, int out, int errors,
                         pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotExecute);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Engines reserve address space that they do not use; what they hold is watched from outside.
  rlimit address_space = {};
  getrlimit(RLIMIT_AS, &address_space);
  address_space.rlim_cur = address_space.rlim_max;
  setrlimit(RLIMIT_AS, &address_space);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  dup2(in, 0);
  dup2(out, 1);
  dup2(errors, 2);
  execvpe(argv[0], argv, environment);
  const char* why = strerror(errno);
  [[maybe_unused]] ssize_t n = write(2, why, strlen(why));
  _exit(kCannotExecute);
}

// A variable that what the child starts inherits, whatever group or session it puts itself into.
std::string Mark() {
  static std::atomic<uint64_t> children = 0;
  return absl::StrCat("TWINGRAD_ADAPTER=", getpid(), ".", ++children);
}

// Kills each process whose environment holds the mark; true: there was one.
bool KillMarked(const std::string& mark) {
  const std::string entry = absl::StrCat(std::string(1, '\0'), mark, std::string(1, '\0'));
  bool found = false;
  std::error_code gone;  // processes end while they are listed
  for (std::filesystem::directory_iterator at("/proc", gone), end; at != end && !gone;
       at.increment(gone)) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(at->path().filename().string(), &pid)) continue;
    std::ifstream file(at->path() / "environ");
    std::ostringstream environment;
    // A process may end before its file is read: a stream takes note of that, where an iterator
    // over its buffer would throw.
    environment << '\0' << file.rdbuf();
    if (absl::StrContains(environment.str(), entry)) found |= kill(pid, SIGKILL) == 0;
  }
  return found;
}

struct Pipe {
  int fd[2] = {-1, -1};
  ~Pipe() {
    for (int end : fd) {
      if (end >= 0) close(end);
    }
  }
  bool Open() { return pipe2(fd, O_CLOEXEC) == 0; }
  int Take(int end) { return std::exchange(fd[end], -1); }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Child>> Child::Spawn(std::vector<std::string> words) {
  const auto cannot = [&] {
    return absl::UnavailableError(
        absl::StrCat("[protocol] cannot start `", words.empty() ? "" : words[0], "` (",
                     std::strerror(errno), "); needed is a program that can be executed"));
  };
  if (words.empty()) return cannot();
  Pipe in, out, before_exec;
  const int errors = memfd_create("errors", MFD_CLOEXEC);
  if (errors < 0 || !in.Open() || !out.Open() || !before_exec.Open() ||
      fcntl(errors, F_SETFL, O_APPEND) != 0) {
    if (errors >= 0) close(errors);
    return cannot();
  }
  const std::vector<char*> argv = workers::Pointers(words);
  std::vector<std::string> mark = {Mark()};
  const std::vector<char*> environment = workers::EnvironmentWith(mark);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) Become(argv.data(), environment.data(), in.fd[0], out.fd[1], errors, parent);
  if (pid < 0) {
    close(errors);
    return cannot();
  }
  setpgid(pid, pid);  // whichever of the two is first
  // Until it has become the program, the child counts this process's memory as its own.
  close(before_exec.Take(1));
  char none = 0;
  while (read(before_exec.fd[0], &none, 1) < 0 && errno == EINTR) {
  }
  fcntl(in.fd[1], F_SETFL, O_NONBLOCK);
  fcntl(out.fd[0], F_SETFL, O_NONBLOCK);
  return std::unique_ptr<Child>(
      new Child(pid, in.Take(1), out.Take(0), errors, std::move(mark[0])));
}

Child::~Child() {
  close(in_);
  close(out_);
  close(errors_);
  // The group, for what the child has started; it outlives the child while a member lives.
  kill(-pid_, SIGKILL);
  if (!reaped_) kill(pid_, SIGKILL);
  if (!reaped_) workers::WaitFor(pid_);
  // And what has left the group; again, for what it has started meanwhile.
  for (int i = 0; i < kMostSearches && KillMarked(mark_); ++i) {
  }
}

void Child::Flush() {
  const ssize_t n = write(in_, pending_.data(), pending_.size());
  if (n > 0) pending_.erase(0, static_cast<size_t>(n));
  // Nobody reads any more: its end shows at its output or in its status.
  if (n < 0 && errno != EAGAIN && errno != EINTR) pending_.clear();
}

bool Child::Pump(std::chrono::nanoseconds wait, std::string* out) {
  pollfd fds[2] = {{out_, POLLIN, 0}, {pending_.empty() ? -1 : in_, POLLOUT, 0}};
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(wait + std::chrono::microseconds(999));
  if (poll(fds, 2, static_cast<int>(std::max<int64_t>(0, milliseconds.count()))) <= 0) return true;
  if (fds[1].revents != 0) Flush();
  if (fds[0].revents == 0) return true;
  char buffer[65536];
  for (size_t total = 0; total < kMostAtOnce;) {
    const ssize_t n = read(out_, buffer, sizeof buffer);
    if (n == 0) return false;
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    out->append(buffer, static_cast<size_t>(n));
    total += static_cast<size_t>(n);
    if (static_cast<size_t>(n) < sizeof buffer) break;
  }
  return true;
}

std::optional<std::string> Child::Reap(std::chrono::nanoseconds wait) {
  const auto until = steady_clock::now() + wait;
  while (!reaped_) {
    int status = 0;
    const pid_t pid = waitpid(pid_, &status, WNOHANG);
    if (pid == pid_) {
      reaped_ = true;
      killed_ = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
      end_ = workers::EndText(status);
    } else if (pid < 0 && errno != EINTR) {
      reaped_ = true;
      end_ = "an unknown end";
    } else if (steady_clock::now() >= until) {
      return std::nullopt;
    } else {
      poll(nullptr, 0, 1);
    }
  }
  return end_;
}

uint64_t Child::ErrorSize() const {
  struct stat status = {};
  return fstat(errors_, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

std::string Child::ErrorTail() const {
  const uint64_t size = ErrorSize();
  const uint64_t begin = size > kErrorTail ? size - kErrorTail : 0;
  std::string text(size - begin, '\0');
  const ssize_t n = pread(errors_, text.data(), text.size(), static_cast<off_t>(begin));
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  if (begin > 0) text.erase(0, text.find('\n') + 1);
  return text;
}

void Child::ClearErrors() {
  if (ftruncate(errors_, 0) != 0) return;  // then more of the past is shown
}

}  // namespace twingrad::conformance
