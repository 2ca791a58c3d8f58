#include "proptests/workers/worker_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proptests/workers/process.h"
#include "proptests/workers/worker.h"

namespace twingrad::workers {
namespace {

// A worker that has not reported after this long will not.
constexpr std::chrono::seconds kStartTimeout(60);
constexpr size_t kOutputTail = 4000;

// A Program asks for much the same memory as the one before: what that gave back is kept at hand
// (https://sourceware.org/glibc/manual/html_node/Memory-Allocation-Tunables.html).
constexpr char kAllocator[] =
    "GLIBC_TUNABLES=glibc.malloc.tcache_count=1000:glibc.malloc.trim_threshold=67108864";

absl::Status CannotSpawn(const std::string& executable, int error) {
  return absl::UnavailableError(
      absl::StrCat("[oracle] cannot start a worker from ", executable, " (", std::strerror(error),
                   "); needed are free processes and descriptors; free some"));
}

int SpawnProcess(const WorkerCommand& command, std::vector<std::string> words,
                 const std::string& output, int channel, pid_t* pid) {
  const std::vector<char*> argv = Pointers(words);
  std::vector<std::string> additions;
  if (std::getenv("GLIBC_TUNABLES") == nullptr) additions.emplace_back(kAllocator);
  const std::vector<char*> environment = EnvironmentWith(additions);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channel, kWorkerChannel);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // Its own process group: Ctrl-C reaches the parent alone.
  // Other requests that reach it too wait until it ignores them.
  const sigset_t requests = RequestSet();
  posix_spawnattr_setsigmask(&attributes, &requests);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  const int error = posix_spawn(pid, command.executable.c_str(), &actions, &attributes, argv.data(),
                                environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerProcess>> WorkerProcess::Spawn(const WorkerCommand& command,
                                                                    const std::string& name,
                                                                    const Legacy& legacy) {
  const std::string recorder = absl::StrCat(command.folder, "/", name, ".record");
  const std::string output = absl::StrCat(command.folder, "/", name, ".output");
  absl::StatusOr<MappedFile<FlightRecord>> record = MappedFile<FlightRecord>::Create(recorder);
  if (!record.ok()) return record.status();
  (*record)->phase_began = MonotonicNanoseconds();
  (*record)->index = legacy.begin;
  (*record)->chunk_end = legacy.end;
  (*record)->fatal = legacy.fatal ? *legacy.fatal + 1 : 0;

  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    return CannotSpawn(command.executable, errno);
  }
  std::vector<std::string> words = {
      command.executable, "worker", absl::StrCat("--recorder=", recorder),
      absl::StrCat("--memory=", std::max<uint64_t>(1, command.limits.memory >> 20))};
  WorkerLimits limits = command.limits;
  if (command.judges_in_child) {
    words.push_back(
        absl::StrFormat("--timeout=%.9g", std::chrono::duration<double>(limits.timeout).count()));
    limits.timeout = 4 * limits.timeout + kStartTimeout;
  }
  if (!command.campaign.empty()) words.push_back(absl::StrCat("--campaign=", command.campaign));
  words.insert(words.end(), command.flags.begin(), command.flags.end());
  pid_t pid = 0;
  const int error = SpawnProcess(command, std::move(words), output, sockets[1], &pid);
  close(sockets[1]);
  if (error != 0) {
    close(sockets[0]);
    return CannotSpawn(command.executable, error);
  }
  return std::unique_ptr<WorkerProcess>(
      new WorkerProcess(command, pid, sockets[0], *std::move(record), output, limits));
}

WorkerProcess::~WorkerProcess() {
  if (reaped_) return;
  kill(pid_, SIGKILL);
  WaitFor(pid_);
}

void WorkerProcess::Kill(Death::Cause cause, std::string reason) {
  killed_ = Death{cause, std::move(reason)};
  kill(pid_, SIGKILL);
}

void WorkerProcess::EnforceLimits(std::chrono::nanoseconds grace) {
  if (reaped_ || killed_) return;
  const Phase phase = static_cast<Phase>(record_->phase.load(std::memory_order_acquire));
  const uint64_t began = record_->phase_began.load(std::memory_order_relaxed);
  const uint64_t now = MonotonicNanoseconds();
  std::chrono::nanoseconds elapsed =
      std::chrono::nanoseconds(now > began ? now - began : 0) - grace;
  if (seen_ != began) waits_before_ = WaitsForProcessor(pid_);
  seen_ = began;
  // A large Program takes longer: as much again for each mebibyte of its text.
  const int64_t kibibytes = record_->program_size.load(std::memory_order_relaxed) >> 10;
  const std::chrono::nanoseconds timeout = limits_.timeout + limits_.timeout / 1024 * kibibytes;
  if (elapsed > timeout) elapsed -= LongestWait(waits_before_, WaitsForProcessor(pid_));
  if (phase == Phase::kStarting &&
      elapsed > std::max<std::chrono::nanoseconds>(kStartTimeout, limits_.timeout)) {
    Kill(Death::Cause::kCannotStart, "no sign of life after 60 s");
  } else if ((phase == Phase::kGenerating || phase == Phase::kJudging) && elapsed > timeout) {
    Kill(Death::Cause::kHang,
         absl::StrFormat("no end after %.3g s", std::chrono::duration<double>(timeout).count()));
  } else if (const uint64_t size = ResidentSize(pid_); size > limits_.memory) {
    // Before its first Program no Program is to blame.
    const bool starting = phase == Phase::kStarting;
    Kill(starting ? Death::Cause::kCannotStart : Death::Cause::kMemory,
         absl::StrFormat("%d MiB of memory, allowed are %d MiB", size >> 20, limits_.memory >> 20));
  }
}

std::optional<Death> WorkerProcess::Reap() {
  int status = 0;
  if (reaped_ || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  reaped_ = true;
  if (killed_) return killed_;
  const bool starting =
      static_cast<Phase>(record_->phase.load(std::memory_order_acquire)) == Phase::kStarting;
  const Death::Cause crash = starting ? Death::Cause::kCannotStart : Death::Cause::kCrash;
  if (status == 0) return Death{};
  if (WIFEXITED(status) && WEXITSTATUS(status) == kWorkerOutOfMemory) {
    return Death{Death::Cause::kMemory,
                 absl::StrFormat("out of memory, allowed are %d MiB", limits_.memory >> 20)};
  }
  // Nothing here sends SIGKILL but the parent, which would have noted it, and the system when
  // memory is short or a person types it.
  const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  return Death{killed ? Death::Cause::kKilled : crash, EndText(status)};
}

std::string WorkerProcess::OutputTail() const {
  std::ifstream file(output_, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.size() > kOutputTail) {
    size_t begin = text.find('\n', text.size() - kOutputTail);
    text.erase(0, begin == std::string::npos ? text.size() - kOutputTail : begin + 1);
  }
  return text;
}

}  // namespace twingrad::workers
