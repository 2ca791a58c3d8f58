// AG_THREAD_LOCAL of the model: one object a modelled thread, found by the address of a key.
// Included by autograd/sync/thread_local.h only.
#pragma once

#include "autograd/sync/model/scheduler.h"

#define AG_THREAD_LOCAL(Type, Name, ...)                                     \
  [[maybe_unused]] inline Type& Name() {                                     \
    static char key;                                                         \
    return *static_cast<Type*>(::twingrad::sync::model::CurrentLocals().Get( \
        &key, +[]() -> void* { return new Type{__VA_ARGS__}; },              \
        +[](void* object) { delete static_cast<Type*>(object); }));          \
  }                                                                          \
  static_assert(true, "AG_THREAD_LOCAL takes a semicolon")
