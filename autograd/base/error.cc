// The words of error kinds. See error.h.

#include "autograd/base/error.h"

namespace twingrad {

std::string_view ErrorKindName(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidArgument:
      return "invalid_argument";
    case ErrorKind::kShape:
      return "shape";
    case ErrorKind::kDType:
      return "dtype";
    case ErrorKind::kDevice:
      return "device";
    case ErrorKind::kDomain:
      return "domain";
    case ErrorKind::kIndex:
      return "index";
    case ErrorKind::kUndefined:
      return "undefined";
    case ErrorKind::kNoGraph:
      return "no_graph";
    case ErrorKind::kGradCount:
      return "grad_count";
    case ErrorKind::kImplicitSeed:
      return "implicit_seed";
    case ErrorKind::kUnusedInput:
      return "unused_input";
    case ErrorKind::kVersion:
      return "version";
    case ErrorKind::kFreed:
      return "freed";
    case ErrorKind::kLeafInPlace:
      return "leaf_in_place";
    case ErrorKind::kHook:
      return "hook";
    case ErrorKind::kUser:
      return "user";
    case ErrorKind::kUnsupported:
      return "unsupported";
    case ErrorKind::kInternal:
      return "internal";
    case ErrorKind::kAnomaly:
      return "anomaly";
  }
  return "?";
}

}  // namespace twingrad
