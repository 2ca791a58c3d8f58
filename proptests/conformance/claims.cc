#include "proptests/conformance/claims.h"

#include <cstddef>

#include "autograd/program/opcode.h"

namespace twingrad::conformance {

using generators::Feature;
using twingrad::program::Opcode;

void KeepClaimed(const protocol::Hello& hello, generators::GeneratorOptions* options) {
  for (size_t i = 0; i < options->ops.size(); ++i) {
    if (!hello.Has(static_cast<Opcode>(i))) options->ops.reset(i);
  }
  // Without all element types: f64 alone.
  if (hello.dtypes.size() < 4) options->features.reset(static_cast<size_t>(Feature::kNumbers));
  // The generator makes hooks of all kinds or of none.
  for (Opcode op :
       {Opcode::kPreHook, Opcode::kPostHook, Opcode::kAccumulateHook, Opcode::kRemoveHook}) {
    if (!hello.Has(op)) options->ops.reset(static_cast<size_t>(Opcode::kHook));
  }
  options->devices = hello.devices;
  options->backward = hello.Has(Opcode::kBackward);
  options->grad = hello.Has(Opcode::kGrad);
  // The feature also makes retain_grad, so it stays where that alone is claimed.
  if (!hello.Has(Opcode::kHook) && !hello.Has(Opcode::kRetainGrad)) {
    options->features.reset(static_cast<size_t>(Feature::kHook));
  }
  if (hello.devices == 0) options->features.reset(static_cast<size_t>(Feature::kDevices));
}

}  // namespace twingrad::conformance
