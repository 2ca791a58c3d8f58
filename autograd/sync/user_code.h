// UserCode: the user's code begins here, which may do anything and take any lock.
//
//   sync::UserCode("a hook");          // in what stands for the user's code, first of all
//   sync::UserObject object;           // captured by it: says when it is copied or destroyed
//
// Nothing in the standard back end. Under the model an execution fails if the thread holds a mutex
// at that point.
#pragma once

#include "autograd/sync/backend.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/scheduler.h"
#endif

namespace twingrad::sync {

inline void UserCode([[maybe_unused]] const char* what) {
#if defined(AUTOGRAD_SYNC_MODEL)
  if (model::Scheduler* scheduler = model::Current()) scheduler->UserCode(what);
#endif
}

struct UserObject {
  UserObject() = default;
  UserObject(const UserObject&) { UserCode("a copy of an object of the user's"); }
  UserObject(UserObject&&) noexcept {}
  UserObject& operator=(const UserObject&) = default;
  UserObject& operator=(UserObject&&) noexcept { return *this; }
  ~UserObject() { UserCode("the destructor of an object of the user's"); }
};

}  // namespace twingrad::sync
