// Nodes that wait for a thread. See ready_queue.h.

#include "autograd/engine/ready_queue.h"

#include <algorithm>
#include <utility>

namespace twingrad {

bool ReadyQueue::RunsLater(const Item& a, const Item& b) {
  const bool a_wakes = a.task.work == nullptr;
  const bool b_wakes = b.task.work == nullptr;
  if (a_wakes != b_wakes) return b_wakes;
  if (a.task.order_key != b.task.order_key) return a.task.order_key < b.task.order_key;
  return a.arrival > b.arrival;
}

void ReadyQueue::Push(NodeTask task) {
  {
    sync::MutexLock lock(mutex_);
    std::vector<Item>& heap = heap_.Mutable();
    // Room for this task and for a wake-up after it.
    if (heap.size() + 2 > heap.capacity() && task.work != nullptr)
      heap.reserve(2 * heap.size() + 2);
    heap.push_back({std::move(task), arrivals_.Mutable()++});
    std::push_heap(heap.begin(), heap.end(), RunsLater);
  }
  not_empty_.NotifyOne();
}

void ReadyQueue::PushShutdown() {
  {
    sync::MutexLock lock(mutex_);
    shut_down_.Write(true);
  }
  not_empty_.NotifyAll();
}

NodeTask ReadyQueue::TakeFirst() {
  std::vector<Item>& heap = heap_.Mutable();
  std::pop_heap(heap.begin(), heap.end(), RunsLater);
  NodeTask task = std::move(heap.back().task);
  heap.pop_back();
  return task;
}

std::optional<NodeTask> ReadyQueue::Pop() {
  sync::MutexLock lock(mutex_);
  while (heap_.Read().empty() && !shut_down_.Read()) not_empty_.Wait(mutex_);
  if (shut_down_.Read()) return std::nullopt;
  return TakeFirst();
}

std::optional<NodeTask> ReadyQueue::TryPop() {
  sync::MutexLock lock(mutex_);
  const std::vector<Item>& heap = heap_.Read();
  if (heap.empty() || heap.front().task.work == nullptr || shut_down_.Read()) return std::nullopt;
  return TakeFirst();
}

void ReadyQueue::Clear() {
  std::vector<Item> dropped;  // destroyed with no lock held
  sync::MutexLock lock(mutex_);
  dropped.swap(heap_.Mutable());
}

size_t ReadyQueue::Size() const {
  sync::MutexLock lock(mutex_);
  return heap_.Read().size();
}

}  // namespace twingrad
