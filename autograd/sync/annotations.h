// Names for clang's thread-safety attributes.
//
// Every shared field says which mutex guards it and every function says what it needs held, so that
// clang's -Wthread-safety turns a forgotten lock into a compile error. GCC ignores them.
#pragma once

#if defined(__clang__)
#define AG_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define AG_THREAD_ATTRIBUTE(x)
#endif

// On types: a lock, and an object that holds a lock for its lifetime.
#define AG_CAPABILITY(name) AG_THREAD_ATTRIBUTE(capability(name))
#define AG_SCOPED_CAPABILITY AG_THREAD_ATTRIBUTE(scoped_lockable)

// On fields: read and written only with the mutex held.
#define AG_GUARDED_BY(mutex) AG_THREAD_ATTRIBUTE(guarded_by(mutex))

// On functions: the caller holds, must not hold, or gets or gives up the mutex.
#define AG_REQUIRES(...) AG_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define AG_EXCLUDES(...) AG_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define AG_ACQUIRE(...) AG_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define AG_RELEASE(...) AG_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define AG_TRY_ACQUIRE(...) AG_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))

// Last resort; a comment beside it says why the analysis cannot follow.
#define AG_NO_THREAD_SAFETY_ANALYSIS AG_THREAD_ATTRIBUTE(no_thread_safety_analysis)
