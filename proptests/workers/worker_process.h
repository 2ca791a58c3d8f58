// A worker as its parent sees it: spawned, watched, killed, and read after its death.
//
// The parent has one thread. It polls: WorkerProcess has no callbacks and never waits, except in
// its destructor, which kills the process and reaps it.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proptests/workers/case.h"
#include "proptests/workers/channel.h"
#include "proptests/workers/flight_recorder.h"
#include "proptests/workers/process.h"

namespace twingrad::workers {

struct WorkerLimits {
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);
  uint64_t memory = uint64_t{2} << 30;
};

struct WorkerCommand {
  std::string executable;          // absolute
  std::vector<std::string> flags;  // further ones, as the worker's main function takes them
  // The worker runs each case in a child of its own, which it holds to the limits; it gets more
  // time itself, to start that child and to try again.
  bool judges_in_child = false;
  std::string folder;    // for recorders and captured output; exists
  std::string campaign;  // path of the CampaignRecord; empty: a prober
  WorkerLimits limits;
  // Adds what the scratch memory of a dead worker says to the result of the case that it died of;
  // null: nothing is kept there.
  std::function<void(absl::Span<const std::byte> scratch, CaseResult* result)> read_scratch;
};

// How a worker ended.
struct Death {
  enum class Cause { kFinished, kCannotStart, kCrash, kHang, kMemory, kKilled };
  Cause cause = Cause::kFinished;
  std::string reason;  // "signal 11 (Segmentation fault)"
};

// What a dead worker has left of its chunk: the programs [begin, end), which its successor judges
// first, one by one; but the one that it died of is only counted.
struct Legacy {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::optional<uint64_t> fatal;
};

class WorkerProcess {
 public:
  // `name` tells apart the workers that live at the same time.
  static absl::StatusOr<std::unique_ptr<WorkerProcess>> Spawn(const WorkerCommand& command,
                                                              const std::string& name,
                                                              const Legacy& legacy = {});
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  Channel& channel() { return channel_; }
  const FlightRecord& record() const { return *record_; }
  pid_t pid() const { return pid_; }
  const WorkerCommand& command() const { return command_; }

  // Kills the process when its program has run too long or its memory has grown too large. Call it
  // about every 50 ms; `grace` is time in which the parent itself did not run. Time in which the
  // program was ready and others had the processors does not count.
  void EnforceLimits(std::chrono::nanoseconds grace = {});

  // How it ended, once it has.
  std::optional<Death> Reap();

  // The last lines that it wrote to its output.
  std::string OutputTail() const;

 private:
  WorkerProcess(WorkerCommand command, pid_t pid, int fd, MappedFile<FlightRecord> record,
                std::string output, WorkerLimits limits)
      : command_(std::move(command)),
        pid_(pid),
        channel_(fd),
        record_(std::move(record)),
        output_(std::move(output)),
        limits_(limits) {}
  void Kill(Death::Cause cause, std::string reason);

  WorkerCommand command_;
  pid_t pid_;
  bool reaped_ = false;
  Channel channel_;
  MappedFile<FlightRecord> record_;
  std::string output_;
  WorkerLimits limits_;
  // The program that was seen last, by when it began, and how long threads had waited by then.
  uint64_t seen_ = 0;
  Waits waits_before_;
  std::optional<Death> killed_;  // by the parent
};

}  // namespace twingrad::workers
