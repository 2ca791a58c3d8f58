// AG_THREAD_LOCAL(Type, Name, initial values...): one Type for each thread, reached through Name().
//
//   AG_THREAD_LOCAL(int, ReentrantDepth, 0);   // at namespace scope, in a header or a .cc
//   ++ReentrantDepth();
//
// The object lives until its thread ends. With a constant initialiser and a trivial destructor an
// access costs what one to a plain `thread_local` costs. A Type with commas needs an alias.
#pragma once

#include "autograd/sync/backend.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/scheduler.h"

#define AG_THREAD_LOCAL(Type, Name, ...)                                     \
  [[maybe_unused]] inline Type& Name() {                                     \
    static constinit ::twingrad::sync::model::LocalKey key;                  \
    return *static_cast<Type*>(::twingrad::sync::model::CurrentLocals().Get( \
        key, +[]() -> void* { return new Type{__VA_ARGS__}; },               \
        +[](void* object) { delete static_cast<Type*>(object); }));          \
  }                                                                          \
  static_assert(true, "AG_THREAD_LOCAL takes a semicolon")
#else
// A block-scope variable, not a namespace-scope one: no wrapper function guards the access.
#define AG_THREAD_LOCAL(Type, Name, ...)          \
  [[maybe_unused]] inline Type& Name() {          \
    static thread_local Type object{__VA_ARGS__}; \
    return object;                                \
  }                                               \
  static_assert(true, "AG_THREAD_LOCAL takes a semicolon")
#endif
