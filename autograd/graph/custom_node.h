// CustomNode: the node of a custom function. It makes zeros of undefined gradients, runs Backward,
// and checks what that returns.
//
// One Backward of a node runs at a time, so that Backward may change its context: the node's lock
// is held around Backward and while saved tensors are released. While Backward itself calls the
// engine, the lock is given up (CustomCallPause). So a nested call may come through the same node
// again, two nodes may call through one another on two threads, and no circle of waits can form: a
// thread that waits for such a lock holds no other. Backward must then expect that others, and
// itself, have used the context meanwhile; a nested call without retain_graph has released it.

#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "autograd/base/inlined_vector.h"
#include "autograd/graph/function_context.h"
#include "autograd/graph/node.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/mutex.h"

namespace twingrad {

class CustomNode final : public Node {
 public:
  explicit CustomNode(const FunctionTraits& traits) : context_(traits) {}

  VariableList Apply(VariableList&& gradients) override;
  void ReleaseVariables() override;
  std::vector<SavedVariable*> SavedVariables() override;
  std::string_view name() const override { return context_.traits_->node_name; }

 private:
  friend class CustomCall;
  friend class CustomCallPause;
  friend class ForwardCall;

  void Materialize(VariableList& gradients) const;
  // Error(kVersion) if Backward writes a gradient that somebody else holds.
  VariableList RunBackward(VariableList&& gradients);
  // One gradient an argument becomes one an edge.
  VariableList Fit(VariableList&& results) const;

  sync::Mutex mutex_{"custom_node"};
  FunctionContext context_;
  InlinedVector<bool, 4> is_differentiable_;  // by result
};

// A Backward that runs on this thread, from its begin to its end.
class [[nodiscard]] CustomCall {
 public:
  explicit CustomCall(CustomNode& node) AG_NO_THREAD_SAFETY_ANALYSIS
      : node_(node),
        outer_(CurrentThread().custom_call) {
    node.mutex_.Lock();
    CurrentThread().custom_call = this;
  }
  ~CustomCall() AG_NO_THREAD_SAFETY_ANALYSIS {
    CurrentThread().custom_call = outer_;
    node_.mutex_.Unlock();
  }
  CustomCall(const CustomCall&) = delete;
  CustomCall& operator=(const CustomCall&) = delete;

 private:
  friend class CustomCallPause;
  CustomNode& node_;
  CustomCall* const outer_;
};

// Gives up the lock of the Backward that runs on this thread, if one does, until the end of the
// block. For whoever may wait for other nodes: the engine around nested calls.
class [[nodiscard]] CustomCallPause {
 public:
  CustomCallPause() AG_NO_THREAD_SAFETY_ANALYSIS
      : paused_(std::exchange(CurrentThread().custom_call, nullptr)) {
    if (paused_ != nullptr) paused_->node_.mutex_.Unlock();
  }
  ~CustomCallPause() AG_NO_THREAD_SAFETY_ANALYSIS {
    if (paused_ != nullptr) paused_->node_.mutex_.Lock();
    CurrentThread().custom_call = paused_;
  }
  CustomCallPause(const CustomCallPause&) = delete;
  CustomCallPause& operator=(const CustomCallPause&) = delete;

 private:
  CustomCall* const paused_;
};

}  // namespace twingrad
