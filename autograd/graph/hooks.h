// Hooks: functions of the user that run while gradients pass.
//
//   HookHandle handle = RegisterHook(y, [](const Tensor& g) { return Double(g); });
//   Remove(handle);
//
// Order at a node: tensor hooks (in the order of registration), pre-hooks, retain_grad, the node
// itself, post-hooks. Tensor hooks and retain_grad also run where the gradient is only captured.
// The value that a hook returns replaces the gradient, even if it is undefined. A hook added during
// a call runs from the next call on; a hook removed during a call does not run again. Hooks run
// with no lock held, on the thread that evaluates the node.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "autograd/graph/anomaly.h"
#include "autograd/graph/grad_slot.h"
#include "autograd/graph/node.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/shared.h"

namespace twingrad {

using TensorHook = std::function<Tensor(const Tensor& gradient)>;
using NodePreHook = std::function<VariableList(const VariableList& gradients)>;
using NodePostHook =
    std::function<VariableList(VariableList results, const VariableList& gradients)>;
// Gets the leaf's `.grad`, which it must not change.
using AccumulateHook = std::function<void(const Tensor& grad)>;

struct HookState {
  sync::Atomic<bool> removed{false};
};

struct HookHandle {
  sync::WeakPtr<HookState> state;
};

template <class Function>
struct HookEntry {
  HookEntry(uint32_t nr, Function f) : input_nr(nr), function(std::move(f)) {}
  HookState state;
  uint32_t input_nr;  // of tensor hooks: the node's input whose gradient it sees
  Function function;
};

// The hooks of one kind of one node, in the order of registration.
template <class Function>
class HookList {
 public:
  using Entry = HookEntry<Function>;
  using Snapshot = std::vector<sync::SharedPtr<Entry>>;

  HookHandle Add(uint32_t input_nr, Function function) AG_EXCLUDES(mutex_) {
    auto entry = sync::MakeShared<Entry>(input_nr, std::move(function));
    sync::SharedPtr<HookState> state(entry, &entry->state);
    Snapshot removed;  // destroyed after the lock is given up: a hook may own anything
    sync::MutexLock lock(mutex_);
    TakeRemoved(removed);
    entries_.Mutable().push_back(std::move(entry));
    return HookHandle{state};
  }

  bool IsEmpty() const AG_EXCLUDES(mutex_) { return Current().empty(); }
  // visit(entry) for those that are there now and are not removed before their turn.
  template <class Visit>
  void ForEach(const Visit& visit) const AG_EXCLUDES(mutex_) {
    for (const sync::SharedPtr<Entry>& entry : Current()) {
      if (!entry->state.removed.Load(sync::kAcquire)) visit(*entry);
    }
  }

 private:
  Snapshot Current() const AG_EXCLUDES(mutex_) {
    sync::MutexLock lock(mutex_);
    return entries_.Read();
  }
  void TakeRemoved(Snapshot& removed) AG_REQUIRES(mutex_) {
    Snapshot kept;
    for (sync::SharedPtr<Entry>& entry : entries_.Mutable()) {
      (entry->state.removed.Load(sync::kAcquire) ? removed : kept).push_back(std::move(entry));
    }
    entries_.Write(std::move(kept));
  }

  mutable sync::Mutex mutex_;
  sync::Cell<Snapshot> entries_ AG_GUARDED_BY(mutex_);
};

// The rare features of a node, behind its one pointer.
class NodeExtras {
 public:
  HookList<TensorHook> tensor_hooks;
  HookList<NodePreHook> pre_hooks;
  HookList<NodePostHook> post_hooks;
  HookList<AccumulateHook> accumulate_hooks;

  // WillReleaseVariables is called. Set before the node is first run.
  bool wants_release_notice = false;

  // Where gradients of the node's result go, if not to the node itself: set for the inner node of
  // a CopySlices, before that is first run.
  std::function<Edge()> result_edge;

  // Where the node was made, if anomaly mode was on; written before anybody else has the node.
  std::unique_ptr<const NodeOrigin> origin;

  // The gradient of input `input_nr` is stored in `slot` whenever it passes.
  void Retain(uint32_t input_nr, sync::IntrusivePtr<GradSlot> slot) AG_EXCLUDES(mutex_);
  void StopRetaining(const GradSlot* slot) AG_EXCLUDES(mutex_);

  // Run by the engine. Each checks what hooks return: Error(kHook) if it does not fit.
  void RunTensorHooks(const Node& node, VariableList& gradients) const;
  void RunPreHooks(const Node& node, VariableList& gradients) const;
  void StoreRetained(const VariableList& gradients) const AG_EXCLUDES(mutex_);
  bool HasPostHooks() const { return !post_hooks.IsEmpty(); }
  void RunPostHooks(const Node& node, VariableList& results, const VariableList& gradients) const;

 private:
  struct Retained {
    uint32_t input_nr;
    sync::IntrusivePtr<GradSlot> slot;
  };
  mutable sync::Mutex mutex_;
  sync::Cell<std::vector<Retained>> retained_ AG_GUARDED_BY(mutex_);
};

// On a tensor that requires grad (else Error kNoGraph): runs with each of its gradients.
HookHandle RegisterHook(const Tensor& tensor, TensorHook hook);
HookHandle RegisterPreHook(Node& node, NodePreHook hook);
HookHandle RegisterPostHook(Node& node, NodePostHook hook);
// On a leaf that requires grad: runs after its `.grad` was updated.
HookHandle RegisterPostAccumulateGradHook(const Tensor& leaf, AccumulateHook hook);
// Safe to call at any time, more than once, from any thread, from a hook too.
void Remove(const HookHandle& handle);
// Keeps the gradient of a tensor that is not a leaf in its `.grad`. No effect on a leaf.
void RetainGrad(const Tensor& tensor);

}  // namespace twingrad
