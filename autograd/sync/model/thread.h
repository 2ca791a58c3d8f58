// Thread of the model: a fiber of the execution. Included by autograd/sync/thread.h only.
//
// A thread is shown at the line that calls the constructor: threads.push_back(sync::Thread(...)),
// since emplace_back calls it from a line of the library.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "autograd/sync/model/scheduler.h"

namespace twingrad::sync {

class Thread {
 public:
  Thread() = default;
  Thread(std::string name, std::function<void()> body, Site where = Site::current()) {
    model::Scheduler* scheduler = model::Current();
    if (scheduler == nullptr) model::Misuse("[sync] a thread outside an execution", where);
    id_ = scheduler->Spawn(std::move(name), std::move(body), where);
  }
  Thread(Thread&& other) noexcept : id_(std::exchange(other.id_, model::kNoThread)) {}
  Thread& operator=(Thread&& other) {
    if (IsJoinable())
      model::Misuse("[sync] a thread is replaced before it was joined", Site::current());
    id_ = std::exchange(other.id_, model::kNoThread);
    return *this;
  }
  ~Thread() {
    if (IsJoinable())
      model::Misuse("[sync] a thread is destroyed before it was joined", Site::current());
  }

  bool IsJoinable() const { return id_ != model::kNoThread; }
  void Join(Site where = Site::current()) {
    if (!IsJoinable()) model::Misuse("[sync] a thread is joined that is not joinable", where);
    model::Current()->Join(std::exchange(id_, model::kNoThread), where);
  }

  static int HardwareConcurrency() { return 2; }  // the same on every machine
  static void Yield(Site where = Site::current()) {
    model::Scheduler* scheduler = model::Current();
    if (scheduler != nullptr) scheduler->Step({model::OperationKind::kYield, nullptr, "", where});
  }

 private:
  model::ThreadId id_ = model::kNoThread;
};

}  // namespace twingrad::sync
