#include "proptests/generators/root.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "proptests/generators/leaf.h"

namespace twingrad::generators {

ValueId PickRoot(Draft& draft) {
  absl::InlinedVector<ValueId, 32> candidates;
  for (ValueId v = 0; v < draft.num_values(); ++v) {
    const bool tops = draft[v].usable && draft.IsFloating(v) && draft.RequiresGrad(v);
    if (tops && !draft.IsBroken({v})) candidates.push_back(v);
  }
  if (candidates.empty()) return kNoValue;
  Source& source = draft.source();
  if (source.Chance(20)) return candidates[source.Below(candidates.size())];
  // Of the latest three, the one that depends on the most nodes.
  ValueId best = candidates.back();
  int64_t most = -1;
  for (size_t i = candidates.size(); i > 0 && i + 3 > candidates.size(); --i) {
    const std::vector<uint8_t> reached = draft.graph().Reached({draft.NodeOf(candidates[i - 1])});
    const int64_t nodes = std::count(reached.begin(), reached.end(), 1);
    if (nodes > most) best = candidates[i - 1];
    most = std::max(most, nodes);
  }
  return best;
}

ValueId MakeSeed(Draft& draft, ValueId root, bool grad) {
  return MakeLeaf(draft, {.dtype = draft.DTypeOf(root),
                          .shape = draft.ShapeOf(root),
                          .device = draft.DeviceOf(root),
                          .grad = grad,
                          .content = Content::kSmall});
}

absl::InlinedVector<ValueId, 2> PickInputs(Draft& draft) {
  Source& source = draft.source();
  absl::InlinedVector<ValueId, 32> leaves;
  absl::InlinedVector<ValueId, 32> results;
  for (ValueId v = 0; v < draft.num_values(); ++v) {
    if (!draft[v].usable || !draft.IsFloating(v) || !draft.RequiresGrad(v)) continue;
    if (draft[v].is_gradient && !source.Chance(20)) continue;
    (draft[v].leaf ? leaves : results).push_back(v);
  }
  absl::InlinedVector<ValueId, 2> inputs;
  for (int64_t i = source.Between(1, 3); i > 0; --i) {
    const auto& from =
        results.empty() || (!leaves.empty() && !source.Chance(30)) ? leaves : results;
    if (from.empty()) break;
    const ValueId input = from[source.Below(from.size())];
    const bool repeated = std::find(inputs.begin(), inputs.end(), input) != inputs.end();
    if (!repeated || source.Chance(15)) inputs.push_back(input);
  }
  return inputs;
}

void MakeGrad(Draft& draft, Draft::Call* call) {
  if (call->inputs.empty()) call->inputs = PickInputs(draft);
  call->grad = !call->inputs.empty();
  for (ValueId input : call->inputs) {
    if (!draft.Gradient(*call, input).reached) call->allow_unused = true;
  }
}

}  // namespace twingrad::generators
