// ThreadState: what graph building and evaluation keep for each thread, in one place: the modes of
// the user, and the order keys of the nodes that operations make.
//
//   GradModeGuard no_grad(false);   // until the end of the block
//
// Constant-initialised and trivially destructible, so that reaching it costs one instruction.
// Written only through the scopes below, the guards of single modes and by the engine.

#pragma once

#include <cstdint>
#include <vector>

#include "autograd/sync/ref_count.h"
#include "autograd/sync/thread_local.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

class AnomalyLabel;
struct CallStateFrame;
class CustomCall;
class GradTurn;
class Node;
class SavedReader;
struct NodeCreationFrame;
struct SavedTensorHooksFrame;
class WarningHandler;

// What the user switches on and off around a stretch of code. A call takes the modes of the thread
// that makes it along to every thread that evaluates its nodes, to the calls nested in it and to
// fresh stacks, always as a whole (ModesScope); so a new mode is a field here and its guard. Fields
// point to what outlives the scope that set them.
struct Modes {
  bool grad_mode = true;
  // Anomaly mode (anomaly.h): where nodes are made is noted, with the stack if it is wanted, and
  // whether results of nodes are checked.
  bool anomaly = false;
  bool check_nan = true;
  bool capture_stacks = true;
  // What the user calls the code that runs; null: nothing. A call does not take it along.
  const AnomalyLabel* anomaly_label = nullptr;
  // Inference mode (inference_mode.h). It is what InferenceTensors() says, for ModesScope.
  bool inference = false;
  // The innermost guard of saved-tensor hooks (saved_tensor_hooks.h); null where there is none.
  const SavedTensorHooksFrame* saved_tensor_hooks = nullptr;
  // The innermost guard of node-creation hooks (node_creation.h); null where there is none.
  const NodeCreationFrame* node_creation = nullptr;
  // The innermost value of the user's (call_state.h); null where there is none.
  const CallStateFrame* call_state = nullptr;
  // Where warnings go (warning.h); null: to standard error.
  WarningHandler* warning_handler = nullptr;
};

// Which nodes the running task executes; null in ThreadState means all of them.
class ExecutionFilter {
 public:
  virtual bool ShouldExecute(const Node* node) const = 0;

 protected:
  ~ExecutionFilter() = default;
};

struct ThreadState {
  Modes modes;
  // Nodes are being destroyed further up this stack; further ones are queued in `to_destroy`.
  bool destroying = false;
  // The key that the next node made by this thread gets.
  uint64_t next_order_key = 0;
  // Where nodes with provisional keys are noted; null where keys are final.
  std::vector<sync::IntrusivePtr<Node>>* provisional = nullptr;
  const ExecutionFilter* filter = nullptr;
  // The innermost of the turns that this thread has at leaves' `.grad`s.
  const GradTurn* turn = nullptr;
  // The node being evaluated, for hooks and for nodes made meanwhile; null outside. See
  // CurrentNode.
  Node* node = nullptr;
  // Who is to give up its saved variables as soon as it has used them; null where a node may keep
  // them. A node that has done so is `released`.
  const Node* releasing = nullptr;
  const Node* released = nullptr;
  // Where this thread tells what it reads without a lock; null: it takes locks. See
  // saved_readers.h.
  SavedReader* reader = nullptr;
  // The backward of a custom function that runs on this thread, the innermost; see custom_node.h.
  CustomCall* custom_call = nullptr;
  // Nodes that wait for destruction, linked through Node::next_to_destroy_.
  Node* to_destroy = nullptr;
};
AG_THREAD_LOCAL(ThreadState, CurrentThread);

// Gives the thread these modes until the end of the block.
class [[nodiscard]] ModesScope {
 public:
  explicit ModesScope(const Modes& modes) : before_(CurrentThread().modes) {
    CurrentThread().modes = modes;
    if (modes.inference != before_.inference) [[unlikely]]
      InferenceTensors() = modes.inference;
  }
  ~ModesScope() {
    if (CurrentThread().modes.inference != before_.inference) [[unlikely]]
      InferenceTensors() = before_.inference;
    CurrentThread().modes = before_;
  }
  ModesScope(const ModesScope&) = delete;
  ModesScope& operator=(const ModesScope&) = delete;

 private:
  Modes before_;
};

struct GradMode {
  static bool IsEnabled() { return CurrentThread().modes.grad_mode; }
};

// Sets the mode for this thread until the end of its life, then restores what was before.
// In inference mode grad mode stays off.
class [[nodiscard]] GradModeGuard {
 public:
  explicit GradModeGuard(bool enabled) : before_(CurrentThread().modes.grad_mode) {
    CurrentThread().modes.grad_mode = enabled && !CurrentThread().modes.inference;
  }
  ~GradModeGuard() { CurrentThread().modes.grad_mode = before_; }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  bool before_;
};

// Nothing is recorded while it lives.
class [[nodiscard]] NoGradGuard : public GradModeGuard {
 public:
  NoGradGuard() : GradModeGuard(false) {}
};

// Operations are recorded while it lives, inside a NoGradGuard too.
class [[nodiscard]] EnableGradGuard : public GradModeGuard {
 public:
  EnableGradGuard() : GradModeGuard(true) {}
};
// The node that this thread evaluates: inside its Apply, its hooks and what these call; null
// outside. It lives at least that long.
inline Node* CurrentNode() { return CurrentThread().node; }

// Order keys: the place of a node among those ready to run, fixed by the program and never by
// timing. Nodes take keys from a counter of the thread that makes them; the engine runs the highest
// first. OrderScope gives a thread another range for a while: threads of one section get disjoint
// ranges in program order, and nodes made while a task with several threads evaluates rank r get a
// provisional key (rank, local index), which the task replaces by a final one when it ends.

// Gradient accumulators run as soon as they are ready.
inline constexpr uint64_t kAccumulateOrderKey = UINT64_MAX;

// Above every final key, below kAccumulateOrderKey; ordered by (rank, local).
constexpr uint64_t ProvisionalOrderKey(uint32_t rank, uint32_t local) {
  return uint64_t{1} << 63 | (uint64_t{rank} & 0x7fffffff) << 32 | local;
}

inline uint64_t NextOrderKey() { return CurrentThread().next_order_key++; }

// Takes `count` keys off this thread's counter and returns the first.
inline uint64_t ReserveOrderKeys(uint64_t count) {
  const uint64_t first = CurrentThread().next_order_key;
  CurrentThread().next_order_key += count;
  return first;
}

class [[nodiscard]] OrderScope {
 public:
  // While it lives this thread's nodes take keys from `first` on and, unless null, are noted in
  // `provisional`.
  explicit OrderScope(uint64_t first, std::vector<sync::IntrusivePtr<Node>>* provisional = nullptr)
      : next_before_(CurrentThread().next_order_key),
        provisional_before_(CurrentThread().provisional) {
    CurrentThread().next_order_key = first;
    CurrentThread().provisional = provisional;
  }
  ~OrderScope() {
    CurrentThread().next_order_key = next_before_;
    CurrentThread().provisional = provisional_before_;
  }
  OrderScope(const OrderScope&) = delete;
  OrderScope& operator=(const OrderScope&) = delete;

 private:
  uint64_t next_before_;
  std::vector<sync::IntrusivePtr<Node>>* provisional_before_;
};

}  // namespace twingrad
