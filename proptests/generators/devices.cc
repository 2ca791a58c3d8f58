#include "proptests/generators/devices.h"

#include <cstdint>

#include "proptests/generators/operation.h"

namespace twingrad::generators {

void AddDevices(Draft& draft) {
  Source& source = draft.source();
  const ValueId x = draft.PickDifferentiable();
  if (x == kNoValue || !draft.options().Has(Opcode::kTo)) return;
  const DeviceIndex home = draft.DeviceOf(x);
  const int64_t width = source.Between(1, 3);
  ValueId joined = kNoValue;
  for (int64_t i = 0; i < width && draft.HasRoom(); ++i) {
    const int64_t device = source.Between(-1, draft.options().devices - 1);
    ValueId there = draft.Op(Opcode::kTo, {x}, {{Key::kDevice, device}});
    if (there == kNoValue) return;
    if (source.Chance(70)) there = ApplyOp(draft, there);
    if (width == 1) return;
    const ValueId back = draft.DeviceOf(there) == home
                             ? there
                             : draft.Op(Opcode::kTo, {there}, {{Key::kDevice, int64_t{home}}});
    if (back == kNoValue) return;
    const ValueId sum = joined == kNoValue ? back : Combine(draft, joined, back);
    if (sum != kNoValue) joined = sum;
  }
}

}  // namespace twingrad::generators
