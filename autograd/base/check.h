// AG_CHECK and AG_DCHECK: for programmer errors only, never for what an input can cause.
//
//   AG_CHECK(slot < slots.size(), "[engine] slot ", slot, " of ", slots.size());
//
// A failed check prints the message, the condition and the place to standard error, then aborts.
// AG_DCHECK compiles to nothing under NDEBUG; its arguments are still type-checked.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace twingrad {

// A part of the message: text or a number.
class CheckPart {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  CheckPart(std::string_view text) : text_(text) {}
  CheckPart(const char* text) : text_(text) {}
  CheckPart(const std::string& text) : text_(text) {}
  template <std::integral T>
  CheckPart(T number) : text_(std::to_string(number)) {}
  CheckPart(double number) : text_(std::to_string(number)) {}
  // NOLINTEND(google-explicit-constructor)

  std::string_view text() const { return text_; }

 private:
  std::string text_;
};

std::string CheckText(std::initializer_list<CheckPart> parts);

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              std::string_view message);

}  // namespace twingrad

#define AG_CHECK(condition, ...)                                     \
  do {                                                               \
    if (!(condition)) [[unlikely]] {                                 \
      ::twingrad::CheckFailed(__FILE__, __LINE__, #condition,        \
                              ::twingrad::CheckText({__VA_ARGS__})); \
    }                                                                \
  } while (false)

#if defined(NDEBUG)
#define AG_DCHECK(condition, ...)                \
  do {                                           \
    if (false) AG_CHECK(condition, __VA_ARGS__); \
  } while (false)
#else
#define AG_DCHECK(condition, ...) AG_CHECK(condition, __VA_ARGS__)
#endif
