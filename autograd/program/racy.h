// Whether the outcome of a valid Program can depend on timing even if the engine is correct.

#pragma once

#include "autograd/program/program.h"

namespace twingrad::program {

// True when a hook acts (do=register, remove or backward) on a value whose node is unordered with
// the hook's own, that is, no gradient surely flows from one to the other; when two that are
// unordered act on one value; when a custom function's backward acts so; or when two concurrent
// thread sections both call the engine or touch hooks or .grad of values that belong to neither.
// do=backward acts on all that the value is computed from, and on what the hooks there act on.
// `program` must be valid.
bool IsRacy(const Program& program);

}  // namespace twingrad::program
