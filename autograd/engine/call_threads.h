// CallThreads: the threads on which an engine runs whole calls that do not run on their caller's
// stack: deeply nested ones, whose caller waits, and asynchronous ones.
//
//   threads.RunAndWait([&] { results = ExecuteHere(arguments); });
//   threads.Post([state] { state->Run(); });
//
// A thread serves one call at a time; it is started when none is idle, and up to kMostIdle of them
// wait for further calls. Threads start only here, so an engine that nests little and is never
// called asynchronously has none. No lock is held while a call runs. What a call throws, its
// function catches.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "autograd/sync/annotations.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/clock.h"
#include "autograd/sync/fork.h"
#include "autograd/sync/inspected.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/thread.h"

namespace twingrad {

class CallThreads {
 public:
  // Threads beyond these end with their call.
  static constexpr size_t kMostIdle = 16;

  CallThreads() = default;
  // Stops, for as long as it takes.
  ~CallThreads();
  CallThreads(const CallThreads&) = delete;
  CallThreads& operator=(const CallThreads&) = delete;

  // Both: Error(kUnsupported) if the system has no thread to give.
  void RunAndWait(std::function<void()> call) AG_EXCLUDES(mutex_);
  // Error(kInvalidArgument) once stopping.
  void Post(std::function<void()> call) AG_EXCLUDES(mutex_);

  // Waits for posted calls, ends idle threads and waits for them; false if the deadline passed
  // first. Nested calls may come later too: their threads end with them.
  bool Stop(std::optional<sync::TimePoint> deadline) AG_EXCLUDES(mutex_);

  // Whether this thread is one of these, serving a call: a stop would wait for itself.
  bool IsServing() const;
  // Whether threads were started and then left behind by a fork.
  bool AreGone() const { return mark_.IsStale(); }
  // For tests: the threads there are.
  size_t Count() const AG_EXCLUDES(mutex_);

 private:
  // Waits for one call.
  struct Waiter {
    sync::CondVar done{"call_threads.done"};
    bool is_done = false;
  };
  struct Server {
    sync::CondVar wake{"call_threads.wake"};
    std::function<void()> call;
    Waiter* waiter = nullptr;  // null: nobody waits
    sync::Thread thread;
  };
  using Servers = std::vector<std::unique_ptr<Server>>;

  void Give(std::function<void()> call, Waiter* waiter) AG_REQUIRES(mutex_);
  void Serve(Server& server) AG_EXCLUDES(mutex_);
  // Joins threads that have ended, with no lock held.
  void Reap() AG_EXCLUDES(mutex_);

  sync::ForkMark mark_;
  mutable sync::Mutex mutex_{"call_threads"};
  sync::CondVar changed_{"call_threads.changed"};
  sync::Cell<Servers> servers_ AG_GUARDED_BY(mutex_);             // with a thread
  sync::Cell<std::vector<Server*>> idle_ AG_GUARDED_BY(mutex_);   // of these
  sync::Cell<std::vector<Server*>> ended_ AG_GUARDED_BY(mutex_);  // of these, to be joined
  sync::Cell<bool> stopping_ AG_GUARDED_BY(mutex_){false};
  AG_INSPECTED(CallThreads);
};

}  // namespace twingrad
