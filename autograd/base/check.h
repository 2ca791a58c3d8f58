// AG_CHECK and AG_DCHECK: for programmer errors only, never for what an input can cause.
//
//   AG_CHECK(slot < slots.size(), "[engine] slot ", slot, " of ", slots.size());
//
// A failed check prints the message, the condition and the place to standard error, then aborts.
// AG_DCHECK compiles to nothing under NDEBUG; its arguments are still type-checked.
#pragma once

#include <string_view>

#include "absl/strings/str_cat.h"

namespace twingrad {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              std::string_view message);

}  // namespace twingrad

#define AG_CHECK(condition, ...)                                                          \
  do {                                                                                    \
    if (!(condition)) [[unlikely]] {                                                      \
      ::twingrad::CheckFailed(__FILE__, __LINE__, #condition, absl::StrCat(__VA_ARGS__)); \
    }                                                                                     \
  } while (false)

#if defined(NDEBUG)
#define AG_DCHECK(condition, ...)                \
  do {                                           \
    if (false) AG_CHECK(condition, __VA_ARGS__); \
  } while (false)
#else
#define AG_DCHECK(condition, ...) AG_CHECK(condition, __VA_ARGS__)
#endif
