// Defines the tag of the standard back end, and only that one (see autograd/sync/backend.h).
#include "autograd/sync/backend.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#error "standard/backend.cc belongs to builds without AUTOGRAD_SYNC_MODEL"
#endif

const char autograd_sync_backend_is_standard = 's';
const char autograd_sync_only_one_backend = 0;
