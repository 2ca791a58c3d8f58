// Inspected<T>: a member by which a checker finds every live T, to look at it between two steps.
//
//   class ReadyQueue {
//     ...
//     friend class EngineInspector;                                       // may read, nothing else
//     AG_INSPECTED(ReadyQueue);                                           // the last member
//   };
//
// The last member, so that the object is whole for as long as it can be found. In the standard back
// end it is nothing: no code, no space. Under the model the scheduler is told of the object.
#ifndef AUTOGRAD_SYNC_INSPECTED_H_
#define AUTOGRAD_SYNC_INSPECTED_H_

#include "autograd/sync/backend.h"

#if defined(AUTOGRAD_SYNC_MODEL)

#include <typeinfo>

#include "autograd/sync/model/scheduler.h"

namespace autograd::sync {

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

}  // namespace autograd::sync

#define AG_INSPECTED(Type) \
  ::autograd::sync::Inspected<Type> inspected_ { this }

#else

#define AG_INSPECTED(Type) static_assert(true)

#endif

#endif  // AUTOGRAD_SYNC_INSPECTED_H_
