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

  void Lock() AG_ACQUIRE() { mutex_.lock(); }
  void Unlock() AG_RELEASE() { mutex_.unlock(); }
  [[nodiscard]] bool TryLock() AG_TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  // Tells the analysis, where it cannot see it, that the caller holds this mutex.
  void AssertHeld() const AG_ASSERT_CAPABILITY(this) {}

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class AG_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) AG_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() AG_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// A MutexLock that can be given up and taken again before its scope ends.
class AG_SCOPED_CAPABILITY ReleasableMutexLock {
 public:
  explicit ReleasableMutexLock(Mutex& mutex) AG_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~ReleasableMutexLock() AG_RELEASE() {
    if (held_) mutex_.Unlock();
  }
  ReleasableMutexLock(const ReleasableMutexLock&) = delete;
  ReleasableMutexLock& operator=(const ReleasableMutexLock&) = delete;

  void Unlock() AG_RELEASE() {
    held_ = false;
    mutex_.Unlock();
  }
  void Lock() AG_ACQUIRE() {
    mutex_.Lock();
    held_ = true;
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
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
  bool WaitFor(Mutex& mutex, Duration duration) AG_REQUIRES(mutex) {
    return WaitUntil(mutex, Now() + duration);
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace twingrad::sync
