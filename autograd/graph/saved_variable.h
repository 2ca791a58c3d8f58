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
// Of row-major data it keeps the memory and the type, from which Unpack makes a tensor; of other
// data a tensor. Where the gradient edge is one of the node's own, it keeps its number.
//
// With saved-tensor hooks in force it keeps what the pack hook returned instead of the data, and
// the version is not checked (saved_tensor_hooks.h).

#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "autograd/graph/edge.h"
#include "autograd/graph/saved_readers.h"
#include "autograd/graph/saved_tensor_hooks.h"
#include "autograd/graph/thread_state.h"
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
  SavedVariable() : data_(), edge_() {}
  // `is_output`: the tensor is the result number `output_nr` of the node that saves it.
  SavedVariable(const Tensor& tensor, bool is_output, uint32_t output_nr = 0);
  // An operand whose gradient edge is edge `edge_nr` of the node that saves it, for ever: the node
  // is not that of a write in place (CopySlices changes their edges).
  static SavedVariable OfOperand(const Tensor& tensor, uint8_t edge_nr) {
    return SavedVariable(EdgeNumber{edge_nr}, tensor);
  }
  SavedVariable(SavedVariable&& other) noexcept : data_(), edge_() { *this = std::move(other); }
  SavedVariable& operator=(SavedVariable&& other) noexcept;
  ~SavedVariable() { DropContent(); }

  // `saved_for` is the node that saved it.
  Tensor Unpack(const Node* saved_for) const;
  // Releases the data; safe while another thread unpacks.
  void Reset();
  // The same of `count` ones that lie side by side, at most kMostTogether, taking one lock instead
  // of `count`. After ShareLock only.
  static constexpr uint32_t kMostTogether = 3;
  static void ResetAll(SavedVariable* saved, uint32_t count);
  // What a built-in node unpacks for the length of its Apply.
  class Reading;
  // From now on the lock of the first of these `count` is that of all. Before the node is shared.
  static void ShareLock(SavedVariable* saved, uint8_t count);
  // Sends this one through a pair of hooks, whatever is in force. Before the node is first run.
  // Error(kInvalidArgument) if it has a pair already or nothing is saved, kFreed if it was
  // released, kVersion if the tensor was written since. `saved_for` as above.
  void RegisterHooks(const Node* saved_for, SavedTensorHooks hooks);

  // What it keeps, without history: nothing is checked, no hook runs. For pictures of graphs.
  Content Look() const;

 private:
  class Guard;
  class WriteGuard;
  // Where the gradient edge is: here, or number `number_` of the node's edges, or of its results.
  enum class Place : uint8_t { kHere, kOperand, kResult };
  using StoragePtr = sync::IntrusivePtr<Storage>;
  static constexpr uint32_t kMostNumber = 31;

  struct EdgeNumber {
    uint8_t value;
  };
  SavedVariable(EdgeNumber edge_nr, const Tensor& tensor)
      : place_(Place::kOperand), number_(edge_nr.value), data_(), edge_() {
    if (!tensor.defined()) return;
    // What most operands are; Save does it all.
    if (tensor.impl()->IsStoredRowMajor() && IsFloating(tensor.dtype()) &&
        CurrentThread().modes.saved_tensor_hooks == nullptr) [[likely]] {
      state_ = State::kSaved;
      version_ = tensor.impl()->storage()->version();
      Store(tensor);
    } else {
      Save(tensor);
    }
  }

  LockByte& lock() const { return (this - lock_distance_)->locked_; }
  // Saves `tensor`, which is defined, as `place_` and `edge_` say.
  void Save(const Tensor& tensor);
  void Keep(const Tensor& tensor);
  void Store(const Tensor& tensor) {
    BecomeStored();
    storage_ = StoragePtr(tensor.impl()->storage());
    type_ = tensor.type();
  }
  bool IsStored() const { return state_ == State::kSaved && is_stored_; }
  // Whether that has not been written since.
  bool IsCurrent() const { return IsStored() && storage_->version() == version_; }
  // Gives `storage` away: what UnpackAll and ResetAll do to each.
  StoragePtr TakeStorage();
  // The other way to keep it, whose members come to life; nothing is in them.
  void BecomeStored() {
    data_.~Tensor();
    edge_.~Edge();
    new (&storage_) StoragePtr();
    new (&type_) TypeWords();
    is_stored_ = true;
  }
  void BecomeUnstored() {
    storage_.~StoragePtr();
    new (&data_) Tensor();
    new (&edge_) Edge();
    is_stored_ = false;
  }
  void DropContent() {
    if (is_stored_) {
      storage_.~StoragePtr();
      return;
    }
    if (state_ == State::kPacked) [[unlikely]] {
      packed_.~PackedTensorPtr();
    } else {
      data_.~Tensor();
    }
    edge_.~Edge();
  }
  void CheckVersion(const Node* saved_for, const Tensor& data) const;

  mutable LockByte locked_{0};
  uint8_t lock_distance_ = 0;  // how far before this one that lies whose lock it takes
  [[no_unique_address]] sync::CellAccesses accesses_;  // to what follows
  State state_ = State::kEmpty;
  Place place_ : 2 = Place::kHere;
  bool is_stored_ : 1 = false;
  uint8_t number_ : 5 = 0;
  uint32_t version_ = 0;
  union {
    Tensor data_;             // without history
    StoragePtr storage_;      // is_stored_
    PackedTensorPtr packed_;  // kPacked
  };
  union {
    Edge edge_;       // of an operand or result nothing
    TypeWords type_;  // is_stored_
  };
};

//   Tensor a, b;
//   Tensor* const places[] = {&a, &b};
//   SavedVariable::Reading reading;                // after a and b, so that it ends before them
//   reading.UnpackAll(saved, 2, 3, this, places);
//
// Where the thread may read without locks (saved_readers.h), the tensors only borrow their memory
// until the end of the block. Those of which other handles are left then get it to keep.
class [[nodiscard]] SavedVariable::Reading {
 public:
  Reading() = default;
  ~Reading() {
    if (reader_ != nullptr) GiveBack();
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  // Unpacks those of `count` variables, as of ResetAll, whose bit in `which` is set, to the places.
  // Releases all of them where the thread's state says so, but not where it throws. Called once.
  void UnpackAll(const SavedVariable* saved, uint32_t count, uint32_t which, const Node* saved_for,
                 Tensor* const* places);

 private:
  // Whether it has done all.
  bool Borrow(const SavedVariable* saved, uint32_t count, uint32_t which, Tensor* const* places);
  void GiveBack();

  SavedReader* reader_ = nullptr;  // null where nothing is borrowed
  Tensor* places_[kMostTogether] = {};
};

}  // namespace twingrad
