// Defines the tag of the model back end, and only that one (see autograd/sync/backend.h).
#include "autograd/sync/backend.h"

#if !defined(AUTOGRAD_SYNC_MODEL)
#error "model/backend.cc belongs to builds with AUTOGRAD_SYNC_MODEL"
#endif

const char autograd_sync_backend_is_model = 'm';
const char autograd_sync_only_one_backend = 0;
