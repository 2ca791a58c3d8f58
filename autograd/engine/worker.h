// WorkerGroup: the threads of an engine that evaluate nodes for its callers, and their queues:
// device workers, and helpers for CPU nodes.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "autograd/base/device.h"
#include "autograd/engine/ready_queue.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/clock.h"
#include "autograd/sync/fork.h"
#include "autograd/sync/inspected.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/ref_count.h"
#include "autograd/sync/thread.h"

namespace twingrad {

class WorkerGroup {
 public:
  // Threads start with the first run that needs them.
  WorkerGroup(int device_workers, int helpers);
  // Stops, for as long as it takes.
  ~WorkerGroup();
  WorkerGroup(const WorkerGroup&) = delete;
  WorkerGroup& operator=(const WorkerGroup&) = delete;

  // Announces a run; each true is followed by one Leave. False once stopping, and where the system
  // has no threads to give: run without workers.
  bool Enter() AG_EXCLUDES(mutex_);
  void Leave() AG_EXCLUDES(mutex_);

  int helpers() const { return helpers_; }
  bool HasDeviceWorkers() const { return !queues_.empty(); }

  // Lets a helper that is idle, or else the next one that is, help the run. False if there is no
  // memory for that. Between Enter and Leave.
  bool Invite(sync::IntrusivePtr<QueuedWork> run);

  // Where nodes of the device are queued; the device is not the CPU. Between Enter and Leave, where
  // there are device workers.
  ReadyQueue& QueueOf(Device device) { return *queues_[device.index % queues_.size()]; }

  // Waits for announced runs, ends the threads, waits for them; false if the deadline passed first:
  // then a worker may still be evaluating a node. May be called again, by several threads.
  bool Stop(std::optional<sync::TimePoint> deadline = std::nullopt) AG_EXCLUDES(mutex_);

  // Whether threads were started and then left behind by a fork.
  bool AreGone() const { return mark_.IsStale(); }

  // Which worker of its group this thread is, device workers first; -1: none.
  static int NumberOfThisThread();

 private:
  bool Start() AG_REQUIRES(mutex_);
  void Work(int number) AG_EXCLUDES(mutex_);
  void Help(int number) AG_EXCLUDES(mutex_);
  void NoteEnd() AG_EXCLUDES(mutex_);
  void CloseQueues();
  // False if the deadline passed.
  bool WaitForChange(std::optional<sync::TimePoint> deadline) AG_REQUIRES(mutex_);

  sync::ForkMark mark_;
  const int helpers_;
  // One a device worker; the vector never changes.
  std::vector<std::unique_ptr<ReadyQueue>> queues_;
  ReadyQueue invitations_;
  sync::Mutex mutex_{"workers"};
  sync::CondVar changed_{"workers.changed"};
  sync::Cell<std::vector<sync::Thread>> threads_ AG_GUARDED_BY(mutex_);
  sync::Cell<int> running_ AG_GUARDED_BY(mutex_){0};  // threads that have not ended
  sync::Cell<int> runs_ AG_GUARDED_BY(mutex_){0};
  sync::Cell<bool> stopping_ AG_GUARDED_BY(mutex_){false};
  sync::Cell<bool> joining_ AG_GUARDED_BY(mutex_){false};  // a caller of Stop joins the threads
  sync::Cell<bool> stopped_ AG_GUARDED_BY(mutex_){false};
  AG_INSPECTED(WorkerGroup);
};

}  // namespace twingrad
