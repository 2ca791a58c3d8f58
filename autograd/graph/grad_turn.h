// GradTurn: the time in which one thread adds to a leaf's `.grad` and runs the leaf's
// post-accumulate hooks, as one step for everybody else who adds to it.
//
//   GradTurn turn(slot, gradient);                     // waits for another thread's turn to end
//   if (!turn.is_left()) { slot.Accumulate(std::move(gradient)); ... run the hooks ... }
//   turn.ForEachLeft([&](Tensor other) { ... the same with other ... });
//
// So a hook that takes `.grad`, steps and empties it loses no gradient and takes none twice. Hooks
// may read and set `.grad` and run backward, through the same leaf too: the thread's own turn does
// not keep it waiting. No circle of waits can form: a thread that has a turn at another leaf (a
// hook there runs backward) leaves its gradient to the thread whose turn it is, which adds it and
// runs the hooks for it before its own turn ends. The call of that hook may then return a little
// before its gradient is in `.grad`; every other call returns after. If a hook throws, what was
// left is still added.

#pragma once

#include <functional>
#include <utility>

#include "autograd/graph/grad_slot.h"
#include "autograd/graph/thread_state.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

class [[nodiscard]] GradTurn {
 public:
  // Takes `gradient` if it is left to another thread.
  GradTurn(GradSlot& slot, Tensor& gradient);
  ~GradTurn();
  GradTurn(const GradTurn&) = delete;
  GradTurn& operator=(const GradTurn&) = delete;

  bool is_left() const { return start_ == GradSlot::TurnStart::kLeft; }
  // Ends the turn after `add` has had each gradient that others have left, in their order and in
  // the grad mode of their calls. Nothing inside another turn of this thread at the slot.
  void ForEachLeft(const std::function<void(Tensor gradient)>& add);

  // Whether this thread has a turn at the slot; at any.
  static bool Has(const GradSlot* slot);
  static bool HasAny() { return CurrentThread().turn != nullptr; }

 private:
  GradSlot& slot_;
  const GradTurn* const outer_;  // of this thread
  GradSlot::TurnStart start_;
  bool ended_ = false;
};

}  // namespace twingrad
