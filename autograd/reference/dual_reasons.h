// The reasons for which the dual numbers do not judge a Program, as classes that summaries count.
//
//   DualReason("a region of kind=try")    // its number; kDualReasons has the words
//
// Constant data; pure functions.

#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace twingrad::reference {

inline constexpr std::string_view kEndsInError = "it, or a part of it, ends in an error";
inline constexpr std::string_view kHasNoCall = "it has no call";

// Each is how texts of DualResult::not_applicable begin.
inline constexpr std::array<std::string_view, 26> kDualReasons = {
    kEndsInError,
    kHasNoCall,
    "a custom function whose backward is no derivative",
    "a gradient that is not known is used",
    "a gradient that is not known is read",
    "a hook changes gradients of second order",
    "a hook changes the gradient of a value that shares its storage",
    "a hook changes the gradients of later calls alone",
    "a hook that changes gradients may be removed",
    "a hook that changes gradients is removed after a call",
    "a hook that is not linear, or on a node",
    "a hook that runs backward",
    "a region of kind=",
    "a reshape that copies, of a value that is written in place",
    "a write to what a reshape has copied, or to the copy",
    "derivatives of third or higher order",
    "saved-tensor hooks with do=",
    "a seed does not fit",
    "an undefined gradient is an operand",
    "an integer that rounding decides is an exponent or an index",
    "an integer power with a negative exponent",
    "an index out of range",
    "hooks on what is captured",
    "a product of more than 64 factors",
    "too many derivatives",
    "too large",
};
inline constexpr size_t kNumDualReasons = kDualReasons.size();

// kNumDualReasons for a text that is none of them.
constexpr size_t DualReason(std::string_view not_applicable) {
  for (size_t i = 0; i < kNumDualReasons; ++i) {
    if (not_applicable.substr(0, kDualReasons[i].size()) == kDualReasons[i]) return i;
  }
  return kNumDualReasons;
}

}  // namespace twingrad::reference
