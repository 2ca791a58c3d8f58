// The reasons for which the dual numbers do not judge a Program, as classes that summaries count.
//
//   DualReason("too large")    // its number; kDualReasons has the words
//
// Constant data; pure functions.

#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace twingrad::reference {

inline constexpr std::string_view kEndsInError = "it, or a part of it, ends in an error";
inline constexpr std::string_view kAllDisturbed = "all its gradients hang on what is not followed";

// Each is how texts of DualResult::not_applicable begin.
inline constexpr std::array<std::string_view, 18> kDualReasons = {
    kEndsInError,
    kAllDisturbed,
    "a reshape that copies, of a value that is written in place",
    "a write to what a reshape has copied, or to the copy",
    "derivatives of third or higher order",
    "a seed does not fit",
    "an undefined gradient is an operand",
    "an integer that rounding decides is an exponent or an index",
    "an operand outside the domain of its op",
    "rounding decides whether an operand is in the domain of its op",
    "an index out of range",
    "a mask with another number of true elements than it says",
    "hooks on what is captured",
    "a product of more than 64 factors",
    "a thread section adds or removes a hook that makes .grad undefined",
    "a write that fails, of what is seen without a history",
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
