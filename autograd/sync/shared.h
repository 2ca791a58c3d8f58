// SharedPtr, WeakPtr and MakeShared: shared ownership where an intrusive count does not fit.
//
// Prefer sync::IntrusivePtr on hot paths and wherever the class is ours. In the standard back end
// these are the standard library's; under the model their counts are Atomics.
#pragma once

#include "autograd/sync/backend.h"

#if defined(AUTOGRAD_SYNC_MODEL)
#include "autograd/sync/model/shared.h"  // IWYU pragma: export
#else
#include <memory>
#include <utility>

namespace twingrad::sync {

template <typename T>
using SharedPtr = std::shared_ptr<T>;
template <typename T>
using WeakPtr = std::weak_ptr<T>;

template <typename T, typename... Arguments>
SharedPtr<T> MakeShared(Arguments&&... arguments) {
  return std::make_shared<T>(std::forward<Arguments>(arguments)...);
}

}  // namespace twingrad::sync
#endif
