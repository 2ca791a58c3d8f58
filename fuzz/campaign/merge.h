// All shards of a campaign as one: findings with the same signature once, counts and coverage
// united. Reads only, at any time, also while shards run.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "fuzz/campaign/groups.h"
#include "fuzz/campaign/plan.h"
#include "fuzz/campaign/shard_state.h"
#include "proptests/workers/plant.h"

namespace twingrad::campaign {

struct MergedShard {
  uint64_t shard = 0;
  uint32_t job = 0;
  uint64_t epoch = 0;  // 0: nobody has begun it
  bool done = false;
  uint64_t programs = 0;
  uint64_t failed = 0;
  uint64_t waiting = 0;  // failures that are not minimized yet
  double seconds = 0;
  std::vector<Point> curve;
};

struct MergedJob {
  uint64_t shards = 0;
  uint64_t done = 0;
  uint64_t programs = 0;
  uint64_t failed = 0;
  uint64_t waiting = 0;
  double seconds = 0;
  workers::Counters counters;
  std::set<std::string> notes;
  // What has been seen after one shard, two shards and so on.
  std::vector<Point> curve;
  uint64_t seen = 0;
  // How much more would be seen with endless shards, by Chao's estimate from what one shard alone
  // and what two alone have seen; NaN while it rests on fewer than two shards.
  double unseen = 0;
  // Of who knows what the counters mean, where they are set: what a summary says, and why the job
  // fails although nothing may have been found.
  std::string summary;
  std::string objection;
};

struct MergedFinding {
  ShardFinding best;  // the one with the shortest Program
  uint64_t shard = 0;
  uint32_t job = 0;
  uint64_t failures = 0;        // Programs that showed it
  std::set<uint64_t> shards;    // where
  std::set<uint64_t> programs;  // how many different minimized ones, by checksum
  bool planted = false;
};

struct Canary {
  uint64_t shard = 0;
  workers::Defect defect = workers::Defect::kNone;
  bool done = false;  // its shard
  bool found = false;
};

struct Merged {
  Plan plan;
  std::string folder;
  std::vector<MergedShard> shards;
  std::vector<MergedJob> jobs;
  std::vector<MergedFinding> findings;  // those that are not planted first, then by shard
  std::vector<FindingGroup> groups;     // of findings: each is in one
  std::vector<Canary> canaries;
  std::vector<std::string> complaints;  // what could not be read, or does not add up

  uint64_t programs() const;
  uint64_t done() const;
  uint64_t found() const;         // findings that are not planted
  uint64_t found_groups() const;  // groups of them
  bool objects() const;           // a job has an objection
  bool missed() const;            // a canary's shard is done, and nothing came out
  // "found 5 of 5 planted defects", or that the campaign proves nothing.
  std::string Proof() const;
};

absl::StatusOr<Merged> MergeShards(const std::string& folder);

// A file of a finding's folder; empty where it is missing.
std::string FileOf(const Merged& merged, const ShardFinding& finding, std::string_view name);

}  // namespace twingrad::campaign
