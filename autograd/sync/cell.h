// Cell<T>: a plain variable that threads share.
//
//   sync::Cell<int> sum_ AG_GUARDED_BY(mutex_){0};   // or: written by its owner, read after Join()
//   sum_.Write(3);
//   ++sum_.Mutable();
//
// In the standard back end it is a T and costs what a T costs: no atomics, no locks. Under the
// model two accesses that no synchronisation orders, one of them a write, are reported. An access
// is no scheduling point: what comes between it and the thread's step before cannot change whether
// a race is seen, and after a race an execution does not go on.
#pragma once

#include "autograd/sync/backend.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/cell.h"  // IWYU pragma: export
#else
#include "autograd/sync/standard/cell.h"  // IWYU pragma: export
#endif
