// Lazy<T>: a process-wide object built at first use, by whichever thread comes first.
//
//   constinit sync::Lazy<Registry> registry;              // at namespace scope
//   registry.Get().Find(...);
//
// It takes the place of run-time function-local statics, whose hidden guard the model cannot see.
// The object is never destroyed, so it may be used while other globals die. `Get` costs one acquire
// load once the object stands. A builder that throws leaves it unbuilt; the next `Get` tries again.
// Under the model each execution starts with the object unbuilt.
#pragma once

#include "autograd/sync/annotations.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/backend.h"
#include "autograd/sync/mutex.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#include <memory>
#include <utility>

#include "autograd/sync/model/scheduler.h"
#endif

namespace twingrad::sync {

template <typename T>
class Lazy {
 public:
  using Builder = T* (*)();

  constexpr Lazy() : Lazy([] { return new T(); }) {}
  // `build` returns an object made with `new`.
  constexpr explicit Lazy(Builder build) : build_(build) {}
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;

  T& Get() {
    T* object = object_.Load(kAcquire);
    return object != nullptr ? *object : Build();
  }
  T& operator*() { return Get(); }
  T* operator->() { return &Get(); }

 private:
  T& Build() AG_EXCLUDES(mutex_) {
#if defined(AUTOGRAD_SYNC_MODEL)
    model::AtEndOfExecution([this](bool completed) { Reset(completed); });
#endif
    MutexLock lock(mutex_);
    T* object = object_.Load(kRelaxed);
    if (object == nullptr) {
      object = build_();
#if defined(AUTOGRAD_SYNC_MODEL)
      built_ = object;
#endif
      object_.Store(object, kRelease);
    }
    return *object;
  }
#if defined(AUTOGRAD_SYNC_MODEL)
  // A failed execution leaves its objects as they are, where a leak checker finds them, and this
  // mutex perhaps held.
  void Reset(bool completed) {
    object_.Store(nullptr, kRelease);
    T* const object = std::exchange(built_, nullptr);
    if (completed) {
      delete object;
    } else {
      if (object != nullptr) left_behind_ = new LeftBehind{object, left_behind_};
      std::construct_at(&mutex_);
    }
  }
  struct LeftBehind {
    T* object;
    LeftBehind* next;
  };
  LeftBehind* left_behind_ = nullptr;
  T* built_ = nullptr;
#endif

  Builder build_;
  Mutex mutex_;
  Atomic<T*> object_{nullptr};
};

}  // namespace twingrad::sync
