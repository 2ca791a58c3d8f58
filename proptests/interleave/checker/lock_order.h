// LockOrder: in which orders threads take mutexes while they hold others.
//
//   LockOrder order;
//   order.Begin();                                   // of an execution
//   std::optional<std::string> cycle = order.Add(held, taken);
//
// Mutexes of one name are one node of the graph: an order that objects of two classes break is
// broken for all of them. A cycle means that threads could come to wait for one another, though
// they did not in this execution. Orders that were marked as known, those of a run on one thread,
// stay from execution to execution. Those of other executions close no cycle, since the one at hand
// would not repeat it; `seen` has them all, for whoever looks at all executions together
// (FindLockCycle). Used by one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/sync/model/scheduler.h"

namespace twingrad::interleave {

// A mutex that is taken while another is held, by names, and where that was.
struct LockPair {
  std::string held;
  std::string taken;
  std::string text;
};

// The pairs of a cycle, as text; nothing if there is none.
std::optional<std::string> FindLockCycle(const std::vector<LockPair>& pairs);

class LockOrder {
 public:
  // The execution forgets what those before it have seen, but for what is known.
  void Begin() { pairs_.resize(known_); }
  void MarkAsKnown() { known_ = pairs_.size(); }

  // A thread that holds `held` takes `taken`. The text of the cycle that this closes, if it does.
  std::optional<std::string> Add(const sync::model::Operation& held,
                                 const sync::model::Operation& taken);
  // The pairs of all executions.
  const std::vector<LockPair>& seen() const { return seen_; }

 private:
  std::vector<LockPair> pairs_;
  std::vector<LockPair> seen_;
  size_t known_ = 0;
};

}  // namespace twingrad::interleave
