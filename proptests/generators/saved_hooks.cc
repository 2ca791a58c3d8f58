// Regions of saved-tensor hooks.

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/program/region.h"
#include "proptests/generators/operation.h"
#include "proptests/generators/parts.h"
#include "proptests/generators/rearrange.h"

namespace twingrad::generators {
namespace {

// A custom function that saves its operand or its result, which it may write in place.
ValueId ApplyCustom(Draft& draft, ValueId x) {
  Source& source = draft.source();
  const bool exp = draft.rounding() && draft[x].range.high <= 4;
  const Attributes action = {{Key::kDo, std::string(exp ? "exp" : "square")}};
  if (exp && source.Chance(40) && draft.options().Has(Opcode::kCustomInPlace)) {
    const ValueId copy = draft.Op(Opcode::kClone, {x});
    if (copy != kNoValue && draft.MayWrite(copy) && draft.CustomWrite(copy, action)) {
      draft.Mark(Feature::kCustom);
    }
    return OrSelf(copy, x);
  }
  const std::vector<ValueId> results = draft.Custom({x}, action);
  if (!results.empty()) draft.Mark(Feature::kCustom);
  return results.empty() ? x : results[0];
}

// An op that, most times, saves something.
ValueId ApplySaving(Draft& draft, ValueId x) {
  const bool custom = draft.options().Has(Feature::kCustom) && draft.options().Has(Opcode::kCustom);
  if (custom && draft.source().Chance(12)) return ApplyCustom(draft, x);
  switch (draft.source().Below(11)) {
    case 0:
    case 1:
    case 2:
      return ApplyUnary(draft, x);
    case 3:
      return ApplyMatmul(draft, x);
    case 4:
      return ApplyWhere(draft, x);
    case 5:
      return ApplyRearrange(draft, x);
    case 6:
      return ApplyFold(draft, x);
    case 7:
      return ApplyLoss(draft, x);
    default:
      return ApplyBinary(draft, x);
  }
}

// What the statement defines is undefined if the hook runs.
void AddThrowing(Draft& draft, ValueId x) {
  const int before = draft.num_values();
  if (!draft.Begin(twingrad::program::RegionKind::kTry)) return;
  if (draft.BeginSavedHooks("throw", 1)) {
    ApplySaving(draft, x);
    draft.EndSavedHooks();
  }
  draft.Add(Opcode::kEnd, {});
  draft.Forget(before);
}

}  // namespace

void AddSavedHooks(Draft& draft) {
  Source& source = draft.source();
  ValueId x = draft.PickDifferentiable();
  if (x == kNoValue) return;
  if (source.Chance(31)) return AddThrowing(draft, x);
  const std::string action = source.Chance(51) ? "record" : "scale";
  if (!draft.BeginSavedHooks(action, source.Pick({2.0, -1.0, 0.5, 3.0, 0.0}))) return;
  const auto apply = [&] { x = ApplySaving(draft, x); };
  apply();
  if (source.Chance(20) && draft.BeginSavedHooks("record", 1)) {
    x = ApplySaving(draft, x);
    draft.EndSavedHooks();
  }
  for (int64_t more = source.Between(0, 2); more > 0; --more) apply();
  if (source.Chance(20) && draft.MayWrite(x)) draft.Write(Opcode::kNegInPlace, {x});
  draft.EndSavedHooks();
}

}  // namespace twingrad::generators
