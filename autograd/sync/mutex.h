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
