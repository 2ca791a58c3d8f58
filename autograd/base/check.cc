// The cold half of AG_CHECK: prints and aborts.
#include "autograd/base/check.h"

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

namespace twingrad {

std::string CheckText(std::initializer_list<CheckPart> parts) {
  std::string text;
  for (const CheckPart& part : parts) text += part.text();
  return text;
}

void CheckFailed(const char* file, int line, const char* condition, std::string_view message) {
  std::fprintf(stderr, "%.*s\n  check failed: %s\n  at %s:%d\n", static_cast<int>(message.size()),
               message.data(), condition, file, line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace twingrad
