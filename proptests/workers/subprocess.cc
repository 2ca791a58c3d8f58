#include "proptests/workers/subprocess.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <pty.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace twingrad::workers {
namespace {

// A private file that holds `contents`, unlinked by the destructor.
class ScratchFile {
 public:
  explicit ScratchFile(std::string_view contents = {}) {
    const char* folder = std::getenv("TEST_TMPDIR");
    path_ = std::string(folder != nullptr ? folder : "/tmp") + "/subprocess-XXXXXX";
    fd_ = mkstemp(path_.data());
    if (fd_ < 0 || write(fd_, contents.data(), contents.size()) < 0) std::abort();
    lseek(fd_, 0, SEEK_SET);
  }
  ~ScratchFile() {
    close(fd_);
    unlink(path_.c_str());
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  int fd() const { return fd_; }
  std::string Contents() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
  int fd_;
};

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What the process writes to its terminal until it lets go of it.
std::string ReadTerminal(int fd) {
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t n = read(fd, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;  // EIO: the other side is closed
    text.append(buffer, static_cast<size_t>(n));
  }
}

}  // namespace

SubprocessResult RunSubprocess(std::vector<std::string> words, const SubprocessOptions& options) {
  const ScratchFile input(options.input);
  const ScratchFile output;
  const ScratchFile errors;
  int terminal = -1;
  int terminal_inside = -1;
  if (options.terminal) {
    winsize size = {};
    size.ws_col = 100;
    size.ws_row = 24;
    if (openpty(&terminal, &terminal_inside, nullptr, nullptr, &size) != 0) std::abort();
    fcntl(terminal, F_SETFD, FD_CLOEXEC);
    fcntl(terminal_inside, F_SETFD, FD_CLOEXEC);
  }
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable)
    environment.push_back(*variable);
  // The first of two entries with one name would win, so additions go first.
  environment.insert(environment.begin(), options.environment.begin(), options.environment.end());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.fd(), 0);
  posix_spawn_file_actions_adddup2(&actions, options.terminal ? terminal_inside : output.fd(), 1);
  posix_spawn_file_actions_adddup2(&actions, options.terminal ? terminal_inside : errors.fd(), 2);
  pid_t pid = 0;
  const std::string executable = words[0];
  const std::vector<char*> argv = Pointers(words);
  const std::vector<char*> envp = Pointers(environment);
  const int error =
      posix_spawn(&pid, executable.c_str(), &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  SubprocessResult result;
  if (error != 0) return result;
  if (options.meanwhile) options.meanwhile(pid);
  if (options.terminal) {
    close(terminal_inside);
    result.output = ReadTerminal(terminal);
    close(terminal);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!options.terminal) {
    result.output = output.Contents();
    result.errors = errors.Contents();
  }
  return result;
}

}  // namespace twingrad::workers
