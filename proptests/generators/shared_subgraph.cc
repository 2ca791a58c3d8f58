#include "proptests/generators/shared_subgraph.h"

#include "proptests/generators/operation.h"

namespace twingrad::generators {

void AddSharedSubgraph(Draft& draft) {
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue) return;
  const ValueId shared = ApplyOp(draft, x);
  ApplyOp(draft, shared);
  if (draft.HasRoom()) ApplyOp(draft, shared);
}

}  // namespace twingrad::generators
