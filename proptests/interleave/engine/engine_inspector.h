// Inspector: reads the private state of an engine for the checker.
//
//   const QueueInspector::State seen = QueueInspector::Look(queue);
//
// It takes no lock, and the race detector does not see its reads. So only a checker that has
// stopped all threads may use it; the checker finds the objects by their AG_INSPECTED. If `is_held`
// is set, a thread is in the middle of changing the object: the other fields are then meaningless
// except where a comment says otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "autograd/engine/ready_queue.h"
#include "autograd/engine/shared_run.h"
#include "autograd/engine/worker.h"
#include "autograd/sync/inspected.h"

namespace twingrad::sync {

template <>
class Inspector<ReadyQueue> {
 public:
  struct State {
    bool is_held = false;
    bool is_in_order = true;  // is a heap, of which Pop takes the first
    bool is_shut_down = false;
    uint64_t pushes = 0;
  };
  static State Look(const ReadyQueue& queue);
  // Visits the queued tasks in no particular order; valid also while the queue is held.
  static void ForEachTask(const ReadyQueue& queue, absl::FunctionRef<void(const NodeTask&)> visit);
};

template <>
class Inspector<SharedRun> {
 public:
  struct State {
    bool is_held = false;
    bool is_built = false;
    bool has_failed = false;
    bool has_error = false;
    bool is_over = false;  // if set, the fields below are meaningless
    uint32_t outstanding = 0;
    uint32_t in_flight = 0;
    uint32_t evaluated = 0;
    uint32_t nodes = 0;  // number of nodes that must be evaluated
    uint32_t ready = 0;  // those of them with no contribution missing
    // What is wrong with the first node whose count of missing contributions differs from what its
    // slots miss, or one of whose slots has received more than it expects; empty if there is none.
    std::string odd_node;
  };
  static State Look(const SharedRun& run);
  // Whether no contribution to this node is missing. The run must be built and not over.
  static bool IsReady(const SharedRun& run, uint32_t index);

 private:
  // How many contributions a node's slots still miss; nullopt if one has more than it expects.
  static std::optional<uint32_t> MissingOf(const SharedRun& run, uint32_t index);
};

template <>
class Inspector<WorkerGroup> {
 public:
  struct State {
    bool is_held = false;
    bool is_stopping = false;
    bool is_stopped = false;
    int runs = 0;
    int threads = 0;
    bool is_queue_shut_down = false;  // any of the workers' queues
  };
  static State Look(const WorkerGroup& workers);
};

}  // namespace twingrad::sync

namespace twingrad::interleave {

using QueueInspector = sync::Inspector<ReadyQueue>;
using RunInspector = sync::Inspector<SharedRun>;
using WorkersInspector = sync::Inspector<WorkerGroup>;

}  // namespace twingrad::interleave
