// Optimizer: what all optimizers share: groups of parameters, their gradients,
// and state by name.
//
//   Sgd optimizer({w, b}, {.learning_rate = 0.1});
//   optimizer.ZeroGrad();  Backward({loss});  optimizer.Step();
//   NamedTensors saved = optimizer.State();  // to be loaded into one of the kind
//
// A group is a list of parameters with options of its own. Parameters are
// leaves of f32 or f64 that require grad, each in one group only. Errors:
// kUndefined, kInvalidArgument for options and parameters that do not fit,
// kShape, kDType or kDevice for state of other tensors.
//
// Threads: an optimizer and its parameters are one thread's at a time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/tensor/named_tensors.h"
#include "autograd/tensor/tensor.h"

namespace twingrad {

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Moves each parameter that has a gradient, in place and without grad mode.
  // Gradients stay; a sparse one counts as its dense form. If it throws, the parameters before the
  // refused one have moved.
  void Step();
  // Drops the gradients; with `to_zeros` they are kept and set to 0 in place.
  void ZeroGrad(bool to_zeros = false);

  // In the order of the groups.
  std::vector<Tensor> Parameters() const;

  // Copies of all that the next steps depend on but parameters, gradients and
  // options. Parameter i of Parameters() has the names "i.step", "i.momentum"
  // and so on.
  NamedTensors State() const;
  // Replaces the state; all or nothing.
  void LoadState(const NamedTensors& state);

 protected:
  // A parameter with its group and its state.
  struct Slot {
    Tensor parameter;
    size_t group = 0;
    int64_t steps = 0;
    std::vector<Tensor> memory;  // one for each memory name; undefined before its first step
  };

  // `memory_names`: of the tensors kept for each parameter.
  Optimizer(std::string_view name, std::vector<std::string_view> memory_names)
      : name_(name), memory_names_(std::move(memory_names)) {}

  // Adds a group after those that there are; all or nothing.
  void AddParameters(const std::vector<Tensor>& parameters);
  // One step of a parameter whose steps are already counted; `gradient` has no
  // history.
  virtual void Update(Slot& slot, const Tensor& gradient) = 0;

  // parameter -= rate * direction, in place, in one pass where both are plain.
  static void Descend(Tensor& parameter, double rate, const Tensor& direction);

  // Throws Error(kInvalidArgument) naming the option unless `fits`.
  void CheckOption(bool fits, std::string_view option, double value,
                   std::string_view allowed) const;

 private:
  const std::string_view name_;
  const std::vector<std::string_view> memory_names_;
  std::vector<Slot> slots_;
  size_t groups_ = 0;
};

// Parameters with options of their own.
template <class Options>
struct ParameterGroup {
  std::vector<Tensor> parameters;
  Options options;
};

}  // namespace twingrad
