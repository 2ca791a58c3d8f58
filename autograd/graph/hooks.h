// Hooks: functions of the user that run while gradients pass.
//
//   HookHandle handle = RegisterHook(y, [](const Tensor& g) { return Double(g); });
//   Remove(handle);
//
// Order at a node: tensor hooks (in the order of registration), pre-hooks, retain_grad, the node
// itself, post-hooks. Tensor hooks and retain_grad also run where the gradient is only captured.
// The value that a hook returns replaces the gradient, even if it is undefined; one that returns
// nothing leaves it as it is. A hook must not write its gradients in place, which others may hold:
// that is Error(kHook). A hook added during a call runs from the next call on; a hook removed
// during a call does not run again, and is freed at once, or when it returns. Hooks run with no
// lock held, on the thread that evaluates the node.
//
//   ScopedHook hook(RegisterHook(y, ...));    // removed at the end of the block

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
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
// Gets the leaf's `.grad`. Nobody else adds to that meanwhile: see grad_turn.h.
using AccumulateHook = std::function<void(const Tensor& grad)>;

// One hook, as its list and its handles know it: the function, until the hook is removed.
class HookState {
 public:
  struct Body {
    virtual ~Body() = default;
  };

  explicit HookState(sync::SharedPtr<Body> body) {
    sync::MutexLock lock(mutex_);
    body_.Write(std::move(body));
  }
  // Null once removed. Who runs the function keeps what this gives.
  sync::SharedPtr<Body> body() const AG_EXCLUDES(mutex_) {
    sync::MutexLock lock(mutex_);
    return body_.Read();
  }
  bool IsRemoved() const AG_EXCLUDES(mutex_) {
    sync::MutexLock lock(mutex_);
    return body_.Read() == nullptr;
  }
  // Frees the function here, or where it is being run.
  void Remove() AG_EXCLUDES(mutex_) {
    sync::SharedPtr<Body> freed;  // destroyed after the lock is given up: a hook may own anything
    sync::MutexLock lock(mutex_);
    freed = std::move(body_.Mutable());
    body_.Write(nullptr);
  }

 private:
  mutable sync::Mutex mutex_{"hook"};
  sync::Cell<sync::SharedPtr<Body>> body_ AG_GUARDED_BY(mutex_);
};

struct HookHandle {
  sync::WeakPtr<HookState> state;
};

// A hook on its turn.
template <class Function>
struct RunningHook {
  uint32_t input_nr;  // of tensor hooks: the node's input whose gradient it sees
  uint32_t number;    // counts the hooks that this list has had
  const Function& function;
};

// The hooks of one kind of one node, in the order of registration. Runs read a list that does not
// change any more; who adds a hook replaces it. A list that never had one costs a run no lock.
template <class Function>
class HookList {
 public:
  struct Entry {
    uint32_t input_nr;
    uint32_t number;
    sync::SharedPtr<HookState> state;
  };
  // Null: none.
  using Snapshot = sync::SharedPtr<const std::vector<Entry>>;

  HookHandle Add(uint32_t input_nr, Function function) AG_EXCLUDES(mutex_) {
    sync::SharedPtr<HookState::Body> body = sync::MakeShared<FunctionBody>(std::move(function));
    auto state = sync::MakeShared<HookState>(std::move(body));
    Snapshot before;  // destroyed after the lock is given up
    sync::MutexLock lock(mutex_);
    std::vector<Entry> entries;
    // Removed ones are empty by now.
    if (entries_.Read() != nullptr) {
      for (const Entry& entry : *entries_.Read()) {
        if (!entry.state->IsRemoved()) entries.push_back(entry);
      }
    }
    entries.push_back({input_nr, added_.Mutable()++, state});
    before = std::exchange(entries_.Mutable(),
                           sync::MakeShared<const std::vector<Entry>>(std::move(entries)));
    is_used_.Store(true, sync::kRelease);
    return HookHandle{state};
  }

  // Those that are there now, for Run; null if all are removed.
  Snapshot Current() const AG_EXCLUDES(mutex_) {
    const Snapshot all = All();
    if (all == nullptr) return nullptr;
    for (const Entry& entry : *all) {
      if (!entry.state->IsRemoved()) return all;
    }
    return nullptr;
  }
  bool IsEmpty() const AG_EXCLUDES(mutex_) { return Current() == nullptr; }
  // visit(hook) for those that are not removed before their turn.
  template <class Visit>
  static void Run(const Snapshot& hooks, const Visit& visit) {
    if (hooks == nullptr) return;
    for (const Entry& entry : *hooks) {
      const sync::SharedPtr<HookState::Body> body = entry.state->body();
      if (body == nullptr) continue;
      visit(RunningHook<Function>{entry.input_nr, entry.number,
                                  static_cast<const FunctionBody&>(*body).function});
    }
  }
  template <class Visit>
  void ForEach(const Visit& visit) const AG_EXCLUDES(mutex_) {
    Run(All(), visit);
  }

 private:
  struct FunctionBody final : HookState::Body {
    explicit FunctionBody(Function f) : function(std::move(f)) {}
    Function function;
  };

  Snapshot All() const AG_EXCLUDES(mutex_) {
    if (!is_used_.Load(sync::kAcquire)) return nullptr;
    sync::MutexLock lock(mutex_);
    return entries_.Read();
  }

  // Whether there has been a hook. One that is added now waits for the next call anyway.
  sync::Atomic<bool> is_used_{false};
  mutable sync::Mutex mutex_{"hooks"};
  sync::Cell<Snapshot> entries_ AG_GUARDED_BY(mutex_);
  sync::Cell<uint32_t> added_ AG_GUARDED_BY(mutex_){0};
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
  // Those of `hooks`, as they stood before the node ran.
  static void RunPostHooks(const Node& node, const HookList<NodePostHook>::Snapshot& hooks,
                           VariableList& results, const VariableList& gradients);

 private:
  struct Retained {
    uint32_t input_nr;
    sync::IntrusivePtr<GradSlot> slot;
  };
  // Whether anything has been retained.
  sync::Atomic<bool> retains_{false};
  mutable sync::Mutex mutex_;
  sync::Cell<std::vector<Retained>> retained_ AG_GUARDED_BY(mutex_);
};

// On a tensor that requires grad (else Error kNoGraph): runs with each of its gradients.
HookHandle RegisterHook(const Tensor& tensor, TensorHook hook);
HookHandle RegisterPreHook(Node& node, NodePreHook hook);
HookHandle RegisterPostHook(Node& node, NodePostHook hook);
// On a leaf that requires grad: runs after its `.grad` was updated.
HookHandle RegisterPostAccumulateGradHook(const Tensor& leaf, AccumulateHook hook);

// The same for functions that return nothing, and so change nothing.
template <class Hook>
requires std::is_void_v<std::invoke_result_t<Hook&, const Tensor&>> HookHandle
RegisterHook(const Tensor& tensor, Hook hook) {
  return RegisterHook(tensor, TensorHook([hook = std::move(hook)](const Tensor& gradient) mutable {
                        hook(gradient);
                        return gradient;
                      }));
}
template <class Hook>
requires std::is_void_v<std::invoke_result_t<Hook&, const VariableList&>> HookHandle
RegisterPreHook(Node& node, Hook hook) {
  return RegisterPreHook(
      node, NodePreHook([hook = std::move(hook)](const VariableList& gradients) mutable {
        hook(gradients);
        return gradients;
      }));
}
template <class Hook>
requires std::is_void_v<std::invoke_result_t<Hook&, const VariableList&, const VariableList&>>
    HookHandle RegisterPostHook(Node& node, Hook hook) {
  return RegisterPostHook(
      node, NodePostHook([hook = std::move(hook)](VariableList results,
                                                  const VariableList& gradients) mutable {
        hook(results, gradients);
        return results;
      }));
}

// Safe to call at any time, more than once, from any thread, from a hook too. What the function
// owns is freed before this returns, unless the hook runs at this moment.
void Remove(const HookHandle& handle);

// Removes the hook when it goes out of scope.
class [[nodiscard]] ScopedHook {
 public:
  explicit ScopedHook(HookHandle handle) : handle_(std::move(handle)) {}
  ~ScopedHook() { Remove(handle_); }
  ScopedHook(ScopedHook&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  ScopedHook& operator=(ScopedHook&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  const HookHandle& handle() const { return handle_; }

 private:
  HookHandle handle_;
};

// Keeps the gradient of a tensor that is not a leaf in its `.grad`. No effect on a leaf.
void RetainGrad(const Tensor& tensor);

}  // namespace twingrad
