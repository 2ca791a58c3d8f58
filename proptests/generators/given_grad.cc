// What the user does to `.grad` before a call adds to it.

#include <cstdint>
#include <utility>
#include <vector>

#include "proptests/generators/leaf.h"
#include "proptests/generators/parts.h"

namespace twingrad::generators {

void AddGivenGrad(Draft& draft) {
  Source& source = draft.source();
  const ValueId leaf =
      draft.Pick([&](ValueId v) { return draft[v].leaf && draft.RequiresGrad(v); });
  if (leaf == kNoValue) return;
  if (source.Chance(35) || !draft.options().Has(Opcode::kSetGrad)) {
    draft.Add(Opcode::kZeroGrad, {leaf});
    return;
  }
  Shape shape = draft.ShapeOf(leaf);
  const bool transposed = shape.size() >= 2 && draft.options().Has(Opcode::kTranspose) &&
                          draft.options().Has(Feature::kView) && source.Chance(75);
  if (transposed) std::swap(shape[0], shape[1]);
  ValueId grad = MakeLeaf(draft, {.dtype = draft.DTypeOf(leaf),
                                  .shape = shape,
                                  .device = draft.DeviceOf(leaf),
                                  .content = Content::kSmall});
  if (transposed && grad != kNoValue) {
    grad = draft.Op(Opcode::kTranspose, {grad}, {{Key::kDims, std::vector<int64_t>{0, 1}}});
    draft.Mark(Feature::kView);
  }
  if (grad != kNoValue) draft.Add(Opcode::kSetGrad, {leaf, grad});
}

}  // namespace twingrad::generators
