#include "proptests/generators/fan_out.h"

#include "proptests/generators/operation.h"

namespace twingrad::generators {

void AddFanOut(Draft& draft) {
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue) return;
  const int64_t width = draft.source().Between(2, 5);
  ValueId joined = kNoValue;
  for (int64_t i = 0; i < width && draft.HasRoom(); ++i) {
    const ValueId consumer = ApplyOp(draft, x);
    if (consumer == x) continue;
    const ValueId sum = joined == kNoValue ? consumer : Combine(draft, joined, consumer);
    if (sum != kNoValue) joined = sum;
  }
}

}  // namespace twingrad::generators
