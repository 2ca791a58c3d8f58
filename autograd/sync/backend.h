// Which back end of autograd/sync this translation unit is compiled against, and the tag that keeps
// the two apart.
//
// //autograd/sync:backend.model defines AUTOGRAD_SYNC_MODEL for all that depends on it. Names do
// not stop a mix of the two (a class with a sync::Mutex member mangles alike in both), so every
// object file refers to the tag symbol of its back end, and each back-end library defines only its
// own: a mix does not link. Both define autograd_sync_only_one_backend, so neither does a mix that
// brings both libraries. The reference is one pointer in read-only data, no instruction.
#pragma once

#if defined(AUTOGRAD_SYNC_MODEL)
#include <source_location>

#define AG_SYNC_BACKEND_TAG autograd_sync_backend_is_model
#else
#define AG_SYNC_BACKEND_TAG autograd_sync_backend_is_standard
#endif

extern "C" const char AG_SYNC_BACKEND_TAG;
extern "C" const char autograd_sync_only_one_backend;

namespace twingrad::sync {

// Site: the source line of an operation, for the model's reports; nothing in the standard back end.
#if defined(AUTOGRAD_SYNC_MODEL)
inline constexpr bool kIsModel = true;
using Site = std::source_location;
#else
inline constexpr bool kIsModel = false;
struct Site {
  static constexpr Site current() { return {}; }
};
#endif

namespace {
// `retain` keeps the reference where the linker drops unused sections.
[[gnu::used, gnu::retain]] const char* const kBackendTag = &AG_SYNC_BACKEND_TAG;
}  // namespace

}  // namespace twingrad::sync
