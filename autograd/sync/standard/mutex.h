// Mutex and CondVar over the standard library: inline forwards, nothing added.
#pragma once

#include <condition_variable>
#include <mutex>

#include "autograd/sync/annotations.h"
#include "autograd/sync/clock.h"

namespace twingrad::sync {

class CondVar;

class AG_CAPABILITY("mutex") Mutex {
 public:
  constexpr Mutex() = default;
  constexpr explicit Mutex(const char* /*name*/) {}
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock(Site /*where*/ = {}) AG_ACQUIRE() { mutex_.lock(); }
  void Unlock(Site /*where*/ = {}) AG_RELEASE() { mutex_.unlock(); }
  [[nodiscard]] bool TryLock() AG_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class CondVar {
 public:
  CondVar() = default;
  explicit CondVar(const char* /*name*/) {}
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  void Wait(Mutex& mutex) AG_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // False when `deadline` passed without a wake-up.
  bool WaitUntil(Mutex& mutex, TimePoint deadline) AG_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool woken = condition_.wait_until(lock, deadline) == std::cv_status::no_timeout;
    lock.release();
    return woken;
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace twingrad::sync
