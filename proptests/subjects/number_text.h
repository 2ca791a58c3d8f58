// Numbers as the lines of a summary show them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace twingrad::subjects {

// 12,345 with separators of thousands.
inline std::string WithSeparators(uint64_t number) {
  std::string text = absl::StrCat(number);
  for (size_t place = text.size(); place > 3; text.insert(place, ",")) place -= 3;
  return text;
}

}  // namespace twingrad::subjects
