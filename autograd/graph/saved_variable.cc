// Keeping tensors for backward. See saved_variable.h.

#include "autograd/graph/saved_variable.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/hooks.h"
#include "autograd/graph/node.h"
#include "autograd/graph/variable.h"
#include "autograd/sync/thread.h"

namespace twingrad {

// Holds a saved variable's lock byte. What it protects takes a few instructions, and contention
// needs two tasks at one node, so waiting is a plain loop.
class SavedVariable::Guard {
 public:
  explicit Guard(sync::Atomic<uint8_t>& locked) : locked_(locked) {
    while (locked_.Exchange(1, sync::kAcquire) != 0) sync::Thread::Yield();
  }
  ~Guard() { locked_.Store(0, sync::kRelease); }

 private:
  sync::Atomic<uint8_t>& locked_;
};

SavedVariable::SavedVariable(const Tensor& tensor, bool is_output) : is_output_(is_output) {
  if (!tensor.defined()) return;
  state_ = State::kSaved;
  version_ = tensor.version();
  data_ = tensor.impl()->meta() == nullptr ? tensor : tensor.Detach();
  if (!is_output) edge_ = GradientEdge(tensor);
}

SavedVariable::SavedVariable(SavedVariable&& other) noexcept { *this = std::move(other); }

SavedVariable& SavedVariable::operator=(SavedVariable&& other) noexcept {
  state_ = std::exchange(other.state_, State::kEmpty);
  is_output_ = other.is_output_;
  version_ = other.version_;
  data_ = std::move(other.data_);
  edge_ = std::move(other.edge_);
  return *this;
}

Tensor SavedVariable::Unpack(const Node* saved_for) const {
  Tensor data;
  Edge edge;
  State state;
  {
    Guard guard(locked_);
    state = state_;
    data = data_;
    if (CurrentThread().modes.grad_mode) edge = edge_;
  }
  if (state == State::kEmpty) return Tensor();
  if (state == State::kFreed) {
    throw Error(
        ErrorKind::kFreed,
        absl::StrCat("[graph] ", saved_for->name(),
                     " runs a second time, but its saved variables were released by the "
                     "first run; a graph may be used once; pass retain_graph the first time"));
  }
  if (data.version() != version_) {
    throw Error(ErrorKind::kVersion,
                absl::StrCat("[graph] a variable ", DTypeName(data.dtype()),
                             ShapeToString(data.sizes()), " that ", saved_for->name(),
                             " saved at version ", version_, " is at version ", data.version(),
                             "; it must not be written before backward; write to a copy of it"));
  }
  if (!CurrentThread().modes.grad_mode) return data;
  if (is_output_ && IsFloating(data.dtype())) {
    edge = saved_for->extras() != nullptr && saved_for->extras()->result_edge != nullptr
               ? saved_for->extras()->result_edge()
               : Edge(NodePtr(const_cast<Node*>(saved_for)), 0);
  }
  if (!edge.is_valid()) return data;
  Tensor variable = data.Detach();
  AutogradMeta& meta = AutogradMeta::Of(variable);
  meta.node = std::move(edge.function);
  meta.output_nr = edge.input_nr;
  return variable;
}

void SavedVariable::Reset() {
  Tensor data;  // destroyed after the lock is given up
  Edge edge;
  Guard guard(locked_);
  if (state_ != State::kSaved) return;
  state_ = State::kFreed;
  data = std::move(data_);
  edge = std::move(edge_);
}

}  // namespace twingrad
