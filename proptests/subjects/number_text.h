// Numbers as the lines of a summary show them, and times as people write them.

#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace twingrad::subjects {

// 12,345 with separators of thousands.
inline std::string WithSeparators(uint64_t number) {
  std::string text = absl::StrCat(number);
  for (size_t place = text.size(); place > 3; text.insert(place, ",")) place -= 3;
  return text;
}

// 90, 90s, 1.5m or 2h: more than 0, at most 1e9 seconds.
inline std::optional<std::chrono::nanoseconds> ReadDuration(std::string_view text) {
  double unit = 1;
  if (absl::ConsumeSuffix(&text, "h")) {
    unit = 3600;
  } else if (absl::ConsumeSuffix(&text, "m")) {
    unit = 60;
  } else {
    absl::ConsumeSuffix(&text, "s");
  }
  double number = 0;
  // The upper end keeps the product within 63 bits of nanoseconds.
  if (!absl::SimpleAtod(text, &number) || !(number > 0) || number * unit > 1e9) return std::nullopt;
  const std::chrono::nanoseconds duration(std::llround(number * unit * 1e9));
  if (duration.count() == 0) return std::nullopt;
  return duration;
}

}  // namespace twingrad::subjects
