// HookEffect: what a hook of a Program does with a gradient, by the word of its do=.
//
//   HookEffect effect{HookAction::kScale, 2, x.dtype(), x.device()};
//   Tensor replaced = effect(gradient);          // gradient * 2, with history in grad mode
//
// An undefined gradient is passed on by record and scale. Copyable; any thread.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "autograd/base/device.h"
#include "autograd/base/dtype.h"
#include "autograd/tensor/tensor.h"

namespace twingrad::runner {

enum class HookAction : uint8_t {
  kRecord,
  kScale,
  kUndefined,
  kThrow,       // Error(kUser)
  kWrongShape,  // a shape that no gradient here has
  kWrongDType,
};

// All others pass the gradient on like record: see hook_actor.h.
// Nothing for a word that no hook has.
std::optional<HookAction> HookActionOf(std::string_view word);

struct HookEffect {
  HookAction action = HookAction::kRecord;
  double by = 1;
  DType dtype = DType::kF64;  // of the hooked value
  Device device;

  Tensor operator()(const Tensor& gradient) const;
};

}  // namespace twingrad::runner
