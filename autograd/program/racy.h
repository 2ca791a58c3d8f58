// Whether the outcome of a valid Program can depend on timing even if the engine is correct.

#pragma once

#include "autograd/program/program.h"

namespace twingrad::program {

// True when a hook acts (do=register, remove or backward) on a value whose node is unordered with
// the hook's own, that is, no gradient surely flows from one to the other; when two that are
// unordered act on one value; when a custom function's backward acts so; or when of two thread
// sections that run at the same time
// - one adds or removes a hook of a value from before them while the other calls the engine or does
//   the same, or
// - both call the engine over a value computed before them and one of the calls releases its graph,
//   or the Program has hooks or custom functions that act on others, or
// - both call the engine over a leaf with a hook after accumulation, which reads its .grad and may
//   make it undefined.
// Calls that only add to the same .grad are not racy: the sum is the same but for its rounding.
// do=backward acts on all that the value is computed from, and on what the hooks there act on.
// `program` must be valid.
bool IsRacy(const Program& program);

}  // namespace twingrad::program
