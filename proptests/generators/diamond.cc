#include "proptests/generators/diamond.h"

#include <cstdint>

#include "proptests/generators/operation.h"

namespace twingrad::generators {

void AddDiamond(Draft& draft) {
  ValueId x = draft.PickDifferentiable();
  for (int64_t i = draft.source().Between(1, 2); i > 0 && x != kNoValue && draft.HasRoom(); --i) {
    const ValueId left = ApplyOp(draft, x);
    // The other side is often the value itself: a path of length 0.
    const ValueId right = draft.source().Chance(40) ? x : ApplyOp(draft, x);
    const ValueId tip = Combine(draft, left, right);
    if (tip == kNoValue) return;
    x = tip;
  }
}

}  // namespace twingrad::generators
