#include "proptests/generators/chain.h"

#include <cstdint>

#include "proptests/generators/operation.h"

namespace twingrad::generators {

void AddChain(Draft& draft) {
  ValueId x = draft.PickDifferentiable();
  for (int64_t i = draft.source().Between(2, 4); i > 0 && x != kNoValue && draft.HasRoom(); --i) {
    x = ApplyOp(draft, x);
  }
}

}  // namespace twingrad::generators
