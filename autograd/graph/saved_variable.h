// SavedVariable: a tensor that a node keeps for its Apply.
//
//   SavedVariable saved(a, /*is_output=*/false);
//   Tensor a = saved.Unpack(this);
//
// Unpack throws Error kVersion if the tensor was written since, kFreed if the variable was
// released. A SavedVariable keeps the data and the gradient edge, never the variable itself. So
// there is no reference cycle, even if the variable is the node's own result or has a `.grad` with
// history. In grad mode Unpack returns a variable with the same place in the graph. Unpack and
// Reset may be called concurrently, because tasks may share a graph.
//
// With saved-tensor hooks in force it keeps what the pack hook returned instead of the data, and
// the version is not checked (saved_tensor_hooks.h).

#pragma once

#include <cstdint>

#include "autograd/graph/edge.h"
#include "autograd/graph/saved_tensor_hooks.h"
#include "autograd/sync/atomic.h"
#include "autograd/sync/cell.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

class SavedVariable {
 public:
  enum class State : uint8_t { kEmpty, kSaved, kPacked, kFreed };
  struct Content {
    State state;
    Tensor data;  // of kSaved
  };

  // Nothing saved: Unpack gives an undefined tensor.
  SavedVariable() : data_() {}
  // `is_output`: the tensor is the result number `output_nr` of the node that saves it.
  SavedVariable(const Tensor& tensor, bool is_output, uint32_t output_nr = 0);
  SavedVariable(SavedVariable&& other) noexcept;
  SavedVariable& operator=(SavedVariable&& other) noexcept;
  ~SavedVariable() { DropContent(); }

  // `saved_for` is the node that saved it.
  Tensor Unpack(const Node* saved_for) const;
  // Releases the data; safe while another thread unpacks.
  void Reset();
  // Sends this one through a pair of hooks, whatever is in force. Before the node is first run.
  // Error(kInvalidArgument) if it has a pair already or nothing is saved, kFreed if it was
  // released, kVersion if the tensor was written since. `saved_for` as above.
  void RegisterHooks(const Node* saved_for, SavedTensorHooks hooks);

  // What it keeps, without history: nothing is checked, no hook runs. For pictures of graphs.
  Content Look() const;

 private:
  class Guard;

  void DropContent() {
    if (state_ == State::kPacked) [[unlikely]] {
      packed_.~PackedTensorPtr();
    } else {
      data_.~Tensor();
    }
  }
  void CheckVersion(const Node* saved_for, const Tensor& data) const;

  mutable sync::Atomic<uint8_t> locked_{0};
  [[no_unique_address]] sync::CellAccesses accesses_;  // to what follows
  State state_ = State::kEmpty;
  bool is_output_ = false;
  uint32_t version_ = 0;
  union {
    Tensor data_;             // without history
    PackedTensorPtr packed_;  // kPacked
  };
  Edge edge_;  // of an output only the number
};

}  // namespace twingrad
