// LockCoverage: which ordered pairs of lock sites were seen, of those that are possible.
//
// A pair (a, b) is seen when one thread takes a mutex at line a and the next to take that mutex is
// another thread, at line b. It is possible when it was seen, or when (b, a) was seen and nothing
// but this mutex ordered the two: no other lock, atomic, spawn or join made the second thread come
// after the first, so a schedule exists in which it comes before. What no execution reached at all
// counts as neither; a site that takes its mutex, but never next to another thread, is alone: all
// seen of those possible says nothing of it. One thread; used for many executions.
#ifndef PROPTESTS_INTERLEAVE_CHECKER_LOCK_COVERAGE_H_
#define PROPTESTS_INTERLEAVE_CHECKER_LOCK_COVERAGE_H_

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
  using ThreadId = twingrad::sync::model::ThreadId;

  struct Summary {
    int64_t seen = 0;
    int64_t possible = 0;
    std::vector<std::string> missing;  // "file:line before file:line (mutex)", sorted
    int64_t sites = 0;
    std::vector<std::string> alone;  // sites in no pair, "file:line", sorted
  };

  // An execution begins.
  void Begin() { holders_.clear(); }
  // `thread` has taken the mutex, its clock does not know the former holder's release from it yet.
  void OnLock(ThreadId thread, const twingrad::sync::model::Operation& operation,
              const RaceDetector& clocks);
  void OnUnlock(ThreadId thread, const void* mutex, const RaceDetector& clocks);

  // The mutex ends: the next one at its address is another.
  void Forget(const void* mutex) { holders_.erase(mutex); }

  // Adds what another saw.
  void Merge(const LockCoverage& other);
  // Over the pairs whose sites both lie in files whose path holds `part_of_path`.
  Summary Summarize(std::string_view part_of_path = "") const;
  // Tells of each possible pair: its two sites as "file:line", and whether it was seen.
  using Visitor = std::function<void(std::string_view, std::string_view, bool)>;
  void Visit(const Visitor& visit) const;
  // Every site that has taken a mutex, as "file:line", in the order of their first time.
  const std::vector<std::string>& site_names() const { return names_; }

 private:
  using Site = int32_t;
  struct Holder {
    ThreadId thread;
    Site site;
    uint32_t released = 0;  // in the holder's own time; 0: not yet
  };
  struct Pair {
    bool seen = false;
    std::string mutex;
  };

  Site SiteOf(const std::source_location& where);
  Site SiteNamed(const std::string& name);

  absl::flat_hash_map<std::pair<const char*, uint64_t>, Site> site_by_location_;
  absl::flat_hash_map<std::string, Site> site_by_name_;
  std::vector<std::string> names_;                    // by site
  absl::flat_hash_map<const void*, Holder> holders_;  // by mutex, of this execution
  absl::flat_hash_map<std::pair<Site, Site>, Pair> pairs_;
};

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_CHECKER_LOCK_COVERAGE_H_
