// Error: what every part of the engine throws when an input, not a programmer, is at fault.
//
// It carries a kind that callers can act on and a message of the form
// `[part] what is wrong with the actual values; what is allowed; what to do`.
// The kinds are also what a Program expects and what an Observation records, so the engine, the
// twin, the oracles and the adapters of foreign engines all name errors with this one list.

#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "autograd/base/words.h"

namespace twingrad {

enum class ErrorKind : uint8_t {
  kInvalidArgument,  // an argument out of range, an empty list of inputs
  kShape,            // shapes do not fit
  kDType,            // element types do not fit
  kDevice,           // operands on different devices
  kDomain,           // integer pow with a negative exponent, the inverse of a singular matrix
  kIndex,            // index out of range
  kUndefined,        // an undefined gradient is used as an operand
  kNoGraph,          // a root or input that does not require grad
  kGradCount,        // the number of seeds differs from the number of roots
  kImplicitSeed,     // implicit seed of a root that is not one floating-point element
  kUnusedInput,      // grad() of an unused input without allow_unused
  kVersion,          // a saved variable was modified in place
  kFreed,            // backward a second time without retain_graph
  kLeafInPlace,      // in-place write to a leaf that requires grad, or to a view of one
  kHook,             // a hook's result does not fit
  kUser,             // thrown by a hook or custom function of the user
  kUnsupported,      // the engine cannot run this statement: skipped, never passed
  kInternal,         // anything else: always a finding
  kAnomaly,          // anomaly mode: a node returned NaN
};
inline constexpr int kNumErrorKinds = static_cast<int>(ErrorKind::kAnomaly) + 1;

// The words in the text of Programs, in the order of ErrorKind.
inline constexpr std::string_view kErrorKindWords =
    "invalid_argument shape dtype device domain index undefined no_graph grad_count implicit_seed "
    "unused_input version freed leaf_in_place hook user unsupported internal anomaly";
inline constexpr auto kErrorKindNames = SplitWords<kNumErrorKinds>(kErrorKindWords);

// The word, e.g. leaf_in_place.
constexpr std::string_view ErrorKindName(ErrorKind kind) {
  return kErrorKindNames[static_cast<int>(kind)];
}

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace twingrad
