#include "proptests/interleave/engine/engine_inspector.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "autograd/sync/backend.h"

namespace twingrad::sync {
namespace {

// Only the model's mutex can be asked, and only in the model are threads stopped. A template,
// because the standard mutex has no such member.
template <class Mutex>
bool IsHeld(const Mutex& mutex) {
  if constexpr (kIsModel) {
    return mutex.IsHeld();
  } else {
    return false;
  }
}

bool Executes(const NodeState& state) { return (state.flags & NodeState::kExecutes) != 0; }

}  // namespace

Inspector<ReadyQueue>::State Inspector<ReadyQueue>::Look(const ReadyQueue& queue)
    AG_NO_THREAD_SAFETY_ANALYSIS {
  State seen;
  seen.is_held = IsHeld(queue.mutex_);
  const auto& heap = queue.heap_.Peek();
  seen.is_in_order = std::is_heap(heap.begin(), heap.end(), &ReadyQueue::RunsLater);
  seen.is_shut_down = queue.shut_down_.Peek();
  seen.pushes = queue.arrivals_.Peek();
  return seen;
}

void Inspector<ReadyQueue>::ForEachTask(const ReadyQueue& queue,
                                        absl::FunctionRef<void(const NodeTask&)> visit)
    AG_NO_THREAD_SAFETY_ANALYSIS {
  for (const ReadyQueue::Item& item : queue.heap_.Peek()) {
    if (item.task.work != nullptr) visit(item.task);
  }
}

Inspector<WorkerGroup>::State Inspector<WorkerGroup>::Look(const WorkerGroup& workers)
    AG_NO_THREAD_SAFETY_ANALYSIS {
  State seen;
  seen.is_held = IsHeld(workers.mutex_);
  seen.is_stopping = workers.stopping_.Peek();
  seen.is_stopped = workers.stopped_.Peek();
  seen.runs = workers.runs_.Peek();
  seen.threads = static_cast<int>(workers.threads_.Peek().size());
  for (const auto& queue : workers.queues_) seen.is_queue_shut_down |= queue->shut_down_.Peek();
  return seen;
}

std::optional<uint32_t> Inspector<SharedRun>::MissingOf(const SharedRun& run, uint32_t index)
    AG_NO_THREAD_SAFETY_ANALYSIS {
  uint32_t missing = 0;
  const uint32_t begin = run.ranks_.slot_begin[index];
  const uint32_t count = run.task_.states()[index].node->num_inputs();
  for (uint32_t i = begin; i < begin + count; ++i) {
    const OrderedSlot& slot = run.slots_.Peek()[i];
    if (slot.added() > slot.expected() || slot.Received() > slot.expected()) return std::nullopt;
    missing += slot.expected() - slot.added();  // one that is being added is still to come
  }
  return missing;
}

bool Inspector<SharedRun>::IsReady(const SharedRun& run,
                                   uint32_t index) AG_NO_THREAD_SAFETY_ANALYSIS {
  const std::vector<uint32_t>& pending = run.pending_.Peek();
  return index < pending.size() && pending[index] == 0;
}

Inspector<SharedRun>::State Inspector<SharedRun>::Look(const SharedRun& run)
    AG_NO_THREAD_SAFETY_ANALYSIS {
  State seen;
  const std::vector<uint32_t>& pending_of = run.pending_.Peek();
  seen.is_held = IsHeld(run.mutex_);
  seen.has_failed = run.failed_.Peek();
  seen.has_error = run.error_.Peek() != nullptr;
  seen.is_over = run.over_.Peek();
  seen.outstanding = run.outstanding_.Peek();
  seen.in_flight = run.in_flight_.Peek();
  seen.evaluated = run.evaluated_.Peek();
  seen.nodes = run.ranks_.count;
  seen.is_built = !pending_of.empty() && run.slots_.Peek().size() == run.ranks_.slot_size.size();
  if (seen.is_held || seen.is_over || !seen.is_built) return seen;
  const std::vector<NodeState>& states = run.task_.states();
  for (uint32_t i = 0; i < states.size(); ++i) {
    if (!Executes(states[i])) continue;
    const uint32_t pending = pending_of[i];
    // The root waits for nothing. Any other node that waits for nothing from the start never runs.
    seen.ready += pending == 0 && (i == 0 || states[i].pending != 0) ? 1 : 0;
    const std::optional<uint32_t> missing = MissingOf(run, i);
    if (missing == pending || !seen.odd_node.empty()) continue;
    seen.odd_node = missing ? absl::StrCat("node ", i, " waits for ", pending,
                                           " contributions, its slots for ", *missing)
                            : absl::StrCat("a slot of node ", i, " got more than it expects");
  }
  return seen;
}

}  // namespace twingrad::sync
