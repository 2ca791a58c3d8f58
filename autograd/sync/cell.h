// Cell<T>: a plain variable that threads share under a rule other than "one mutex guards it".
//
//   sync::Cell<int> owner{0};   // written by the owning thread, read after Join()
//   owner.Write(3);
//
// In the standard back end it is a T and costs what a T costs: no atomics, no locks. Under the
// model every access is a step, and two that no synchronisation orders, one of them a write, are
// reported.
#ifndef AUTOGRAD_SYNC_CELL_H_
#define AUTOGRAD_SYNC_CELL_H_

#include "autograd/sync/backend.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/cell.h"  // IWYU pragma: export
#else
#include "autograd/sync/standard/cell.h"  // IWYU pragma: export
#endif

#endif  // AUTOGRAD_SYNC_CELL_H_
