// ReadyQueue: nodes that are ready to run, highest order key first.
//
//   queue.Push({run, index, key});                               // any thread
//   while (std::optional<NodeTask> task = queue.Pop()) { ... }   // a consumer; there may be
//   several
//
// A task's place in the order is fixed when it is pushed and never changes. Wake-ups come before
// all tasks; equal keys keep the order of their pushes. After PushShutdown, Pop returns nothing,
// immediately and for ever; tasks still in the queue are destroyed with it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "autograd/sync/annotations.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/inspected.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/ref_count.h"

namespace twingrad {

// A run whose nodes are queued one by one.
class QueuedWork : public sync::RefCounted<QueuedWork> {
 public:
  virtual ~QueuedWork() = default;
  // Evaluates the node with this dense index. Does not throw.
  virtual void RunNode(uint32_t index) = 0;
  // Evaluates, beside the caller of the run, CPU nodes that wait for a thread, until none does.
  virtual void Help() {}
};

struct NodeTask {
  static constexpr uint32_t kInvitation = UINT32_MAX;

  sync::IntrusivePtr<QueuedWork> work;  // null: wakes the consumer
  uint32_t index = 0;                   // kInvitation: to help, with any node
  uint64_t order_key = 0;
};

class ReadyQueue {
 public:
  ReadyQueue() { heap_.Mutable().reserve(1); }
  ReadyQueue(const ReadyQueue&) = delete;
  ReadyQueue& operator=(const ReadyQueue&) = delete;

  // One wake-up at a time never fails for lack of memory.
  void Push(NodeTask task) AG_EXCLUDES(mutex_);
  void PushShutdown() AG_EXCLUDES(mutex_);
  // Waits for a task; nothing after a shutdown.
  std::optional<NodeTask> Pop() AG_EXCLUDES(mutex_);
  // Waits for nothing, and leaves a wake-up and what stands behind it to Pop.
  std::optional<NodeTask> TryPop() AG_EXCLUDES(mutex_);
  // Destroys what is queued.
  void Clear() AG_EXCLUDES(mutex_);
  size_t Size() const AG_EXCLUDES(mutex_);

 private:
  struct Item {
    NodeTask task;
    uint64_t arrival;
  };
  // Whether `b` runs before `a`.
  static bool RunsLater(const Item& a, const Item& b);
  NodeTask TakeFirst() AG_REQUIRES(mutex_);

  mutable sync::Mutex mutex_{"ready_queue"};
  sync::CondVar not_empty_{"ready_queue.not_empty"};
  sync::Cell<std::vector<Item>> heap_ AG_GUARDED_BY(mutex_);
  sync::Cell<uint64_t> arrivals_ AG_GUARDED_BY(mutex_){0};
  sync::Cell<bool> shut_down_ AG_GUARDED_BY(mutex_){false};
  AG_INSPECTED(ReadyQueue);
};

}  // namespace twingrad
