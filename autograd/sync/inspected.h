// AG_INSPECTED: a member by which a checker finds every live object of a class, to look at it
// between two steps.
//
//   class ReadyQueue {
//     ...
//     AG_INSPECTED(ReadyQueue);   // the last member
//   };
//
// The last member, so that the object is whole for as long as it can be found. In the standard back
// end it is nothing: no code, no space. Under the model the scheduler is told of the object. What
// to look at is the checker's business: it specialises Inspector for the class, which no other code
// may name.
#pragma once

#include "autograd/sync/backend.h"

namespace twingrad::sync {

// May read what is private in a class with an AG_INSPECTED; defined by checkers only.
template <typename T>
class Inspector;

}  // namespace twingrad::sync

#define AG_INSPECTOR_IS_FRIEND \
  template <typename>          \
  friend class ::twingrad::sync::Inspector

#if defined(AUTOGRAD_SYNC_MODEL)

#include <typeinfo>

#include "autograd/sync/model/scheduler.h"

namespace twingrad::sync {

template <typename T>
class Inspected {
 public:
  explicit Inspected(const T* object) : object_(object) {
    if (model::Scheduler* scheduler = model::Current()) scheduler->Appear(typeid(T), object_);
  }
  ~Inspected() {
    if (model::Scheduler* scheduler = model::Current()) scheduler->Vanish(typeid(T), object_);
  }
  Inspected(const Inspected&) = delete;
  Inspected& operator=(const Inspected&) = delete;

 private:
  const T* const object_;
};

}  // namespace twingrad::sync

#define AG_INSPECTED(Type) \
  AG_INSPECTOR_IS_FRIEND;  \
  ::twingrad::sync::Inspected<Type> inspected_ { this }

#else

#define AG_INSPECTED(Type) AG_INSPECTOR_IS_FRIEND

#endif
