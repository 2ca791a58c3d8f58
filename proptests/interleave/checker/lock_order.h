// LockOrder: in which orders threads take mutexes while they hold others.
//
//   LockOrder order;
//   order.Begin();                                   // of an execution
//   std::optional<std::string> cycle = order.Add(held, taken);
//
// Mutexes of one name are one node of the graph: an order that objects of two classes break is
// broken for all of them. A cycle means that threads could come to wait for one another, though
// they did not in this execution. Orders that were marked as known, those of a run on one thread,
// stay from execution to execution. Used by one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/sync/model/scheduler.h"

namespace twingrad::interleave {

class LockOrder {
 public:
  // The execution forgets what those before it have seen, but for what is known.
  void Begin() { pairs_.resize(known_); }
  void MarkAsKnown() { known_ = pairs_.size(); }

  // A thread that holds `held` takes `taken`. The text of the cycle that this closes, if it does.
  std::optional<std::string> Add(const sync::model::Operation& held,
                                 const sync::model::Operation& taken);

 private:
  struct Pair {
    std::string_view held;
    std::string_view taken;
    std::string text;
  };
  // The pairs that lead from one to the other, as text; nothing if none do.
  std::optional<std::string> PathText(std::string_view from, std::string_view to,
                                      std::vector<std::string_view> passed) const;

  std::vector<Pair> pairs_;
  size_t known_ = 0;
};

}  // namespace twingrad::interleave
