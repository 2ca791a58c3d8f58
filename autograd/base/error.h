// Error: what every part of the engine throws when an input, not a programmer, is at fault.
//
// A kind that callers can act on and a message of the form
// `[part] what is wrong with the actual values; what is allowed; what to do`.
// Lives beside Tensor because tensors are the lowest layer that throws; graph/error.h forwards to
// it.

#ifndef AUTOGRAD_BASE_ERROR_H_
#define AUTOGRAD_BASE_ERROR_H_

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace twingrad {

// The classes of program::ErrorClass, under the same names.
enum class ErrorKind : uint8_t {
  kInvalidArgument,
  kShape,
  kDType,
  kDevice,
  kDomain,
  kIndex,
  kUndefined,
  kNoGraph,
  kGradCount,
  kImplicitSeed,
  kUnusedInput,
  kVersion,
  kFreed,
  kLeafInPlace,
  kHook,
  kUser,
  kUnsupported,
  kInternal,
};

// The enumerator without its k, e.g. "Shape".
std::string_view ErrorKindName(ErrorKind kind);

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace twingrad

#endif  // AUTOGRAD_BASE_ERROR_H_
