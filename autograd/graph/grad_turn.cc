// Taking turns at a leaf's `.grad`. See grad_turn.h.

#include "autograd/graph/grad_turn.h"

#include <memory>
#include <optional>

namespace twingrad {

// Waits until no other thread has its turn; false if the gradient is left to the thread that has.
bool GradSlot::AwaitTurn(Tensor& gradient) {
  while (turns_.Read()->taken) {
    if (GradTurn::Has(this)) return true;
    if (GradTurn::HasAny()) {
      turns_.Mutable()->left.push_back({std::move(gradient), GradMode::IsEnabled()});
      return false;
    }
    turns_.Mutable()->ended.Wait(mutex_);
  }
  return true;
}

GradSlot::TurnStart GradSlot::BeginTurn(Tensor& gradient) {
  sync::MutexLock lock(mutex_);
  if (turns_.Read() == nullptr) turns_.Write(std::make_unique<Turns>());
  if (!AwaitTurn(gradient)) return TurnStart::kLeft;
  if (turns_.Read()->taken) return TurnStart::kInside;
  turns_.Mutable()->taken = true;
  return TurnStart::kTaken;
}

std::optional<GradSlot::LeftGradient> GradSlot::NextOrEndTurn() {
  sync::MutexLock lock(mutex_);
  Turns& turns = *turns_.Mutable();
  if (!turns.left.empty()) {
    LeftGradient next = std::move(turns.left.front());
    turns.left.pop_front();
    return next;
  }
  turns.taken = false;
  turns.ended.NotifyAll();
  return std::nullopt;
}

GradTurn::GradTurn(GradSlot& slot, Tensor& gradient)
    : slot_(slot), outer_(CurrentThread().turn), start_(slot.BeginTurn(gradient)) {
  if (start_ == GradSlot::TurnStart::kTaken) CurrentThread().turn = this;
}

GradTurn::~GradTurn() {
  if (start_ != GradSlot::TurnStart::kTaken || ended_) return;
  try {
    ForEachLeft([this](Tensor gradient) { slot_.Accumulate(std::move(gradient)); });
  } catch (...) {  // no memory for the sum: the error on its way says enough
    while (slot_.NextOrEndTurn().has_value()) {
    }
    CurrentThread().turn = outer_;
  }
}

void GradTurn::ForEachLeft(const std::function<void(Tensor gradient)>& add) {
  if (start_ != GradSlot::TurnStart::kTaken) return;
  while (std::optional<GradSlot::LeftGradient> left = slot_.NextOrEndTurn()) {
    const GradModeGuard grad_mode(left->grad_mode);
    add(std::move(left->gradient));
  }
  ended_ = true;
  CurrentThread().turn = outer_;
}

bool GradTurn::Has(const GradSlot* slot) {
  for (const GradTurn* turn = CurrentThread().turn; turn != nullptr; turn = turn->outer_) {
    if (&turn->slot_ == slot) return true;
  }
  return false;
}

}  // namespace twingrad
