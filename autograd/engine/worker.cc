// The life of workers. See worker.h.

#include "autograd/engine/worker.h"

#include <new>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/sync/thread_local.h"

namespace twingrad {
namespace {

AG_THREAD_LOCAL(int, ThisWorker, -1);

}  // namespace

WorkerGroup::WorkerGroup(int device_workers, int helpers) : helpers_(helpers) {
  for (int i = 0; i < device_workers; ++i) queues_.push_back(std::make_unique<ReadyQueue>());
}

WorkerGroup::~WorkerGroup() { Stop(); }

int WorkerGroup::NumberOfThisThread() { return ThisWorker(); }

bool WorkerGroup::Invite(sync::IntrusivePtr<QueuedWork> run) {
  try {
    invitations_.Push({std::move(run), NodeTask::kInvitation, 0});
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void WorkerGroup::Work(int number) {
  ThisWorker() = number;
  while (std::optional<NodeTask> task = queues_[number]->Pop()) {
    if (task->work != nullptr) task->work->RunNode(task->index);
  }
  NoteEnd();
}

void WorkerGroup::Help(int number) {
  ThisWorker() = number;
  while (std::optional<NodeTask> invitation = invitations_.Pop()) invitation->work->Help();
  NoteEnd();
}

void WorkerGroup::NoteEnd() {
  sync::MutexLock lock(mutex_);
  --running_.Mutable();
  changed_.NotifyAll();
}

void WorkerGroup::CloseQueues() {
  for (const auto& queue : queues_) queue->PushShutdown();
  invitations_.PushShutdown();
}

bool WorkerGroup::Start() {
  mark_.Set();
  std::vector<sync::Thread>& threads = threads_.Mutable();
  const int device_workers = static_cast<int>(queues_.size());
  try {
    threads.reserve(queues_.size() + helpers_);
    for (int i = 0; i < device_workers; ++i) {
      threads.push_back(sync::Thread(absl::StrCat("ag_device_", i), [this, i] { Work(i); }));
      ++running_.Mutable();
    }
    for (int i = 0; i < helpers_; ++i) {
      threads.push_back(sync::Thread(absl::StrCat("ag_cpu_", i),
                                     [this, number = device_workers + i] { Help(number); }));
      ++running_.Mutable();
    }
    return true;
  } catch (...) {
    // The system has no thread or no memory to give: runs do without workers. Those that did start
    // wait at their queues, and end when this lock is given up.
    stopping_.Write(true);
    CloseQueues();
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

bool WorkerGroup::WaitForChange(std::optional<sync::TimePoint> deadline) {
  if (!deadline.has_value()) {
    changed_.Wait(mutex_);
    return true;
  }
  return changed_.WaitUntil(mutex_, *deadline) || sync::Now() < *deadline;
}

bool WorkerGroup::Stop(std::optional<sync::TimePoint> deadline) {
  std::vector<sync::Thread> threads;
  {
    sync::MutexLock lock(mutex_);
    stopping_.Write(true);
    while (runs_.Read() > 0) {
      if (!WaitForChange(deadline)) return false;
    }
    CloseQueues();
    while (running_.Read() > 0) {
      if (!WaitForChange(deadline)) return false;
    }
    if (joining_.Read()) {
      while (!stopped_.Read()) changed_.Wait(mutex_);
      return true;
    }
    joining_.Write(true);
    threads = std::move(threads_.Mutable());
  }
  for (sync::Thread& thread : threads) thread.Join();
  sync::MutexLock lock(mutex_);
  stopped_.Write(true);
  changed_.NotifyAll();
  return true;
}

}  // namespace twingrad
