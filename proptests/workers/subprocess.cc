#include "proptests/workers/subprocess.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <pty.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proptests/workers/files.h"
#include "proptests/workers/process.h"

namespace twingrad::workers {
namespace {

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
  const TemporaryFolder folder = *TemporaryFolder::Make("subprocess");
  const std::string input = folder.path() + "/input";
  const std::string output = folder.path() + "/output";
  const std::string errors = folder.path() + "/errors";
  if (!WriteFile(input, options.input).ok()) std::abort();
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
  std::vector<std::string> additions = options.environment;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, input.c_str(), O_RDONLY, 0);
  if (options.terminal) {
    for (const int fd : {1, 2}) posix_spawn_file_actions_adddup2(&actions, terminal_inside, fd);
  } else {
    const int flags = O_RDWR | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), flags, 0600);
  }
  pid_t pid = 0;
  const std::string executable = words[0];
  const std::vector<char*> argv = Pointers(words);
  const std::vector<char*> envp = EnvironmentWith(additions);
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
  const int status = WaitFor(pid);
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!options.terminal) {
    result.output = *ReadInput(output);
    result.errors = *ReadInput(errors);
  }
  return result;
}

}  // namespace twingrad::workers
