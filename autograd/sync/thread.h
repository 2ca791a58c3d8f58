// Thread: a named thread that must be joined.
//
//   sync::Thread worker("sim0", [&] { Run(); });
//   worker.Join();
//
// Destroying a joinable Thread aborts: a thread nobody waits for outlives what it uses. An
// exception that leaves the function terminates the process. The system sees the first 15 bytes of
// the name.
#pragma once

#include "autograd/sync/backend.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/thread.h"  // IWYU pragma: export
#else
#include "autograd/sync/standard/thread.h"  // IWYU pragma: export
#endif
