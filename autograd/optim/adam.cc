#include "autograd/optim/adam.h"

#include <cmath>

#include "autograd/base/check.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"

namespace twingrad {

Adam::Adam(const std::vector<Tensor>& parameters, const AdamOptions& options)
    : Adam(std::vector<Group>{{parameters, options}}) {}

Adam::Adam(std::string_view name, const std::vector<Group>& groups, bool decoupled)
    : Optimizer(name, {"mean", "square"}), decoupled_(decoupled) {
  for (const Group& group : groups) AddGroup(group);
}

void Adam::AddGroup(const Group& group) {
  Check(group.options);
  AddParameters(group.parameters);
  options_.push_back(group.options);
}

void Adam::SetOptions(const AdamOptions& options, size_t i) {
  AG_CHECK(i < options_.size(), "[adam] group ", i, " of ", options_.size());
  Check(options);
  options_[i] = options;
}

void Adam::Check(const AdamOptions& o) const {
  const auto check = [&](const char* name, double value) {
    CheckOption(std::isfinite(value) && value >= 0, name, value, "a finite number of 0 or more");
  };
  check("learning_rate", o.learning_rate);
  check("epsilon", o.epsilon);
  check("weight_decay", o.weight_decay);
  CheckOption(o.beta1 >= 0 && o.beta1 < 1, "beta1", o.beta1, "0 or more, below 1");
  CheckOption(o.beta2 >= 0 && o.beta2 < 1, "beta2", o.beta2, "0 or more, below 1");
}

void Adam::Update(Slot& slot, const Tensor& gradient) {
  const AdamOptions& o = options_[slot.group];
  Tensor direction = gradient;
  if (o.weight_decay != 0 && !decoupled_) {
    direction = direction + o.weight_decay * slot.parameter;
  }
  Tensor& mean = slot.memory[0];
  Tensor& square = slot.memory[1];
  for (Tensor* moment : {&mean, &square}) {
    if (!moment->defined()) {
      *moment = Tensor::Zeros(direction.sizes(), direction.dtype(), direction.device());
    }
  }
  mean *= o.beta1;
  mean += (1 - o.beta1) * direction;
  square *= o.beta2;
  square += (1 - o.beta2) * (direction * direction);
  const double t = static_cast<double>(slot.steps);
  const Tensor unbiased_mean = mean / (1 - std::pow(o.beta1, t));
  const Tensor unbiased_square = square / (1 - std::pow(o.beta2, t));
  Tensor change = o.learning_rate * unbiased_mean / (Sqrt(unbiased_square) + o.epsilon);
  if (decoupled_) change += (o.learning_rate * o.weight_decay) * slot.parameter;
  Descend(slot.parameter, 1, change);
}

}  // namespace twingrad
