// Inference mode: computing without a graph, now or later.
//
//   InferenceMode mode;                 // until the end of the block
//   Tensor y = Mul(a, b);               // an inference tensor: no history, no version
//
// Nothing records, whatever the grad mode is. Tensors made inside, and their views, are inference
// tensors. They may be written inside only, may become leaves inside only, and cannot be saved by a
// node: each is an Error(kInvalidArgument). Operations that save nothing take them anywhere, and a
// clone made outside is an ordinary tensor. Views of ordinary tensors made inside are ordinary, and
// may be written as if they were made in no_grad; writes to ordinary tensors inside raise their
// version. InferenceMode(false) switches the mode off for a block, and the grad mode on.
//
// Threads: the mode is the thread's; a call takes it along to its nodes.

#pragma once

#include "autograd/graph/thread_state.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

class [[nodiscard]] InferenceMode {
 public:
  explicit InferenceMode(bool enabled = true)
      : before_(CurrentThread().modes.inference),
        grad_mode_before_(CurrentThread().modes.grad_mode) {
    CurrentThread().modes.inference = InferenceTensors() = enabled;
    CurrentThread().modes.grad_mode = !enabled;
  }
  ~InferenceMode() {
    CurrentThread().modes.inference = InferenceTensors() = before_;
    CurrentThread().modes.grad_mode = grad_mode_before_;
  }
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;

  static bool IsEnabled() { return CurrentThread().modes.inference; }

 private:
  bool before_;
  bool grad_mode_before_;
};

inline bool IsInference(const Tensor& tensor) {
  return tensor.defined() && tensor.impl()->is_inference();
}

}  // namespace twingrad
