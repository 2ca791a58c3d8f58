// Starting, reusing and ending the threads of calls. See call_threads.h.

#include "autograd/engine/call_threads.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/sync/thread_local.h"

namespace twingrad {
namespace {

// Whose call this thread serves.
AG_THREAD_LOCAL(const CallThreads*, Served, nullptr);

}  // namespace

CallThreads::~CallThreads() { Stop(std::nullopt); }

bool CallThreads::IsServing() const { return Served() == this; }

size_t CallThreads::Count() const {
  sync::MutexLock lock(mutex_);
  return servers_.Read().size();
}

void CallThreads::RunAndWait(std::function<void()> call) {
  Reap();
  Waiter waiter;
  sync::MutexLock lock(mutex_);
  Give(std::move(call), &waiter);
  while (!waiter.is_done) waiter.done.Wait(mutex_);
}

void CallThreads::Post(std::function<void()> call) {
  Reap();
  sync::MutexLock lock(mutex_);
  if (stopping_.Read()) {
    throw Error(ErrorKind::kInvalidArgument,
                "[engine] an asynchronous call was made of an engine that is stopped; its callers "
                "may still run calls themselves; make the call before Stop, or use Execute");
  }
  Give(std::move(call), nullptr);
}

void CallThreads::Give(std::function<void()> call, Waiter* waiter) {
  std::vector<Server*>& idle = idle_.Mutable();
  if (!idle.empty()) {
    Server& server = *idle.back();
    idle.pop_back();
    server.call = std::move(call);
    server.waiter = waiter;
    server.wake.NotifyOne();
    return;
  }
  mark_.Set();
  Servers& servers = servers_.Mutable();
  // Room for all that the threads do later, so that they never fail for lack of memory.
  idle.reserve(servers.size() + 1);
  ended_.Mutable().reserve(servers.size() + 1);
  servers.push_back(std::make_unique<Server>());
  Server& server = *servers.back();
  server.call = std::move(call);
  server.waiter = waiter;
  try {
    server.thread =
        sync::Thread(absl::StrCat("ag_call_", servers.size()), [this, &server] { Serve(server); });
  } catch (const std::system_error&) {
    servers.pop_back();
    throw Error(ErrorKind::kUnsupported,
                absl::StrCat("[engine] a call that needs a stack of its own got no thread beside ",
                             servers.size(),
                             " others; deeply nested and asynchronous calls take one each; raise "
                             "the limit of threads, or nest less"));
  } catch (...) {
    servers.pop_back();
    throw;
  }
}

void CallThreads::Serve(Server& server) {
  Served() = this;
  sync::ReleasableMutexLock lock(mutex_);
  while (true) {
    while (server.call == nullptr && !stopping_.Read()) server.wake.Wait(mutex_);
    if (server.call == nullptr) break;
    std::function<void()> call = std::exchange(server.call, nullptr);
    Waiter* const waiter = std::exchange(server.waiter, nullptr);
    lock.Unlock();
    call();
    call = nullptr;  // what it owns goes with no lock held
    lock.Lock();
    // The thread is free again before its waiter goes on, which may need it at once.
    const bool stays = !stopping_.Read() && idle_.Read().size() < kMostIdle;
    if (stays) idle_.Mutable().push_back(&server);
    if (waiter != nullptr) {
      waiter->is_done = true;
      waiter->done.NotifyOne();
    }
    if (!stays) break;
  }
  ended_.Mutable().push_back(&server);
  changed_.NotifyAll();
}

void CallThreads::Reap() {
  Servers ended;
  {
    sync::MutexLock lock(mutex_);
    if (ended_.Read().empty()) return;
    ended.reserve(ended_.Read().size());
    for (Server* server : ended_.Mutable()) {
      Servers& servers = servers_.Mutable();
      const auto it = std::find_if(servers.begin(), servers.end(),
                                   [server](const auto& owner) { return owner.get() == server; });
      ended.push_back(std::move(*it));
      servers.erase(it);
    }
    ended_.Mutable().clear();
  }
  for (const auto& server : ended) server->thread.Join();
}

bool CallThreads::Stop(std::optional<sync::TimePoint> deadline) {
  {
    sync::MutexLock lock(mutex_);
    stopping_.Write(true);
    for (Server* server : idle_.Mutable()) server->wake.NotifyOne();
    idle_.Mutable().clear();
    while (ended_.Read().size() < servers_.Read().size()) {
      if (!deadline.has_value()) {
        changed_.Wait(mutex_);
      } else if (!changed_.WaitUntil(mutex_, *deadline) && sync::Now() >= *deadline) {
        return false;
      }
    }
  }
  Reap();
  return true;
}

}  // namespace twingrad
