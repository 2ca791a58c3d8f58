#include "autograd/optim/optimizer.h"

#include "absl/strings/str_cat.h"
#include "autograd/base/error.h"
#include "autograd/graph/thread_state.h"
#include "autograd/graph/variable.h"
#include "autograd/graph/view.h"
#include "autograd/notation/elements.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"
#include "autograd/tensor/kernels/arithmetic.h"

namespace twingrad {

void Optimizer::CheckOption(bool fits, std::string_view option, double value,
                            std::string_view allowed) const {
  if (fits) return;
  throw Error(ErrorKind::kInvalidArgument,
              absl::StrCat("[", name_, "] ", option, " ", value, "; allowed is ", allowed));
}

void Optimizer::AddParameters(const std::vector<Tensor>& parameters) {
  std::vector<Slot> slots = slots_;
  for (const Tensor& parameter : parameters) {
    const auto refuse = [&](ErrorKind kind, std::string_view what) {
      throw Error(kind, absl::StrCat("[", name_, "] parameter ", slots.size(), " ", what,
                                     "; allowed are leaves that require grad, each once; give "
                                     "what Leaf() or SetRequiresGrad() made"));
    };
    if (!parameter.defined()) refuse(ErrorKind::kUndefined, "is undefined");
    if (!IsLeaf(parameter)) refuse(ErrorKind::kInvalidArgument, "is the result of an operation");
    if (!RequiresGrad(parameter)) refuse(ErrorKind::kInvalidArgument, "does not require grad");
    for (const Slot& other : slots) {
      if (other.parameter.IsSameAs(parameter)) {
        refuse(ErrorKind::kInvalidArgument, "was given before");
      }
    }
    Slot& slot = slots.emplace_back();
    slot.parameter = parameter;
    slot.group = groups_;
    slot.memory.resize(memory_names_.size());
  }
  slots_ = std::move(slots);
  ++groups_;
}

void Optimizer::Step() {
  NoGradGuard no_grad;
  for (Slot& slot : slots_) {
    const Tensor gradient = GradOf(slot.parameter);
    if (!gradient.defined()) continue;
    ++slot.steps;
    Update(slot, gradient.is_sparse() ? ToDense(gradient) : gradient.Detach());
  }
}

void Optimizer::Descend(Tensor& parameter, double rate, const Tensor& direction) {
  if (direction.is_sparse() || !direction.HasSameTypeAs(parameter) ||
      direction.HasSameStorage(parameter)) {
    parameter -= rate * direction;
    return;
  }
  CheckInPlace(parameter, /*would_record=*/false);
  kernels::SubScaledInto(parameter, rate, direction);
  parameter.BumpVersion();
}

void Optimizer::ZeroGrad(bool to_zeros) {
  NoGradGuard no_grad;
  for (const Slot& slot : slots_) {
    Tensor gradient = GradOf(slot.parameter);
    if (!gradient.defined()) continue;
    if (to_zeros && !RequiresGrad(gradient) && !gradient.is_sparse()) {
      ops::ZeroInPlace(gradient);
    } else {
      // One with history would pass the zeros on to whoever saved it; a sparse one becomes dense.
      SetGrad(slot.parameter,
              to_zeros ? Tensor::Zeros(gradient.sizes(), gradient.dtype(), gradient.device())
                       : Tensor());
    }
  }
}

std::vector<Tensor> Optimizer::Parameters() const {
  std::vector<Tensor> parameters;
  for (const Slot& slot : slots_) parameters.push_back(slot.parameter);
  return parameters;
}

NamedTensors Optimizer::State() const {
  NoGradGuard no_grad;
  NamedTensors state;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    state[absl::StrCat(i, ".step")] = Tensor::Scalar(static_cast<double>(slot.steps), DType::kI64);
    for (size_t k = 0; k < memory_names_.size(); ++k) {
      if (!slot.memory[k].defined()) continue;
      state[absl::StrCat(i, ".", memory_names_[k])] = Clone(slot.memory[k]);
    }
  }
  return state;
}

void Optimizer::LoadState(const NamedTensors& state) {
  NoGradGuard no_grad;
  std::vector<Slot> slots = slots_;
  size_t used = 0;
  const auto find = [&](size_t i, std::string_view what) {
    const auto found = state.find(absl::StrCat(i, ".", what));
    if (found == state.end()) return Tensor();
    ++used;
    return found->second;
  };
  const auto refuse = [&](ErrorKind kind, size_t i, std::string_view what) {
    throw Error(kind, absl::StrCat("[", name_, "] the state of parameter ", i, " ", what,
                                   "; it must come from an optimizer of this kind with the same "
                                   "parameters; load it into such a one"));
  };
  for (size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots[i];
    const Tensor step = find(i, "step");
    if (!step.defined()) refuse(ErrorKind::kInvalidArgument, i, "has no step");
    if (step.numel() != 1 || step.dtype() != DType::kI64 || Item(step) < 0) {
      refuse(ErrorKind::kInvalidArgument, i, "has a step that is no count");
    }
    slot.steps = static_cast<int64_t>(Item(step));
    for (size_t k = 0; k < memory_names_.size(); ++k) {
      const Tensor memory = find(i, memory_names_[k]);
      if (memory.defined()) {
        if (memory.sizes() != slot.parameter.sizes()) {
          refuse(ErrorKind::kShape, i, "has another shape");
        }
        if (memory.dtype() != slot.parameter.dtype()) {
          refuse(ErrorKind::kDType, i, "has another type");
        }
        if (memory.device() != slot.parameter.device()) {
          refuse(ErrorKind::kDevice, i, "is on another device");
        }
      }
      slot.memory[k] = memory.defined() ? Clone(memory) : Tensor();
    }
  }
  if (used != state.size()) {
    refuse(ErrorKind::kInvalidArgument, slots.size(), "is there, but no such parameter");
  }
  slots_ = std::move(slots);
}

}  // namespace twingrad
