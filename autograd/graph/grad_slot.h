// GradSlot: the place of a tensor's `.grad`.
//
// The tensor's AutogradMeta and the node that writes `.grad` share it, so the node need not own the
// tensor. The tensor closes the slot when it is destroyed, which breaks the reference cycle from
// the tensor over its `.grad`, the graph of that and the node back to the tensor.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string_view>

#include "autograd/graph/grad_layout.h"
#include "autograd/sync/annotations.h"
#include "autograd/sync/cell.h"
#include "autograd/sync/mutex.h"
#include "autograd/sync/ref_count.h"
#include "autograd/tensor/pool.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

// How the warning begins that a .grad has another layout than its leaf.
inline constexpr std::string_view kLayoutWarning =
    "[graph] a gradient is added to a .grad of another layout than its leaf's";

class GradSlot : public sync::RefCounted<GradSlot> {
 public:
  static void* operator new(size_t bytes) { return pool::Allocate(bytes); }
  static void operator delete(void* block, size_t bytes) { pool::Free(block, bytes); }

  Tensor Get() const AG_EXCLUDES(mutex_);
  void Set(Tensor grad) AG_EXCLUDES(mutex_);
  // Drops the stored gradient and all later ones.
  void Close() AG_EXCLUDES(mutex_);
  // Whether gradients are accepted (a leaf whose requires_grad was turned off accepts none).
  void SetActive(bool active) AG_EXCLUDES(mutex_);
  // The leaf has become the result of a recorded write, or has another type: gradients of graphs
  // that were built over it before have no place any more. Until it is active again, Accumulate is
  // Error(kLeafInPlace).
  void MoveIntoGraph() AG_EXCLUDES(mutex_);

  // How `.grad` lies in memory from now on; row-major before. What is there already stays.
  void SetLayout(GradLayout layout) AG_EXCLUDES(mutex_);

  // Adds a gradient of a leaf: in place if nobody else can see the memory, out of place and with
  // history in grad mode, in both cases in the leaf's layout. Never aliases `gradient` with memory
  // that others use. Returns the new `.grad`, undefined if the gradient was not accepted, or was
  // left to another thread, whose turn it is (grad_turn.h).
  //
  // Warns once of each stored gradient that does not have the leaf's layout, when the first
  // gradient is added to it in place.
  Tensor Accumulate(Tensor gradient) AG_EXCLUDES(mutex_);
  // Stores a copy of `gradient`, or the sum with what is there, out of place, and returns it;
  // undefined if the slot is closed.
  Tensor Retain(const Tensor& gradient) AG_EXCLUDES(mutex_);

  // Of GradTurn alone: see grad_turn.h.
  enum class TurnStart : uint8_t {
    kTaken,   // by the caller, who ends it
    kInside,  // the caller's thread has it already
    kLeft,    // the gradient is left to the thread whose turn it is
  };
  struct LeftGradient {
    Tensor gradient;
    bool grad_mode;
  };
  TurnStart BeginTurn(Tensor& gradient) AG_EXCLUDES(mutex_);
  // What another thread has left; nothing: the turn has ended.
  std::optional<LeftGradient> NextOrEndTurn() AG_EXCLUDES(mutex_);

 private:
  struct Turns {
    bool taken = false;
    std::deque<LeftGradient> left;
    sync::CondVar ended;
  };

  Tensor Add(Tensor gradient, bool* misfits) AG_EXCLUDES(mutex_);
  bool AwaitTurn(Tensor& gradient) AG_REQUIRES(mutex_);
  // The sum of the stored gradient and `gradient`, out of place.
  Tensor SumWith(const Tensor& gradient) const AG_REQUIRES(mutex_);
  // Adds where the gradient or `.grad` is sparse: in place but where the sum becomes dense, which
  // is another tensor then. Returns the `.grad` that it replaces.
  Tensor AddSparse(const Tensor& gradient) AG_REQUIRES(mutex_);
  void CheckNotMoved() const AG_REQUIRES(mutex_);
  // What an empty slot takes in: `gradient` itself where nobody else can see it, else a copy.
  Tensor Owned(Tensor gradient) const AG_REQUIRES(mutex_);

  mutable sync::Mutex mutex_{"grad_slot"};
  sync::Cell<Tensor> grad_ AG_GUARDED_BY(mutex_);
  sync::Cell<GradLayout> layout_ AG_GUARDED_BY(mutex_);
  sync::Cell<bool> active_ AG_GUARDED_BY(mutex_){true};
  sync::Cell<bool> moved_ AG_GUARDED_BY(mutex_){false};
  sync::Cell<bool> closed_ AG_GUARDED_BY(mutex_){false};
  // What is stored was given by the user in another layout, and no warning has said so.
  sync::Cell<bool> misfits_ AG_GUARDED_BY(mutex_){false};
  // Null before the leaf first has hooks.
  sync::Cell<std::unique_ptr<Turns>> turns_ AG_GUARDED_BY(mutex_);
};

}  // namespace twingrad
