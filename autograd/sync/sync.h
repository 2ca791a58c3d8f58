// All of autograd/sync, for code that uses most of it. Prefer the single headers.
#pragma once

#include "autograd/base/check.h"         // IWYU pragma: export
#include "autograd/sync/activity.h"      // IWYU pragma: export
#include "autograd/sync/annotations.h"   // IWYU pragma: export
#include "autograd/sync/atomic.h"        // IWYU pragma: export
#include "autograd/sync/cell.h"          // IWYU pragma: export
#include "autograd/sync/clock.h"         // IWYU pragma: export
#include "autograd/sync/inspected.h"     // IWYU pragma: export
#include "autograd/sync/mutex.h"         // IWYU pragma: export
#include "autograd/sync/once.h"          // IWYU pragma: export
#include "autograd/sync/ref_count.h"     // IWYU pragma: export
#include "autograd/sync/shared.h"        // IWYU pragma: export
#include "autograd/sync/thread.h"        // IWYU pragma: export
#include "autograd/sync/thread_local.h"  // IWYU pragma: export
#include "autograd/sync/watch.h"         // IWYU pragma: export
