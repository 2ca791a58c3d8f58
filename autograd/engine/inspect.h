// EngineInspector: what a checker may read of an engine's inside.
//
// It takes no lock: only for a checker that has stopped all threads (proptests/interleave), which
// finds the objects by their AG_INSPECTED. `is_held`: some thread is in the midst of changing the
// object, and of the rest only what is said to hold then means anything.

#ifndef AUTOGRAD_ENGINE_INSPECT_H_
#define AUTOGRAD_ENGINE_INSPECT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "autograd/engine/ready_queue.h"
#include "autograd/engine/shared_run.h"
#include "autograd/engine/worker.h"

namespace autograd {

class EngineInspector {
 public:
  struct Queue {
    bool is_held = false;
    bool is_in_order = true;  // as the heap that Pop takes the first from
    bool is_shut_down = false;
    uint64_t pushes = 0;
  };
  struct Run {
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
  struct Workers {
    bool is_held = false;
    bool is_stopping = false;
    bool is_stopped = false;
    int runs = 0;
    int threads = 0;
    bool is_queue_shut_down = false;  // any of theirs
  };

  static Queue Look(const ReadyQueue& queue);
  static Run Look(const SharedRun& run);
  static Workers Look(const WorkerGroup& workers);

  // The queued tasks, in no order; also while the queue is held.
  static void ForEachTask(const ReadyQueue& queue, absl::FunctionRef<void(const NodeTask&)> visit);
  // Whether nothing is missing for this node of a run that is built and not over.
  static bool IsReady(const SharedRun& run, uint32_t index);

 private:
  // What the slots of a node still miss; nothing where one has more than it expects.
  static std::optional<uint32_t> MissingOf(const SharedRun& run, uint32_t index);
  static uint32_t ReceivedBy(const OrderedSlot& slot);
};

}  // namespace autograd

#endif  // AUTOGRAD_ENGINE_INSPECT_H_
