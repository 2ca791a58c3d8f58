// LockCoverage: which ordered pairs of lock sites are possible, and which of them were seen.
//
// A pair (a, b) is seen when one thread takes a mutex at line a and the next to take that mutex is
// another thread, at line b. A pair is possible when it was seen, or when (b, a) was seen and only
// this mutex ordered the two: no other lock, atomic, spawn or join established happens-before, so
// some schedule has them the other way round. Pairs that no execution reached are neither. A site
// that takes its mutex but is in no pair is alone: full coverage of the possible pairs says nothing
// about it. Used by one thread, for many executions.
//
// Of the execution at hand it also knows which pairs were seen, and a fingerprint of what its locks
// order, as numbers that every process computes alike: a fuzzer's feedback.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "autograd/sync/model/scheduler.h"
#include "proptests/interleave/checker/race_detector.h"

namespace twingrad::interleave {

class LockCoverage {
 public:
  struct Summary {
    int64_t seen = 0;
    int64_t possible = 0;
    std::vector<std::string> missing;  // "file:line before file:line (mutex)", sorted
    int64_t sites = 0;
    std::vector<std::string> alone;  // sites in no pair, "file:line", sorted
  };

  // Call when an execution begins.
  void Begin() {
    holders_.clear();
    hand_overs_.clear();
    fingerprint_ = 0;
  }
  // Call when `thread` has taken the mutex, before its clock has joined the release of the previous
  // holder.
  void OnLock(ThreadId thread, const Operation& operation, const RaceDetector& clocks);
  void OnUnlock(ThreadId thread, const void* mutex, const RaceDetector& clocks);

  // Call when the mutex is destroyed: the next one at its address is a different mutex.
  void Forget(const void* mutex) { holders_.erase(mutex); }

  // The pairs seen since Begin, a number for each; unsorted, with duplicates.
  const std::vector<uint64_t>& hand_overs() const { return hand_overs_; }
  // Of who took each mutex, where and in which order, since Begin. Two executions that differ only
  // in the order of what no mutex orders have the same one.
  uint64_t fingerprint() const { return fingerprint_; }

  // Counts the pairs whose sites both lie in files whose path contains `part_of_path`.
  Summary Summarize(std::string_view part_of_path = "") const;
  // Calls `visit` for each possible pair: its two sites as "file:line", and whether it was seen.
  using Visitor = std::function<void(std::string_view, std::string_view, bool)>;
  void Visit(const Visitor& visit) const;
  // Every site that has taken a mutex, as "file:line", in order of first use.
  const std::vector<std::string>& site_names() const { return names_; }

 private:
  using Site = size_t;  // a place in names_
  struct Holder {
    ThreadId thread;
    Site site;
    uint32_t released = 0;  // the holder's own time of the release; 0: not released yet
    uint64_t history = 0;   // of all holders so far
  };
  struct Pair {
    bool seen = false;
    std::string mutex;
  };

  Site SiteOf(const std::source_location& where);

  absl::flat_hash_map<std::pair<const char*, uint64_t>, Site> site_by_location_;
  absl::flat_hash_map<std::string, Site> site_by_name_;
  std::vector<std::string> names_;
  std::vector<uint64_t> hashes_;                      // of the names
  absl::flat_hash_map<const void*, Holder> holders_;  // by mutex, of this execution
  absl::flat_hash_map<std::pair<Site, Site>, Pair> pairs_;
  std::vector<uint64_t> hand_overs_;
  uint64_t fingerprint_ = 0;
};

}  // namespace twingrad::interleave
