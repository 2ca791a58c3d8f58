#include "proptests/generators/ladder.h"

#include <cstdint>

#include "proptests/generators/operation.h"

namespace twingrad::generators {

void AddLadder(Draft& draft) {
  ValueId below = draft.PickDifferentiable();
  if (below == kNoValue) return;
  ValueId above = ApplyOp(draft, below);
  for (int64_t i = draft.source().Between(2, 3); i > 0 && draft.HasRoom(); --i) {
    const ValueId rung = Combine(draft, above, below);
    if (rung == kNoValue) return;
    below = above;
    above = rung;
  }
}

}  // namespace twingrad::generators
