#include "proptests/generators/several_roots.h"

#include <cstdint>

#include "proptests/generators/root.h"

namespace twingrad::generators {

void AddRoots(Draft& draft, Draft::Call* call) {
  Source& source = draft.source();
  for (int64_t i = source.Between(1, 2); i > 0; --i) {
    const ValueId above = call->roots.front();
    const ValueId root = source.Chance(12) ? above : draft.Pick([&](ValueId v) {
      return v != above && draft.IsFloating(v) && draft.RequiresGrad(v) && !draft.IsBroken({v});
    });
    if (root == kNoValue) return;
    const bool implicit = draft.NumElements(root) == 1 && !source.Chance(30);
    const ValueId seed = implicit ? kNoValue : MakeSeed(draft, root);
    call->seeds.resize(call->roots.size(), kNoValue);
    call->roots.push_back(root);
    call->seeds.push_back(seed);
  }
}

}  // namespace twingrad::generators
