#include "proptests/interleave/engine/engine_rules.h"

#include <algorithm>
#include <string>
#include <utility>

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
  if (seen.is_held) return seen;
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
    const bool is_node = item.task.index != NodeTask::kInvitation;
    if (item.task.work != nullptr && is_node) visit(item.task);
  }
}

Inspector<WorkerGroup>::State Inspector<WorkerGroup>::Look(const WorkerGroup& workers)
    AG_NO_THREAD_SAFETY_ANALYSIS {
  State seen;
  seen.is_held = IsHeld(workers.mutex_);
  if (seen.is_held) return seen;
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

bool Inspector<SharedRun>::IsHeld(const SharedRun& run) AG_NO_THREAD_SAFETY_ANALYSIS {
  return sync::IsHeld(run.mutex_);
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
  seen.has_failed = run.failed_.Peek();
  seen.has_error = run.error_.Peek() != nullptr;
  seen.is_over = run.over_.Peek();
  seen.outstanding = run.outstanding_.Peek();
  seen.in_flight = run.in_flight_.Peek();
  seen.evaluated = run.evaluated_.Peek();
  seen.nodes = run.ranks_.count;
  seen.is_built = !pending_of.empty() && run.slots_.Peek().size() == run.ranks_.slot_size.size();
  if (seen.is_over || !seen.is_built) return seen;
  const auto& states = run.task_.states();
  // Beside those that were ready or evaluated from the start, nodes become ready. Any other node
  // that waits for nothing never runs.
  seen.ready = run.evaluated_before_ + static_cast<uint32_t>(run.first_ready_.size());
  for (uint32_t i = 0; i < states.size(); ++i) {
    if (!Executes(states[i])) continue;
    const uint32_t pending = pending_of[i];
    seen.ready += pending == 0 && states[i].pending != 0 ? 1 : 0;
    const std::optional<uint32_t> missing = MissingOf(run, i);
    if (missing == pending || !seen.odd_node.empty()) continue;
    seen.odd_node = missing ? absl::StrCat("node ", i, " waits for ", pending,
                                           " contributions, its slots for ", *missing)
                            : absl::StrCat("a slot of node ", i, " got more than it expects");
  }
  return seen;
}

}  // namespace twingrad::sync

namespace twingrad::interleave {

namespace {

template <typename... Parts>
BrokenRule Broken(std::string name, const Parts&... parts) {
  std::string text = absl::StrCat("[invariant] ", name, ": ", parts...);
  return {std::move(name), std::move(text)};
}

}  // namespace

void EngineRules::Begin() {
  queues_.clear();
  runs_.clear();
  workers_.clear();
}

void EngineRules::Appear(const std::type_info& type, const void* object) {
  if (type == typeid(ReadyQueue)) {
    queues_.push_back({{static_cast<const ReadyQueue*>(object)}});
  } else if (type == typeid(SharedRun)) {
    runs_.push_back({{static_cast<const SharedRun*>(object)}});
  } else if (type == typeid(WorkerGroup)) {
    workers_.push_back({static_cast<const WorkerGroup*>(object)});
  }
}

void EngineRules::Vanish(const std::type_info&, const void* object) {
  const auto is_it = [object](const auto& watched) { return watched.object == object; };
  std::erase_if(queues_, is_it);
  std::erase_if(runs_, is_it);
  std::erase_if(workers_, is_it);
}

bool EngineRules::Touch(const void* cell) {
  const auto touch = [cell](auto& all) {
    for (auto& watched : all) {
      if (!watched.Has(cell)) continue;
      watched.is_changed = true;
      return true;
    }
    return false;
  };
  // Queues first: a run has one inside.
  return touch(queues_) || touch(runs_) || touch(workers_);
}

std::optional<BrokenRule> EngineRules::Check() {
  // Rules of runs and workers read queues as well.
  const bool is_queue_changed = std::ranges::any_of(queues_, &Queue::is_changed);
  has_seen_all_ = true;
  for (Run& run : runs_) {
    if (!run.is_changed && !is_queue_changed) continue;
    if (auto broken = CheckRun(run)) return broken;
    has_seen_all_ &= !run.is_changed;
  }
  for (Queue& queue : queues_) {
    if (!queue.is_changed) continue;
    if (auto broken = CheckQueue(queue)) return broken;
    has_seen_all_ &= !queue.is_changed;
  }
  for (Workers& workers : workers_) {
    if (!workers.is_changed && !is_queue_changed) continue;
    if (auto broken = CheckWorkers(workers)) return broken;
    has_seen_all_ &= !workers.is_changed;
  }
  return std::nullopt;
}

std::optional<BrokenRule> EngineRules::CheckQueue(Queue& queue) {
  const QueueInspector::State seen = QueueInspector::Look(*queue.object);
  queue.is_changed = seen.is_held;
  if (seen.is_held) return std::nullopt;
  if (!seen.is_in_order) {
    return Broken("queue order", "a task that should run later is before another");
  }
  if (!queue.pushes_at_end) {
    if (seen.is_shut_down) queue.pushes_at_end = seen.pushes;
    return std::nullopt;
  }
  if (!seen.is_shut_down) return Broken("queue shut down", "it is open again");
  if (seen.pushes == *queue.pushes_at_end) return std::nullopt;
  return Broken("queue shut down", seen.pushes - *queue.pushes_at_end,
                " tasks were pushed since; allowed are none");
}

std::optional<BrokenRule> EngineRules::CheckWorkers(Workers& workers) {
  const WorkersInspector::State seen = WorkersInspector::Look(*workers.object);
  workers.is_changed = seen.is_held;
  if (seen.is_held) return std::nullopt;
  if (seen.runs < 0) return Broken("workers stopping", seen.runs, " runs; allowed are 0 and more");
  if (seen.is_stopped && (!seen.is_stopping || seen.threads > 0)) {
    return Broken("workers stopping", "stopped, with ", seen.threads, " threads left");
  }
  if (seen.is_queue_shut_down && (seen.runs > 0 || !seen.is_stopping)) {
    return Broken("workers stopping", "a queue is shut down while ", seen.runs,
                  " runs need it; it may be when none does and none can come");
  }
  return std::nullopt;
}

std::optional<BrokenRule> EngineRules::CheckTasks(const SharedRun& run,
                                                  const RunInspector::State& seen) {
  queued_.clear();
  for (const Queue& queue : queues_) {
    QueueInspector::ForEachTask(*queue.object, [&](const NodeTask& task) {
      if (task.work.get() == &run) queued_.push_back(task.index);
    });
  }
  if (seen.is_over) {
    if (seen.has_failed || queued_.empty()) return std::nullopt;
    return Broken("run over", queued_.size(), " of its nodes are queued; allowed are none");
  }
  if (queued_.size() + seen.in_flight > seen.outstanding) {
    return Broken("run queued", queued_.size(), " nodes queued and ", seen.in_flight,
                  " being evaluated, but ", seen.outstanding, " outstanding");
  }
  std::sort(queued_.begin(), queued_.end());
  if (std::adjacent_find(queued_.begin(), queued_.end()) != queued_.end()) {
    return Broken("run queued", "a node is queued twice; allowed is once");
  }
  for (const uint32_t index : queued_) {
    if (RunInspector::IsReady(run, index)) continue;
    return Broken("run queued", "node ", index, " is queued, with contributions still to come");
  }
  return std::nullopt;
}

std::optional<BrokenRule> EngineRules::CheckRun(Run& run) {
  const bool is_held = RunInspector::IsHeld(*run.object);
  if (run.is_changed && !is_held) run.seen = RunInspector::Look(*run.object);
  run.is_changed = is_held;
  if (is_held) return std::nullopt;
  const RunInspector::State& seen = run.seen;
  if (seen.is_over) {
    // Its slots are gone, and so is what they would be compared with.
    if (run.finished && !run.finished->has_failed && seen.has_failed) {
      return Broken("run finished", "without an error, and got one when it was over");
    }
    return CheckTasks(*run.object, seen);
  }
  if (!seen.is_built) return std::nullopt;
  if (!seen.odd_node.empty()) return Broken("run contributions", seen.odd_node);
  const bool has_begun = seen.outstanding > 0 || seen.evaluated > 0;
  const uint32_t ended = seen.evaluated - seen.in_flight;
  if (has_begun && seen.outstanding + ended != seen.ready) {
    return Broken("run outstanding", "it counts ", seen.outstanding, ", but of ", seen.ready,
                  " ready nodes ", ended, " have ended");
  }
  if (auto broken = CheckTasks(*run.object, seen)) return broken;
  const bool is_finished =
      seen.evaluated > 0 && (seen.has_failed ? seen.in_flight == 0 : seen.outstanding == 0);
  if (is_finished && seen.has_failed && !seen.has_error) {
    return Broken("run error", "the run has failed and ended, and has no error to throw");
  }
  if (is_finished && !seen.has_failed && seen.evaluated != seen.nodes) {
    return Broken("run finished", "with ", seen.evaluated, " of ", seen.nodes, " nodes evaluated");
  }
  if (!run.finished) {
    if (is_finished) run.finished = seen;
    return std::nullopt;
  }
  if (is_finished && seen.has_failed == run.finished->has_failed &&
      seen.evaluated == run.finished->evaluated) {
    return std::nullopt;
  }
  return Broken("run finished", "there was nothing left to do after ", run.finished->evaluated,
                " nodes", run.finished->has_failed ? " and an error" : " and no error", "; now ",
                seen.evaluated, " nodes", seen.has_failed ? " and an error" : " and no error");
}

}  // namespace twingrad::interleave
