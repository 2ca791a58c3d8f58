// The names of error kinds. See error.h.

#include "autograd/base/error.h"

namespace twingrad {

std::string_view ErrorKindName(ErrorKind kind) {
  constexpr std::string_view kNames[] = {
      "InvalidArgument", "Shape",       "DType",     "Device",       "Domain",      "Index",
      "Undefined",       "NoGraph",     "GradCount", "ImplicitSeed", "UnusedInput", "Version",
      "Freed",           "LeafInPlace", "Hook",      "User",         "Unsupported", "Internal"};
  static_assert(sizeof(kNames) / sizeof(kNames[0]) == static_cast<int>(ErrorKind::kInternal) + 1);
  return kNames[static_cast<int>(kind)];
}

}  // namespace twingrad
