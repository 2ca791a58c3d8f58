#include "autograd/optim/sgd.h"

#include <cmath>

#include "autograd/base/check.h"
#include "autograd/notation/functions.h"
#include "autograd/notation/operators.h"

namespace twingrad {

Sgd::Sgd(const std::vector<Tensor>& parameters, const SgdOptions& options)
    : Sgd(std::vector<Group>{{parameters, options}}) {}

Sgd::Sgd(const std::vector<Group>& groups) : Optimizer("sgd", {"momentum"}) {
  for (const Group& group : groups) AddGroup(group);
}

void Sgd::AddGroup(const Group& group) {
  Check(group.options);
  AddParameters(group.parameters);
  options_.push_back(group.options);
}

void Sgd::SetOptions(const SgdOptions& options, size_t i) {
  AG_CHECK(i < options_.size(), "[sgd] group ", i, " of ", options_.size());
  Check(options);
  options_[i] = options;
}

void Sgd::Check(const SgdOptions& o) const {
  const auto check = [&](const char* name, double value) {
    CheckOption(std::isfinite(value) && value >= 0, name, value, "a finite number of 0 or more");
  };
  check("learning_rate", o.learning_rate);
  check("momentum", o.momentum);
  check("weight_decay", o.weight_decay);
  CheckOption(std::isfinite(o.dampening), "dampening", o.dampening, "a finite number");
  CheckOption(!o.nesterov || o.momentum > 0, "nesterov with momentum", o.momentum,
              "one above 0 there");
  CheckOption(!o.nesterov || o.dampening == 0, "nesterov with dampening", o.dampening, "0 there");
}

void Sgd::Update(Slot& slot, const Tensor& gradient) {
  const SgdOptions& o = options_[slot.group];
  Tensor direction = gradient;
  if (o.weight_decay != 0) direction = direction + o.weight_decay * slot.parameter;
  if (o.momentum != 0) {
    Tensor& velocity = slot.memory[0];
    if (!velocity.defined()) {
      velocity = Clone(direction);
    } else {
      velocity *= o.momentum;
      velocity += (1 - o.dampening) * direction;
    }
    direction = o.nesterov ? direction + o.momentum * velocity : velocity;
  }
  Descend(slot.parameter, o.learning_rate, direction);
}

}  // namespace twingrad
