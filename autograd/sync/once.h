// Lazy<T>: a process-wide object built at first use, by whichever thread comes first.
//
//   constinit sync::Lazy<Registry> registry;              // at namespace scope
//   registry.Get().Find(...);
//
// It takes the place of run-time function-local statics, whose hidden guard the model cannot see.
// The object is never destroyed, so it may be used while other globals die. `Get` costs one acquire
// load once the object stands. A builder that throws leaves it unbuilt; the next `Get` tries again.
// Under the model each execution starts with the object unbuilt.
#ifndef AUTOGRAD_SYNC_ONCE_H_
#define AUTOGRAD_SYNC_ONCE_H_

#include "autograd/sync/annotations.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/backend.h"
#include "autograd/sync/mutex.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/scheduler.h"
#endif

namespace autograd::sync {

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
    MutexLock lock(mutex_);
    T* object = object_.Load(kRelaxed);
    if (object == nullptr) {
      object = build_();
      object_.Store(object, kRelease);
#if defined(AUTOGRAD_SYNC_MODEL)
      model::AtEndOfExecution([this](bool completed) {
        T* built = object_.Exchange(nullptr, kAcqRel);
        if (completed) delete built;
      });
#endif
    }
    return *object;
  }

  Builder build_;
  Mutex mutex_;
  Atomic<T*> object_{nullptr};
};

}  // namespace autograd::sync

#endif  // AUTOGRAD_SYNC_ONCE_H_
