#include "proptests/generators/fan_out.h"

#include <cstdint>

#include "proptests/generators/operation.h"

namespace twingrad::generators {

void AddFanOut(Draft& draft) {
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue) return;
  // Wide ones are rare: more than five contributions to one slot.
  const bool wide = draft.source().Chance(8);
  const int64_t width = wide ? draft.source().Between(6, 9) : draft.source().Between(2, 5);
  ValueId joined = kNoValue;
  for (int64_t i = 0; i < width && draft.HasRoom(); ++i) {
    const ValueId consumer = ApplyOp(draft, x);
    if (consumer == x) continue;
    const ValueId sum = joined == kNoValue ? consumer : Combine(draft, joined, consumer);
    if (sum != kNoValue) joined = sum;
  }
}

}  // namespace twingrad::generators
