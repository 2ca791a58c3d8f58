// Reading without locks. See inspect.h.

#include "autograd/engine/inspect.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "autograd/sync/backend.h"

namespace autograd {
namespace {

// Only the model knows, and only there are threads stopped. A template, for the standard mutex has
// no such question.
template <class Mutex>
bool IsHeld(const Mutex& mutex) {
  if constexpr (sync::kIsModel) {
    return mutex.IsHeld();
  } else {
    return false;
  }
}

bool Executes(const NodeState& state) { return (state.flags & NodeState::kExecutes) != 0; }

}  // namespace

EngineInspector::Queue EngineInspector::Look(const ReadyQueue& queue) AG_NO_THREAD_SAFETY_ANALYSIS {
  Queue seen;
  seen.is_held = IsHeld(queue.mutex_);
  seen.is_in_order = std::is_heap(queue.heap_.begin(), queue.heap_.end(), &ReadyQueue::RunsLater);
  seen.is_shut_down = queue.shut_down_;
  seen.pushes = queue.arrivals_;
  return seen;
}

void EngineInspector::ForEachTask(const ReadyQueue& queue,
                                  absl::FunctionRef<void(const NodeTask&)> visit)
    AG_NO_THREAD_SAFETY_ANALYSIS {
  for (const ReadyQueue::Item& item : queue.heap_) {
    if (item.task.work != nullptr) visit(item.task);
  }
}

EngineInspector::Workers EngineInspector::Look(const WorkerGroup& workers)
    AG_NO_THREAD_SAFETY_ANALYSIS {
  Workers seen;
  seen.is_held = IsHeld(workers.mutex_);
  seen.is_stopping = workers.stopping_;
  seen.is_stopped = workers.stopped_;
  seen.runs = workers.runs_;
  seen.threads = static_cast<int>(workers.threads_.size());
  for (const auto& queue : workers.queues_) seen.is_queue_shut_down |= queue->shut_down_;
  return seen;
}

uint32_t EngineInspector::ReceivedBy(const OrderedSlot& slot) {
  uint32_t received = slot.next_ + (slot.folding_ ? 1 : 0) + (slot.next_is_here_ ? 1 : 0);
  for (const OrderedSlot::Place& place : slot.parked_) received += place.is_here ? 1 : 0;
  return received;
}

std::optional<uint32_t> EngineInspector::MissingOf(const SharedRun& run,
                                                   uint32_t index) AG_NO_THREAD_SAFETY_ANALYSIS {
  uint32_t missing = 0;
  const uint32_t begin = run.ranks_.slot_begin[index];
  const uint32_t count = run.task_.states()[index].node->num_inputs();
  for (uint32_t slot = begin; slot < begin + count; ++slot) {
    const OrderedSlot& it = run.slots_[slot];
    if (it.next_ > it.expected_ || ReceivedBy(it) > it.expected_) return std::nullopt;
    missing += it.expected_ - it.next_;  // one that is being added is still to come
  }
  return missing;
}

bool EngineInspector::IsReady(const SharedRun& run, uint32_t index) AG_NO_THREAD_SAFETY_ANALYSIS {
  return index < run.pending_.size() && run.pending_[index] == 0;
}

EngineInspector::Run EngineInspector::Look(const SharedRun& run) AG_NO_THREAD_SAFETY_ANALYSIS {
  Run seen;
  seen.is_held = IsHeld(run.mutex_);
  seen.has_failed = run.failed_;
  seen.has_error = run.error_ != nullptr;
  seen.is_over = run.over_;
  seen.outstanding = run.outstanding_;
  seen.in_flight = run.in_flight_;
  seen.evaluated = run.evaluated_;
  seen.nodes = run.ranks_.count;
  seen.is_built = !run.pending_.empty() && run.slots_.size() == run.ranks_.slot_size.size();
  if (seen.is_held || seen.is_over || !seen.is_built) return seen;
  const std::vector<NodeState>& states = run.task_.states();
  for (uint32_t i = 0; i < states.size(); ++i) {
    if (!Executes(states[i])) continue;
    const uint32_t pending = run.pending_[i];
    // The root waits for nothing; what else waits for nothing from the first never runs.
    seen.ready += pending == 0 && (i == 0 || states[i].pending != 0) ? 1 : 0;
    const std::optional<uint32_t> missing = MissingOf(run, i);
    if (missing == pending || !seen.odd_node.empty()) continue;
    seen.odd_node = missing ? absl::StrCat("node ", i, " waits for ", pending,
                                           " contributions, its slots for ", *missing)
                            : absl::StrCat("a slot of node ", i, " got more than it expects");
  }
  return seen;
}

}  // namespace autograd
