// StreamOrder: knows which work on streams is ordered with which, and finds accesses that are not.
//
// Every stream is a timeline, and so is the host (all its threads together: their order among each
// other is for thread tools to judge). Queueing, events and synchronisation order timelines; two
// accesses to the same bytes, one of them a write, must be ordered. The judgement is made when work
// is queued and does not depend on when it runs, so a bug is reported although the run came out
// right.
//
// Vector clocks. Not thread-safe: its owner holds a lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/device/stream.h"

namespace twingrad {

class StreamOrder {
 public:
  using Timeline = size_t;
  static constexpr Timeline kHost = 0;
  // For each timeline, how many of its steps are known to lie before.
  using Clock = std::vector<uint64_t>;

  explicit StreamOrder() : clocks_(1, Clock(1)), joined_host_(1) { names_.push_back("the host"); }

  Timeline AddTimeline(std::string name);

  // The host queues work on `stream`: it comes after all that the host knows, and after the work
  // queued there before. Returns the moment of the work.
  const Clock& Queue(Timeline stream);
  // `timeline` waits for a moment: the clock that Queue gave, or Now.
  void Join(Timeline timeline, const Clock& moment);
  // The host has looked, and the work of that moment is done: what it queues from now on comes
  // after it, and nothing has waited.
  void See(const Clock& moment);
  const Clock& Now(Timeline timeline) const { return clocks_[timeline]; }
  // The clocks of all timelines, one after the other, each with an entry for each; last, what the
  // host has seen done.
  std::vector<uint64_t> Table() const;
  // How often they have changed, but for the host's own steps.
  uint64_t changes() const { return changes_; }

  // Of one block of memory: the accesses that later ones may conflict with.
  struct Visit {
    uintptr_t begin;
    uintptr_t end;
    Timeline timeline;
    uint64_t time;          // on that timeline
    std::string_view what;  // one of work_names_
    int32_t statement;
    bool is_write;
  };
  using History = std::vector<Visit>;

  // Work queued last on `timeline` reads or writes [begin, begin + bytes). Returns what is wrong
  // with that, by the last access that it is in no order with, or nothing. `what` names the work in
  // later reports, and `statement` whose it is. Accesses to other blocks than that of `history`
  // never conflict with it.
  std::optional<UnorderedAccess> Access(History& history, Timeline timeline, const void* begin,
                                        size_t bytes, bool is_write, std::string_view what,
                                        int32_t statement = kNoStatement);
  // The block may be reused for work that `owner` queues from now on. Returns what is wrong with
  // that: work on another timeline, none of `recorded`, that may still use it. It is then
  // forgotten, so that the reuse is not reported as well.
  std::optional<UnorderedAccess> GiveBack(History& history, Timeline owner,
                                          const std::vector<Timeline>& recorded) const;
  // Whether what `timeline` does next comes after `moment`.
  bool Knows(Timeline timeline, const Clock& moment) const;

 private:
  bool IsBefore(const Visit& visit, Timeline timeline) const;
  UnorderedAccess Conflict(const Visit& visit, const Visit& other) const;
  // The same name, which stays.
  std::string_view Kept(std::string_view work_name);

  std::vector<Clock> clocks_;
  // How often the host has learned of others' work, and, by timeline, how often it had when that
  // one was last ordered after it.
  uint64_t host_news_ = 1;
  std::vector<uint64_t> joined_host_;
  Clock seen_;  // done when the host looked
  uint64_t changes_ = 0;
  std::vector<std::string> names_;
  std::set<std::string, std::less<>> work_names_;  // few
  // Those asked for last, by the low bits of where they lay then: most are constants.
  std::array<std::string_view, 256> recent_work_names_;
};

}  // namespace twingrad
