// Mutex, MutexLock, ReleasableMutexLock and CondVar.
//
//   sync::MutexLock lock(mutex_);
//   while (queue_.empty()) not_empty_.Wait(mutex_);
//
// A Mutex is not recursive. A wait is always a loop around its condition: wake-ups may be spurious.
// WaitUntil returns false when the deadline passed. The optional names appear in the model's
// reports. Both back ends have the same members.
#pragma once

#include "autograd/sync/annotations.h"
#include "autograd/sync/backend.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/mutex.h"  // IWYU pragma: export
#else
#include "autograd/sync/standard/mutex.h"  // IWYU pragma: export
#endif

namespace twingrad::sync {

// Takes and gives up the mutex in the name of the line that makes the lock.
class AG_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex, Site where = Site::current()) AG_ACQUIRE(mutex)
      : mutex_(mutex), where_(where) {
    mutex_.Lock(where);
  }
  ~MutexLock() AG_RELEASE() { mutex_.Unlock(where_); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
  [[no_unique_address]] Site where_;
};

// A MutexLock that can be given up and taken again before its scope ends.
class AG_SCOPED_CAPABILITY ReleasableMutexLock {
 public:
  explicit ReleasableMutexLock(Mutex& mutex, Site where = Site::current()) AG_ACQUIRE(mutex)
      : mutex_(mutex), where_(where) {
    mutex_.Lock(where);
  }
  ~ReleasableMutexLock() AG_RELEASE() {
    if (held_) mutex_.Unlock(where_);
  }
  ReleasableMutexLock(const ReleasableMutexLock&) = delete;
  ReleasableMutexLock& operator=(const ReleasableMutexLock&) = delete;

  void Unlock(Site where = Site::current()) AG_RELEASE() {
    held_ = false;
    mutex_.Unlock(where);
  }
  void Lock(Site where = Site::current()) AG_ACQUIRE() {
    mutex_.Lock(where);
    held_ = true;
  }

 private:
  Mutex& mutex_;
  [[no_unique_address]] Site where_;
  bool held_ = true;
};

}  // namespace twingrad::sync
