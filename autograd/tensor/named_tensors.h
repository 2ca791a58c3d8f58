// NamedTensors: tensors by name, in the order of the names: what is saved to
// files, and the state of optimizers.
//
//   NamedTensors model = {{"weight", w}, {"bias", b}};

#pragma once

#include <map>
#include <string>

#include "autograd/tensor/tensor.h"

namespace twingrad {

using NamedTensors = std::map<std::string, Tensor>;

}  // namespace twingrad
