// SharedRun: the run of one task on its caller's thread, on helpers and on device workers.
//
// It goes on from where a run on one thread stands. The caller's thread and helpers evaluate CPU
// nodes, and the worker of each device evaluates the nodes of that device; a helper is invited when
// a node waits that no thread is about to take, and leaves when none does. Gradients are added in
// the canonical order (dependencies.h, ordered_slot.h), and nodes made by evaluations are numbered
// as one thread would have made them, so the result does not depend on timing. The first error ends
// the run: queued nodes are dropped, nodes being evaluated are waited for, and the error is thrown
// to the caller.

#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "autograd/base/inlined_vector.h"
#include "autograd/engine/dependencies.h"
#include "autograd/engine/graph_task.h"
#include "autograd/engine/local_run.h"
#include "autograd/engine/ordered_slot.h"
#include "autograd/engine/ready_queue.h"
#include "autograd/engine/worker.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/inspected.h"
#include "autograd/sync/mutex.h"

namespace twingrad {

class SharedRun final : public QueuedWork, private GradientBuffers {
 public:
  // Takes what is left of `so_far`. Its task and `workers` outlive Run.
  SharedRun(LocalRun& so_far, WorkerGroup& workers);

  static bool HasDeviceNodes(const GraphTask& task);

  // Called once, by the caller's thread; returns when every evaluation has ended, or throws the
  // error.
  void Run() AG_EXCLUDES(mutex_);

  // On the caller's thread or a worker's. After Run has returned it does nothing: tasks that an
  // error left in queues, and invitations that nobody has followed yet, keep the object, not the
  // graph.
  void RunNode(uint32_t index) override AG_EXCLUDES(mutex_);
  void Help() override AG_EXCLUDES(mutex_);

 private:
  using IndexList = InlinedVector<uint32_t, 8>;

  bool IsDone() const AG_REQUIRES(mutex_);
  VariableList Look(uint32_t index) override AG_EXCLUDES(mutex_);
  // Begins the evaluation of a node with what has come for it; false if the run is over.
  bool Begin(uint32_t index, VariableList& gradients) AG_EXCLUDES(mutex_);
  // Notes what the evaluation of a node made or threw. Never fails: lack of memory is an error too.
  void End(uint32_t index, std::vector<NodePtr> made, std::exception_ptr error) AG_EXCLUDES(mutex_);
  // Hands out the results of a node and queues the nodes that they complete.
  void Deliver(uint32_t index, VariableList& results, std::vector<NodePtr>& made)
      AG_EXCLUDES(mutex_);
  void AddTo(uint32_t target, uint32_t slot, uint32_t ordinal, Contribution contribution,
             std::vector<NodePtr>& made, IndexList& ready) AG_EXCLUDES(mutex_);
  // Adds `next` to `sum`, as if the node that gave `next` were being evaluated.
  void AddContribution(uint32_t target, uint32_t slot, Tensor& sum, Contribution next,
                       std::vector<NodePtr>& made);
  // The addition itself; the first contribution becomes the sum.
  void AddValue(uint32_t target, uint32_t slot, Tensor& sum, Contribution next);
  void Queue(uint32_t index);
  // One helper for each CPU node that waits, but for so many that other threads are about to take.
  void InviteHelpers(int taken) AG_EXCLUDES(mutex_);
  // The first error ends the run.
  void Fail(uint32_t index, std::exception_ptr error) AG_REQUIRES(mutex_);
  // Gives nodes with provisional keys final ones, in their order.
  void Renumber() AG_EXCLUDES(mutex_);

  // Not used once the run is over.
  GraphTask& task_;
  WorkerGroup& workers_;
  const uint32_t evaluated_before_;
  const Ranks ranks_;
  const std::vector<uint32_t> first_ready_;
  ReadyQueue cpu_queue_;  // of the caller, who alone waits at it, and of helpers

  sync::Mutex mutex_{"shared_run"};
  sync::Cell<std::vector<OrderedSlot>> slots_ AG_GUARDED_BY(mutex_);
  // By node: contributions that are still to be added.
  sync::Cell<std::vector<uint32_t>> pending_ AG_GUARDED_BY(mutex_);
  sync::Cell<uint32_t> outstanding_ AG_GUARDED_BY(mutex_){0};  // nodes queued or being evaluated
  sync::Cell<uint32_t> in_flight_ AG_GUARDED_BY(mutex_){0};    // nodes being evaluated
  sync::Cell<uint32_t> evaluated_ AG_GUARDED_BY(mutex_){0};
  sync::Cell<int> helpers_ AG_GUARDED_BY(mutex_){0};  // invited and not gone again
  sync::Cell<bool> failed_ AG_GUARDED_BY(mutex_){false};
  sync::Cell<bool> over_ AG_GUARDED_BY(mutex_){false};
  sync::Cell<std::exception_ptr> error_ AG_GUARDED_BY(mutex_);
  sync::Cell<uint32_t> failed_at_ AG_GUARDED_BY(mutex_){0};  // the node that threw it
  sync::Cell<std::vector<NodePtr>> made_ AG_GUARDED_BY(mutex_);
  AG_INSPECTED(SharedRun);
};

}  // namespace twingrad
