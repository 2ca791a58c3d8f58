// The life of device workers. See worker.h.

#include "autograd/engine/worker.h"

#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace twingrad {
namespace {

void Work(ReadyQueue& queue) {
  while (std::optional<NodeTask> task = queue.Pop()) {
    if (task->work != nullptr) task->work->RunNode(task->index);
  }
}

}  // namespace

WorkerGroup::WorkerGroup(int count) {
  for (int i = 0; i < count; ++i) queues_.push_back(std::make_unique<ReadyQueue>());
}

WorkerGroup::~WorkerGroup() { Stop(); }

bool WorkerGroup::Start() {
  std::vector<sync::Thread>& threads = threads_.Mutable();
  try {
    for (size_t i = 0; i < queues_.size(); ++i) {
      threads.push_back(sync::Thread(absl::StrCat("ag_device_", i),
                                     [queue = queues_[i].get()] { Work(*queue); }));
    }
    return true;
  } catch (const std::system_error&) {
    // Workers that did start wait at their queues and never take this lock.
    for (const auto& queue : queues_) queue->PushShutdown();
    for (sync::Thread& thread : threads) thread.Join();
    threads.clear();
    stopping_.Write(true);
    stopped_.Write(true);
    return false;
  }
}

bool WorkerGroup::Enter() {
  sync::MutexLock lock(mutex_);
  if (stopping_.Read()) return false;
  if (threads_.Read().empty() && !Start()) return false;
  ++runs_.Mutable();
  return true;
}

void WorkerGroup::Leave() {
  sync::MutexLock lock(mutex_);
  if (--runs_.Mutable() == 0) changed_.NotifyAll();
}

void WorkerGroup::Stop() {
  std::vector<sync::Thread> threads;
  {
    sync::MutexLock lock(mutex_);
    if (stopping_.Read()) {
      while (!stopped_.Read()) changed_.Wait(mutex_);
      return;
    }
    stopping_.Write(true);
    while (runs_.Read() > 0) changed_.Wait(mutex_);
    threads = std::move(threads_.Mutable());
  }
  for (const auto& queue : queues_) queue->PushShutdown();
  for (sync::Thread& thread : threads) thread.Join();
  sync::MutexLock lock(mutex_);
  stopped_.Write(true);
  changed_.NotifyAll();
}

}  // namespace twingrad
