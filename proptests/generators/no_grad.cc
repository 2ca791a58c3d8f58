#include "proptests/generators/no_grad.h"

#include <cstdint>

#include "proptests/generators/in_place.h"
#include "proptests/generators/operation.h"
#include "proptests/generators/view.h"

namespace twingrad::generators {

void AddNoGrad(Draft& draft) {
  Source& source = draft.source();
  if (draft.options().Has(Opcode::kDetach) && source.Chance(45)) {
    const ValueId x = draft.PickDifferentiable();
    if (x == kNoValue) return;
    const ValueId detached = draft.Op(Opcode::kDetach, {x});
    // In the product with the value itself, the derivative ignores the detached factor.
    if (detached != kNoValue && source.Chance(60)) Combine(draft, x, detached);
    return;
  }
  draft.BeginNoGrad();
  for (int64_t i = source.Between(1, 2); i > 0 && draft.HasRoom(2); --i) {
    const ValueId x = draft.PickDifferentiable();
    if (x == kNoValue) break;
    const bool write = draft.options().Has(Feature::kInPlace) && source.Chance(35);
    if (write && draft.MayWrite(x)) {
      ApplyInPlace(draft, x);
    } else if (draft.options().Has(Feature::kView) && source.Chance(25)) {
      ApplyView(draft, x);
    } else {
      ApplyOp(draft, x);
    }
  }
  draft.EndNoGrad();
}

}  // namespace twingrad::generators
