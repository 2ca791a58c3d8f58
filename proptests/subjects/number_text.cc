#include "proptests/subjects/number_text.h"

#include "absl/strings/str_cat.h"

namespace twingrad::subjects {

std::string WithSeparators(uint64_t number) {
  const std::string digits = absl::StrCat(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

}  // namespace twingrad::subjects
