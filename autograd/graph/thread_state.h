// ThreadState: what graph building and evaluation keep for each thread, in one place.
//
// Constant-initialised and trivially destructible, so that reaching it costs one instruction.
// Written only through the scopes of grad_mode.h and order_key.h and by the engine.

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/sync/ref_count.h"
#include "autograd/sync/thread_local.h"

namespace twingrad {

class Node;

// Which nodes the running task executes; null in ThreadState means all of them.
class ExecutionFilter {
 public:
  virtual bool ShouldExecute(const Node* node) const = 0;

 protected:
  ~ExecutionFilter() = default;
};

struct ThreadState {
  bool grad_mode = true;
  // Nodes are being destroyed further up this stack; further ones are queued in `to_destroy`.
  bool destroying = false;
  // The key that the next node made by this thread gets.
  uint64_t next_order_key = 0;
  // Where nodes with provisional keys are noted; null where keys are final.
  std::vector<sync::IntrusivePtr<Node>>* provisional = nullptr;
  const ExecutionFilter* filter = nullptr;
  // Nodes that wait for destruction, linked through Node::next_to_destroy_.
  Node* to_destroy = nullptr;
};
AG_THREAD_LOCAL(ThreadState, CurrentThread);

}  // namespace twingrad
