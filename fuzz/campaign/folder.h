// The folder of a campaign, which any number of machines may share.
//
//   plan.json                          what is run; written once
//   shards/000012.0003                 the third epoch of shard 12: its records (record_file.h)
//   findings/000012.0003/twin-00ab/    folders of findings (proptests/findings)
//   merged/                            results.sqlite and index.html, renamed into place
//
// Who works on a shard owns its newest epoch. Taking a shard is making the file of the next epoch,
// which the file system lets one succeed in (link(2)); the file begins with all that the shard had
// come to. So no file has two writers, and what an owner that was given up for dead adds to its old
// epoch is read by nobody. An owner appends every two seconds; others watch the length of its file,
// by a clock of their own, and take the shard when it has stood still for a lease. The owner's
// clock plays no part.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fuzz/campaign/plan.h"
#include "fuzz/campaign/record_file.h"
#include "fuzz/campaign/shard_state.h"
#include "nlohmann/json.hpp"

namespace twingrad::campaign {

// Makes the folder, which must be new or empty, with its plan.
absl::Status MakeFolder(const std::string& folder, const Plan& plan);
absl::StatusOr<Plan> ReadPlan(const std::string& folder);

std::string EpochName(uint64_t shard, uint64_t epoch);
std::string EpochPath(const std::string& folder, uint64_t shard, uint64_t epoch);

// The newest epoch of each shard that has one.
absl::StatusOr<std::map<uint64_t, uint64_t>> NewestEpochs(const std::string& folder);

// Puts a file that was made on this machine's disk where readers of the shared folder look; whole
// or not at all, also where several do so at once.
absl::Status Publish(const std::string& made, const std::string& path);

// What a shard has come to, by its newest epoch that can be read.
struct ShardView {
  ShardState state;
  uint64_t epoch = 0;     // the newest; 0: none yet
  uint64_t size = 0;      // of its file
  nlohmann::json owner;   // of the newest
  std::string complaint;  // what was not readable; empty: nothing
};
// An error: the shard was written by another version, or its folder cannot be read.
absl::StatusOr<ShardView> ViewShard(const std::string& folder, uint64_t shard, uint64_t newest);

// Takes the shard: makes its next epoch, owned by this process, which begins with view.state.
// AlreadyExists: another was faster.
absl::StatusOr<RecordWriter> Claim(const std::string& folder, const Plan& plan, uint64_t shard,
                                   const ShardView& view);

// Whether another has taken the shard since.
bool IsStale(const std::string& folder, uint64_t shard, uint64_t epoch);

// Unavailable: the epoch's file is not in its place, as where a shared folder has lost its mount.
// What is written below that path would not come back with it.
absl::Status CheckHere(const std::string& folder, uint64_t shard, uint64_t epoch);

// Sees whether the owners of shards are alive. One for each process that waits for others.
class Watch {
 public:
  explicit Watch(double lease_seconds) : lease_(lease_seconds) {}

  // Whether the owner of the epoch has shown no sign of life for a lease, as seen from here, or is
  // a process of this machine that has ended.
  bool IsGone(uint64_t shard, const ShardView& view);

 private:
  struct Seen {
    uint64_t epoch = 0;
    uint64_t size = 0;
    double since = 0;
  };
  double lease_;
  std::map<uint64_t, Seen> seen_;
};

}  // namespace twingrad::campaign
