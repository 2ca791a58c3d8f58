#include "proptests/generators/unused_input.h"

#include "proptests/generators/leaf.h"
#include "proptests/generators/operation.h"

namespace twingrad::generators {

void AddUnusedInput(Draft& draft) {
  // Later parts may still pick the leaf; most often they do not.
  const ValueId leaf = MakeLeaf(draft, {.grad = true});
  if (leaf != kNoValue && draft.source().Chance(30)) ApplyOp(draft, leaf);
}

}  // namespace twingrad::generators
