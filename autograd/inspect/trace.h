// Trace: when each node ran and for how long; a timeline for Chrome, and costs by kind of node.
//
//   Trace trace;
//   Engine engine({.observer = &trace});
//   Backward({loss}, {}, {.engine = &engine});
//   std::cout << trace.CostTable();
//   std::ofstream("trace.json") << trace.ChromeJson();     // chrome://tracing or ui.perfetto.dev
//
// A node is timed with its hooks and captures. Time of calls nested in a node counts as the node's
// in the timeline and not in the costs, where each nanosecond belongs to one node. Must outlive the
// engine or be replaced. Threads: any, also while a call runs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "autograd/engine/observer.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/clock.h"
#include "autograd/sync/mutex.h"

namespace twingrad {

// All nodes of one name.
struct NodeCost {
  std::string name;
  int64_t count = 0;
  sync::Duration total{0};  // without calls nested in them

  double mean_us() const;
};

class Trace final : public EngineObserver {
 public:
  Trace();

  // Of the nodes whose evaluation has ended; the most expensive first, then by name.
  std::vector<NodeCost> Costs() const AG_EXCLUDES(mutex_);
  // The same as text: name, count, total and mean in microseconds, share of all.
  std::string CostTable() const;
  // Complete events of the Trace Event Format: one row a thread, numbered as they appear; times in
  // microseconds from the making of the trace.
  std::string ChromeJson() const AG_EXCLUDES(mutex_);
  // Forgets what has ended.
  void Clear() AG_EXCLUDES(mutex_);

  void OnGraphReady(GraphView) override {}
  void OnEvaluate(const Evaluation& evaluation, bool applied) override AG_EXCLUDES(mutex_);
  void OnEvaluated(const Evaluation& evaluation) override AG_EXCLUDES(mutex_);

 private:
  struct Event {
    std::string name;
    uint64_t task = 0;
    uint64_t sequence_nr = 0;
    int thread = 0;
    bool applied = false;
    sync::TimePoint begin;
    sync::Duration duration{0};
    sync::Duration nested{0};  // part of `duration` that nodes of nested calls took
  };
  struct ThreadLog {
    int number = 0;
    std::vector<Event> running;  // the innermost last
  };

  const sync::TimePoint start_;
  mutable sync::Mutex mutex_{"trace"};
  std::vector<Event> ended_ AG_GUARDED_BY(mutex_);
  std::unordered_map<const void*, ThreadLog> threads_ AG_GUARDED_BY(mutex_);
};

}  // namespace twingrad
