// ViewOrigin: what was so when a view was made, and forbids writes that the graph could not follow.
//
//   if (origin != ViewOrigin::kDefault) RefuseWrite(origin);

#pragma once

#include <cstdint>

namespace twingrad {

enum class ViewOrigin : uint8_t {
  kDefault,
  kNoGrad,          // made without grad mode
  kInferenceMode,   // made in inference mode
  kMultiOutput,     // one of several results of a node
  kCustomFunction,  // a custom function's result, or its operand returned as it is
};

// Whether the view may get a new node after its base was written: for those from functions of the
// user that node would go past the function's own backward.
constexpr bool IsRenewable(ViewOrigin origin) {
  return origin != ViewOrigin::kMultiOutput && origin != ViewOrigin::kCustomFunction;
}

// Throw Error(kInvalidArgument) that says why: a view of this origin, not kDefault, is written in
// grad mode; the base of one that is not renewable was written, and its edge is needed now.
[[noreturn]] void RefuseWrite(ViewOrigin origin);
[[noreturn]] void RefuseRenewal(ViewOrigin origin);

}  // namespace twingrad
