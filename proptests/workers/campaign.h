// A campaign: many Programs judged by several workers at once, with nothing lost when one of them
// dies.
//
// Program i of a campaign has a seed made of the campaign's seed and i, so the set of Programs is
// the same for any number of workers. A worker that crashes, hangs or takes too much memory makes a
// Failure of the Program it was running; a fresh one takes over the rest of its chunk, and counts
// that Program without judging it again. Used by one thread, which calls Pump until it returns
// false.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proptests/workers/case.h"
#include "proptests/workers/flight_recorder.h"
#include "proptests/workers/worker_process.h"

namespace twingrad::workers {

class Prober;

struct CampaignOptions {
  uint64_t seed = 0;
  uint64_t begin = 0;  // the Programs before this one were judged by an earlier run
  uint64_t programs = 2000;
  int jobs = 1;
  WorkerCommand worker;  // its campaign path is set by Create
};

class Campaign {
 public:
  static absl::StatusOr<std::unique_ptr<Campaign>> Create(CampaignOptions options);
  ~Campaign();

  // Waits up to `wait` for something to happen and handles it. False: all workers have ended.
  bool Pump(std::chrono::milliseconds wait);

  // Lets the workers end after their current Programs.
  void Stop() { record_->stop = 1; }

  // Failures since the last call, as found.
  std::vector<Failure> TakeFailures() { return std::exchange(failures_, {}); }

  // Sums over the workers, those that died included.
  uint64_t programs() const { return AllSums().programs; }
  Counters counters() const { return AllSums().counters; }
  // Whether each of the Programs was judged, and none of them twice. Only for a campaign that ran
  // to its end.
  bool Whole() const;

  // A moment of a campaign with one worker: the Programs below `after` are judged, the sums are of
  // those from `begin` up to there and no others, and TakeFailures and notes() have heard of all of
  // them. What they have heard beyond is of a Program that will be judged again in another run.
  struct Moment {
    uint64_t after = 0;
    uint64_t programs = 0;
    uint64_t seeds = 0;
    Counters counters;
  };
  Moment Settle();
  // Of all workers.
  const std::set<std::string>& notes() const { return notes_; }
  // Programs that failed, each counted once.
  uint64_t failed() const { return failed_.size(); }
  // Workers that something outside killed and whose Program was run again.
  uint64_t restarts() const { return restarts_; }

  // Not ok: an engine could not be started, and the campaign has ended early.
  const absl::Status& status() const { return status_; }

 private:
  struct Slot {
    std::string name;
    std::unique_ptr<WorkerProcess> process;  // null: ended
    uint64_t last_killed_index = UINT64_MAX;
    std::string start_error;
  };

  struct Sums {
    void Add(const FlightRecord::Progress& progress);
    uint64_t after = 0;
    uint64_t programs = 0;
    uint64_t seeds = 0;
    Counters counters;
  };

  explicit Campaign(CampaignOptions options);
  Sums AllSums() const;
  void ReadMessages(Slot& slot);
  void HandleDeath(Slot& slot, const Death& death);
  void AddFailure(Failure failure);
  // What a worker of its own makes of the seed; empty if it cannot.
  std::string ProgramOf(uint64_t seed);
  void Respawn(Slot& slot, const Legacy& legacy);
  void Retire(Slot& slot);

  CampaignOptions options_;
  MappedFile<CampaignRecord> record_;
  std::vector<Slot> slots_;
  std::vector<Failure> failures_;
  std::set<uint64_t> failed_;
  Sums retired_;                    // of the workers that have ended
  std::unique_ptr<Prober> prober_;  // null: not needed yet
  std::set<std::string> notes_;
  uint64_t restarts_ = 0;
  uint64_t hangs_ = 0;
  std::chrono::nanoseconds longest_ = {};  // that a Program has taken in workers that have ended
  uint64_t last_pump_ = 0;
  absl::Status status_;
};

// How long the Programs of a worker may run. Many that hang would cost a campaign hours: after some
// a tenth of the limit must do, unless others have taken nearly as long.
inline constexpr uint64_t kHangsInFull = 3;
std::chrono::nanoseconds TimeLimit(std::chrono::nanoseconds limit, uint64_t hangs,
                                   std::chrono::nanoseconds longest);

// The result of a case that brought its worker down.
CaseResult ResultOfDeath(const Death& death, const WorkerProcess& process, std::string_view doing);
// The message for a worker that ended before it judged anything.
std::string StartError(const Death& death, const WorkerProcess& process);

}  // namespace twingrad::workers
