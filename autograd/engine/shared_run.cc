// Runs on several threads. See shared_run.h.

#include "autograd/engine/shared_run.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/base/span.h"
#include "autograd/device/stream.h"
#include "autograd/engine/accumulate.h"
#include "autograd/engine/anomaly_check.h"
#include "autograd/engine/evaluate.h"
#include "autograd/engine/gradient_streams.h"
#include "autograd/graph/thread_state.h"

namespace twingrad {
namespace {

// Sums come after all that the producer's own evaluation makes.
constexpr uint32_t kFirstSumKey = uint32_t{1} << 31;

}  // namespace

SharedRun::SharedRun(LocalRun& so_far, WorkerGroup& workers)
    : task_(so_far.task()),
      workers_(workers),
      evaluated_before_(so_far.evaluated()),
      ranks_(ComputeRanks(task_, evaluated_before_)),
      first_ready_(so_far.TakeReady()) {
  // Without the lock: the queues that hand the object to workers are what these see it through.
  evaluated_.Write(evaluated_before_);
  outstanding_.Write(static_cast<uint32_t>(first_ready_.size()));
  std::vector<OrderedSlot>& slots = slots_.Mutable();
  slots.reserve(ranks_.slot_size.size());
  std::vector<uint32_t>& pending = pending_.Mutable();
  pending.reserve(task_.states().size());
  for (NodeState& state : task_.states()) {
    pending.push_back(state.pending);
    for (uint32_t i = 0; i < state.node->num_inputs(); ++i) {
      const size_t slot = slots.size();
      slots.emplace_back(ranks_.slot_size[slot], ranks_.slot_added[slot],
                         std::move(task_.GradientOf(state, i)));
    }
  }
  task_.SetBuffers(this);
}

bool SharedRun::HasDeviceNodes(const GraphTask& task) {
  return std::any_of(task.states().begin(), task.states().end(), [](const NodeState& state) {
    return state.Executes() && !state.node->device().IsCpu();
  });
}

bool SharedRun::IsDone() const {
  return failed_.Read() ? in_flight_.Read() == 0 : outstanding_.Read() == 0;
}

void SharedRun::Queue(uint32_t index) {
  const Node& node = *task_.states()[index].node;
  ReadyQueue& queue = node.device().IsCpu() ? cpu_queue_ : workers_.QueueOf(node.device());
  queue.Push({sync::IntrusivePtr<QueuedWork>(this), index, node.sequence_nr()});
}

void SharedRun::InviteHelpers(int taken) {
  if (workers_.helpers() == 0) return;
  const int waiting = static_cast<int>(cpu_queue_.Size()) - taken;
  if (waiting <= 0) return;
  // Under the lock, so that nobody is invited once the run is over and the workers may be stopped.
  // When all is done, what waits is the caller's wake-up.
  sync::MutexLock lock(mutex_);
  if (failed_.Read() || over_.Read() || IsDone()) return;
  const int invited = std::min(waiting, workers_.helpers() - helpers_.Read());
  for (int i = 0; i < invited; ++i) {
    if (!workers_.Invite(sync::IntrusivePtr<QueuedWork>(this))) return;
    ++helpers_.Mutable();
  }
}

void SharedRun::Help() {
  while (std::optional<NodeTask> next = cpu_queue_.TryPop()) RunNode(next->index);
  {
    sync::MutexLock lock(mutex_);
    --helpers_.Mutable();
  }
  // Nodes may have come meanwhile, while all helpers seemed to be here.
  InviteHelpers(0);
}

void SharedRun::Run() {
  try {
    for (uint32_t index : first_ready_) Queue(index);
    InviteHelpers(1);
  } catch (...) {
    sync::MutexLock lock(mutex_);
    Fail(0, std::current_exception());
  }
  while (true) {
    {
      sync::MutexLock lock(mutex_);
      if (IsDone()) break;
    }
    // The evaluation that completes the run leaves a wake-up: until it comes there is more to do.
    for (std::optional<NodeTask> next = cpu_queue_.Pop(); next->work != nullptr;
         next = cpu_queue_.Pop()) {
      RunNode(next->index);
    }
  }
  // What an error left queued here holds this object, which holds the queue.
  cpu_queue_.Clear();
  Renumber();
  task_.SortWarnings();
  std::vector<OrderedSlot> slots;  // destroyed with no lock held: graphs may end with it
  std::exception_ptr error;
  uint32_t evaluated = 0;
  uint32_t failed_at = 0;
  {
    sync::MutexLock lock(mutex_);
    over_.Write(true);
    slots = std::move(slots_.Mutable());
    error = std::move(error_.Mutable());
    failed_at = failed_at_.Read();
    evaluated = evaluated_.Read();
  }
  if (error != nullptr) {
    std::rethrow_exception(Explained(std::move(error), task_, *task_.states()[failed_at].node));
  }
  if (evaluated != ranks_.count) {
    throw Error(ErrorKind::kInternal,
                absl::StrCat("[engine] ", evaluated, " of ", ranks_.count,
                             " nodes were evaluated; every needed node must run once; report "
                             "this"));
  }
}

void SharedRun::RunNode(uint32_t index) {
  VariableList gradients;
  std::vector<NodePtr> made;
  std::exception_ptr error;
  try {
    if (!Begin(index, gradients)) return;
    EvaluationScope scope(task_);
    std::optional<StreamsGuard> streams;
    if (task_.streams() != nullptr) streams.emplace(task_.streams()->caller());
    VariableList results;
    bool applied;
    {
      OrderScope order(ProvisionalOrderKey(ranks_.rank[index], 0), &made);
      applied = EvaluateNode(task_, index, gradients, results);
    }
    gradients.clear();
    if (applied) Deliver(index, results, made);
  } catch (...) {
    error = std::current_exception();
  }
  gradients.clear();
  End(index, std::move(made), std::move(error));
}

bool SharedRun::Begin(uint32_t index, VariableList& gradients) {
  sync::MutexLock lock(mutex_);
  if (failed_.Read() || over_.Read()) return false;
  ++in_flight_.Mutable();
  ++evaluated_.Mutable();
  // From here on lack of memory is an error of the node, which has begun.
  const uint32_t count = task_.states()[index].node->num_inputs();
  for (uint32_t i = 0; i < count; ++i) {
    gradients.push_back(slots_.Mutable()[ranks_.slot_begin[index] + i].TakeSum());
  }
  return true;
}

VariableList SharedRun::Look(uint32_t index) {
  const uint32_t count = task_.states()[index].node->num_inputs();
  VariableList gradients(count);
  sync::MutexLock lock(mutex_);
  for (uint32_t i = 0; i < count; ++i) {
    gradients[i] = slots_.Read()[ranks_.slot_begin[index] + i].sum();
  }
  return gradients;
}

void SharedRun::End(uint32_t index, std::vector<NodePtr> made, std::exception_ptr error) {
  bool done = false;
  {
    sync::MutexLock lock(mutex_);
    try {
      for (NodePtr& node : made) made_.Mutable().push_back(std::move(node));
    } catch (...) {
      if (error == nullptr) error = std::current_exception();
    }
    --in_flight_.Mutable();
    --outstanding_.Mutable();
    if (error != nullptr) Fail(index, std::move(error));
    done = IsDone();
  }
  // From here on the caller may have returned; only this object, which the queued task keeps, is
  // left.
  if (done) cpu_queue_.Push({});
}

void SharedRun::Fail(uint32_t index, std::exception_ptr error) {
  if (failed_.Read()) return;
  failed_.Write(true);
  failed_at_.Write(index);
  // Moved, so that the last reference to the exception is the caller's.
  error_.Write(std::move(error));
}

void SharedRun::Deliver(uint32_t index, VariableList& results, std::vector<NodePtr>& made) {
  const Node& node = *task_.states()[index].node;
  const Span<const Edge> edges = node.next_edges();
  if (edges.size() != ranks_.edge_begin[index + 1] - ranks_.edge_begin[index]) [[unlikely]] {
    GraphTask::ThrowChangedEdges(node);
  }
  IndexList ready;
  GradientStreams::Arrivals arrivals;
  if (task_.streams() != nullptr) arrivals = GradientStreams::ArrivalsOf(task_, node, results);
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i].is_valid()) continue;
    const uint32_t target = task_.TargetOf(node, edges[i]);
    if (!task_.states()[target].Executes()) continue;
    GradientStreams::Arrival arrival;
    if (!arrivals.empty()) arrival = std::move(arrivals[i]);
    AddTo(target, ranks_.slot_begin[target] + edges[i].input_nr,
          ranks_.ordinal[ranks_.edge_begin[index] + i],
          {std::move(results[i]), index, static_cast<uint32_t>(i), std::move(arrival)}, made,
          ready);
  }
  for (uint32_t target : ready) Queue(target);
  if (!ready.empty()) InviteHelpers(node.device().IsCpu() ? 1 : 0);
}

void SharedRun::AddTo(uint32_t target, uint32_t slot, uint32_t ordinal, Contribution contribution,
                      std::vector<NodePtr>& made, IndexList& ready) {
  Tensor sum;
  Contribution next;
  sync::ReleasableMutexLock lock(mutex_);
  if (!slots_.Mutable()[slot].Put(ordinal, std::move(contribution))) [[unlikely]] {
    // An edge was replaced during the call.
    GraphTask::ThrowChangedEdges(*task_.states()[target].node);
  }
  while (!failed_.Read() && slots_.Mutable()[slot].BeginFold(sum, next)) {
    if (sum.defined() && next.value.defined()) {
      lock.Unlock();
      AddContribution(target, slot, sum, std::move(next), made);
      lock.Lock();
    } else {
      AddValue(target, slot, sum, std::move(next));
    }
    slots_.Mutable()[slot].EndFold(std::move(sum));
    if (--pending_.Mutable()[target] == 0) {
      ++outstanding_.Mutable();
      ready.push_back(target);
    }
  }
}

void SharedRun::AddValue(uint32_t target, uint32_t slot, Tensor& sum, Contribution next) {
  std::optional<GradientStreams::SumScope> on_streams;
  if (task_.streams() != nullptr) {
    on_streams.emplace(*task_.streams(), target, *task_.states()[target].node,
                       slot - ranks_.slot_begin[target], sum, next.value, std::move(next.arrival));
  }
  AddGradient(sum, std::move(next.value), on_streams ? on_streams->reuse() : Reuse::kOfBoth);
}

void SharedRun::AddContribution(uint32_t target, uint32_t slot, Tensor& sum, Contribution next,
                                std::vector<NodePtr>& made) {
  const uint32_t rank = ranks_.rank[next.producer];
  OrderScope order(ProvisionalOrderKey(rank, kFirstSumKey + next.output_nr), &made);
  Node*& current = CurrentThread().node;
  Node* const before = current;
  if (task_.modes().anomaly) [[unlikely]] {
    // What induced the sum must not depend on timing.
    current = task_.states()[next.producer].node;
  }
  AddValue(target, slot, sum, std::move(next));
  current = before;
}

void SharedRun::Renumber() {
  std::vector<NodePtr> made;
  {
    sync::MutexLock lock(mutex_);
    made = std::move(made_.Mutable());
  }
  std::erase_if(made, [](const NodePtr& n) { return n->sequence_nr() == kAccumulateOrderKey; });
  std::sort(made.begin(), made.end(),
            [](const NodePtr& a, const NodePtr& b) { return a->sequence_nr() < b->sequence_nr(); });
  for (NodePtr& node : made) {
    node->set_sequence_nr(NextOrderKey());
    if (auto* outer = CurrentThread().provisional; outer != nullptr) {
      outer->push_back(std::move(node));
    }
  }
}

}  // namespace twingrad
