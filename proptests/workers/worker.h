// The worker: the process in which Programs are made and judged.
//
// Started by worker_process.h as `EXECUTABLE worker --recorder=... --memory=MIB ...`; the main
// function of the executable reads the flags and calls RunWorker. In a campaign it takes chunks of
// program numbers from the shared record until none is left or it is told to stop; as a prober it
// judges the Programs that its parent sends. It dies with its parent, ignores Ctrl-C and the
// signals by which a batch system ends a task (its parent tells it to stop), and leaves no core
// file.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "proptests/workers/case.h"
#include "proptests/workers/flight_recorder.h"

namespace twingrad::workers {

// Exit statuses of a worker besides 0 and those of a crash.
inline constexpr int kWorkerCannotStart = 3;
inline constexpr int kWorkerOutOfMemory = 86;

// The descriptor at which a worker finds the channel to its parent.
inline constexpr int kWorkerChannel = 3;

struct WorkerOptions {
  std::string recorder;  // path of the FlightRecord
  std::string campaign;  // path of the CampaignRecord; empty: a prober
  uint64_t memory = 0;   // bytes
};

// Who does the work.
struct Crew {
  // Called once, with the limits in force. An error ends the campaign: nothing can be judged.
  std::function<absl::Status()> start;
  CaseSource& source;
  CaseJudge& judge;
  CaseDrawer& drawer;
};

// The seeds of the Programs that a worker ran before program `index` of its campaign, in that
// order.
std::vector<uint64_t> SeedsBefore(const FlightRecord& record, uint64_t index,
                                  uint64_t campaign_seed);

// Returns the exit status.
int RunWorker(const Crew& crew, const WorkerOptions& options);

// The seed of program `index` of a campaign: what makes the set of Programs independent of the
// number of workers.
uint64_t ProgramSeed(uint64_t campaign_seed, uint64_t index);

}  // namespace twingrad::workers
