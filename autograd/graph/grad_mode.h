// GradMode: whether operations record their history, for each thread.
//
//   GradModeGuard no_grad(false);   // until the end of the block

#pragma once

#include "autograd/graph/thread_state.h"

namespace twingrad {

struct GradMode {
  static bool IsEnabled() { return CurrentThread().grad_mode; }
};

class [[nodiscard]] GradModeGuard {
 public:
  explicit GradModeGuard(bool enabled) : before_(CurrentThread().grad_mode) {
    CurrentThread().grad_mode = enabled;
  }
  ~GradModeGuard() { CurrentThread().grad_mode = before_; }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  bool before_;
};

}  // namespace twingrad
