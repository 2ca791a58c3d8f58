// Inspector: what the checker reads of an engine's inside.
//
//   const QueueInspector::State seen = QueueInspector::Look(queue);
//
// It takes no lock, and the race detector does not see it: only for a checker that has stopped all
// threads and finds the objects by their AG_INSPECTED. `is_held`: some thread is in the midst of
// changing the object, and of the rest only what is said to hold then means anything.
#ifndef PROPTESTS_INTERLEAVE_ENGINE_ENGINE_INSPECTOR_H_
#define PROPTESTS_INTERLEAVE_ENGINE_ENGINE_INSPECTOR_H_

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
    bool is_in_order = true;  // as the heap that Pop takes the first from
    bool is_shut_down = false;
    uint64_t pushes = 0;
  };
  static State Look(const ReadyQueue& queue);
  // The queued tasks, in no order; also while the queue is held.
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
    bool is_over = false;  // nothing below means anything any more
    uint32_t outstanding = 0;
    uint32_t in_flight = 0;
    uint32_t evaluated = 0;
    uint32_t nodes = 0;  // that must be evaluated
    uint32_t ready = 0;  // of them: nothing is missing
    // Of the first node whose count of missing contributions is not what its slots miss, or one of
    // whose slots has more than it expects: what is wrong.
    std::string odd_node;
  };
  static State Look(const SharedRun& run);
  // Whether nothing is missing for this node of a run that is built and not over.
  static bool IsReady(const SharedRun& run, uint32_t index);

 private:
  // What the slots of a node still miss; nothing where one has more than it expects.
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
    bool is_queue_shut_down = false;  // any of theirs
  };
  static State Look(const WorkerGroup& workers);
};

}  // namespace twingrad::sync

namespace twingrad::interleave {

using QueueInspector = twingrad::sync::Inspector<twingrad::ReadyQueue>;
using RunInspector = twingrad::sync::Inspector<twingrad::SharedRun>;
using WorkersInspector = twingrad::sync::Inspector<twingrad::WorkerGroup>;

}  // namespace twingrad::interleave

#endif  // PROPTESTS_INTERLEAVE_ENGINE_ENGINE_INSPECTOR_H_
