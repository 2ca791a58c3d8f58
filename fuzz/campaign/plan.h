// A plan: what a campaign runs, as a person writes it, and its shards, each worked out from its
// number alone.
//
//   {"campaign": "nightly", "seed": 7, "shards": 40, "canaries": 5,
//    "jobs": [{"verb": "check", "weight": 3, "programs": 20000},
//             {"verb": "explore", "weight": 1, "time": "10m", "flags": {"schedules": "500"}}]}
//
// A shard is the work of one core: Programs of one job, with a seed that depends on the plan's seed
// and the shard's number. Nothing is kept for each shard, so that ten thousand cost as much to plan
// as one. Plain data and pure functions.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace twingrad::campaign {

// `[campaign] wrong; allowed; action`.
absl::Status Objection(std::string_view wrong, std::string_view allowed, std::string_view action);

// A job whose shards run a fuzz target, and one whose shards are `check` of an engine of others.
inline constexpr char kFuzz[] = "fuzz";
inline constexpr char kConformance[] = "conformance";

struct Job {
  std::string verb = "check";  // or explore, conformance, fuzz
  uint64_t weight = 1;         // its share of the shards, relative to the other jobs
  // What ends a shard, whichever comes first; a shard of 0 Programs is empty. Programs of a fuzz
  // target are its runs.
  uint64_t programs = UINT64_MAX / 2;
  double seconds = 1e9;
  // Flags of the verb, "engine" among them.
  std::map<std::string, std::string> flags;
};

struct Plan {
  std::string name = "campaign";
  uint64_t seed = 0;
  uint64_t shards = 0;    // the canaries' included
  uint64_t canaries = 0;  // shards whose engine has a planted defect
  double lease = 60;      // seconds without a sign of life after which a shard is anyone's
  double checkpoint = 2;  // seconds between two; a kill repeats what was judged in between
  std::vector<Job> jobs;
};

inline constexpr double kLongestCheckpoint = 5;
inline constexpr uint64_t kMostShards = 1'000'000;

// Reads a plan; `origin` names the file in errors.
absl::StatusOr<Plan> ParsePlan(std::string_view text, std::string_view origin);
std::string PrintPlan(const Plan& plan);
// As a shell takes them, with a blank before each.
std::string FlagsText(const Job& job);

// The jobs of all shards, by their place in the plan: each run of shards has them in the ratio of
// their weights, so that a campaign that is cut short has tried all of them.
std::vector<uint32_t> JobsOfShards(const Plan& plan);

uint64_t SeedOfShard(const Plan& plan, uint64_t shard);

// How many shards can have a planted defect: those of `check` on the repository's engine.
uint64_t PlacesForCanaries(const Plan& plan, const std::vector<uint32_t>& jobs);

// The number that says whether the shard's engine has a planted defect, and which
// (proptests/workers/plant.h). Every shard has one; who runs the shard cannot tell what it means.
std::vector<uint64_t> PlantsOfShards(const Plan& plan);

// The job of a plan that nobody wrote: all that needs nothing but this repository.
Plan DefaultPlan(uint64_t seed, int cores, double seconds);

}  // namespace twingrad::campaign
