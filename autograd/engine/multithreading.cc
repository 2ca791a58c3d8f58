// The switch of a thread. See multithreading.h.

#include "autograd/engine/multithreading.h"

#include "autograd/engine/evaluate.h"

namespace twingrad {

bool MultithreadingIsEnabled() { return !CurrentEngineThread().is_alone; }

MultithreadingGuard::MultithreadingGuard(bool enabled) : before_(MultithreadingIsEnabled()) {
  CurrentEngineThread().is_alone = !enabled;
}

MultithreadingGuard::~MultithreadingGuard() { CurrentEngineThread().is_alone = !before_; }

}  // namespace twingrad
