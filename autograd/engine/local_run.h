// LocalRun: the run of one task on the calling thread.
//
//   LocalRun run(task);
//   if (run.GoOnUntil(SharingRule(after)) && ...) { ... }   // the rest on several threads
//   run.GoOn();                                             // or all of it here
//
// Takes no lock, uses only the nodes' own atomics and allocates only gradients. Contributions
// arrive in the canonical order by themselves: nodes run in the order of their ranks.

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/engine/gradient_streams.h"
#include "autograd/engine/graph_task.h"
#include "autograd/engine/ready_heap.h"
#include "autograd/graph/node.h"
#include "autograd/sync/clock.h"

namespace twingrad {

// When a run goes on with helpers: two nodes are ready, and the run has taken `after` while the
// nodes evaluated last took longer than a hand-over costs, or the next one is expected to take that
// long by itself. Zero: two nodes are ready.
class SharingRule {
 public:
  explicit SharingRule(sync::Duration after)
      : after_(after),
        start_(sync::Now()),
        window_start_(start_),
        pays_(after == sync::Duration::zero()) {}

  // Before a node is evaluated; `elements` of the gradient that it gets, `ready` with it.
  bool IsMet(size_t ready, int64_t elements) const;
  // After it. Reads the clock after those of many elements and now and then.
  void Note(uint32_t evaluated, int64_t elements);

 private:
  void Measure(uint32_t evaluated);

  const sync::Duration after_;
  const sync::TimePoint start_;
  // Since when the cost of nodes is measured, and how many had been evaluated then.
  sync::TimePoint window_start_;
  uint32_t window_evaluated_ = 0;
  bool pays_;
};

class LocalRun {
 public:
  // Of a task whose dependencies and needs are known.
  explicit LocalRun(GraphTask& task);

  // Evaluates all that is left. Throws the first error.
  void GoOn();
  // The same until the rule is met; whether anything is left.
  bool GoOnUntil(SharingRule rule);

  GraphTask& task() const { return task_; }
  uint32_t evaluated() const { return evaluated_; }
  // The nodes that are ready now, for another run that goes on with them. What has arrived for them
  // and others is in the task's states.
  std::vector<uint32_t> TakeReady();

 private:
  // `index`: that of the node which was last begun.
  template <bool kHasRule>
  bool Loop(SharingRule* rule, uint32_t& index);
  template <bool kHasRule>
  bool LoopExplained(SharingRule* rule);
  uint32_t TargetOf(const Node& from, const Edge& edge) const;
  // What the loop does at a node that is not plain.
  [[gnu::noinline]] void RunSeen(uint32_t index, VariableList& gradients);
  template <bool kHasStreams>
  void Deliver(const Node& node, VariableList& results, GradientStreams::Arrival* arrivals);
  void AddOnStreams(uint32_t target, uint32_t input_nr, Tensor&& gradient,
                    GradientStreams::Arrival&& arrival);

  GraphTask& task_;
  // Those of the task, which get no further ones while it runs.
  NodeState* const states_;
  const size_t num_states_;
  ReadyHeap& ready_;
  uint32_t evaluated_ = 0;
};

}  // namespace twingrad
