// What is known of a shard: the sum of its records.
//
// Each file of a shard begins with the whole state that it goes on from, so that the newest alone
// says everything; its further records are added one by one. Plain data.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "proptests/workers/case.h"

namespace twingrad::campaign {

// The version of the records. A file of another one is refused.
inline constexpr uint64_t kVersion = 1;

// A point of the curves of a shard.
struct Point {
  double seconds = 0;
  uint64_t programs = 0;
  uint64_t seen = 0;  // counters that are no longer 0, and notes; of a fuzz target, edges
};
// A curve that has more loses every second one.
inline constexpr size_t kMostPoints = 400;

// Of a fuzz target, of which the edges have numbers below.
inline constexpr uint32_t kMostEdges = 1u << 22;

struct ShardFinding {
  std::string signature;  // two with the same are one
  std::string rule;       // the oracle's name, or crash, hang, memory
  std::string kind;       // the complaint without its names and numbers
  std::string text;       // for a person to read first
  std::string program;    // minimized
  std::string folder;     // below the campaign's folder; empty: it could not be written
  uint64_t seed = 0;
  uint64_t index = 0;
  double seconds = 0;  // of the shard, when it was found
  uint64_t more = 0;   // further failures in the shard with the same signature
};

struct ShardState {
  uint64_t after = 0;     // the Programs below are judged; the sums are of them
  uint64_t programs = 0;  // how many were counted, and the sum of their seeds: what tells a Program
  uint64_t seeds = 0;     // counted twice, or lost, from all counted once
  uint64_t failed = 0;
  double seconds = 0;
  workers::Counters counters;
  std::set<std::string> notes;
  // Of a fuzz target: how many edges it says to have covered, and which, once that was measured.
  uint64_t covered = 0;
  std::set<uint32_t> edges;
  std::vector<Point> curve;
  std::vector<ShardFinding> findings;
  // Failures that were not yet minimized, by index.
  std::map<uint64_t, workers::Failure> pending;
  bool done = false;
  bool released = false;  // its owner has left it to the next

  // Adds a record; an error if it is none of this version.
  absl::Status Add(const nlohmann::json& record);

  nlohmann::json ToJson() const;
  uint64_t Seen() const;
};

// What the records of a file add up to, of which the first holds what the file begins with; an
// error if they are none of this version. `origin` names the file.
absl::StatusOr<ShardState> StateOf(const std::vector<nlohmann::json>& records,
                                   std::string_view origin);

// The records of a shard.
nlohmann::json CheckpointRecord(const ShardState& before, const ShardState& now);
nlohmann::json FailureRecord(const workers::Failure& failure);
// The failure at `index` became this finding,
nlohmann::json FindingRecord(uint64_t index, const ShardFinding& finding);
// is one more of that signature, or was not minimized (an empty one).
nlohmann::json SettledRecord(uint64_t index, const std::string& signature);
// The inputs of the shard so far cover these.
nlohmann::json EdgesRecord(const std::set<uint32_t>& edges);
nlohmann::json EndRecord(bool done);

}  // namespace twingrad::campaign
