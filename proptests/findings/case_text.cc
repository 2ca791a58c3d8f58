#include "proptests/findings/case_text.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace twingrad::findings {
namespace {

constexpr std::string_view kSeed = "# seed ";
constexpr std::string_view kShrink = "# as found";
constexpr std::string_view kSingle = "# on one thread";
constexpr std::string_view kSchedule = "# twingrad-schedule ";

}  // namespace

Case SplitCase(std::string_view text) {
  Case parts;
  bool in_schedule = false;
  for (std::string_view line : absl::StrSplit(text, '\n')) {
    in_schedule = in_schedule || absl::StartsWith(line, kSchedule);
    uint64_t seed = 0;
    if (in_schedule || line.empty()) {
      if (absl::ConsumePrefix(&line, "# ")) absl::StrAppend(&parts.schedule, line, "\n");
    } else if (absl::StartsWith(line, kSeed) &&
               absl::SimpleAtoi(line.substr(kSeed.size()), &seed)) {
      parts.seed = seed;
    } else if (line == kShrink) {
      parts.shrink = true;
    } else if (line == kSingle) {
      parts.single = true;
    } else {
      absl::StrAppend(&parts.program, line, "\n");
    }
  }
  if (!parts.seed && !parts.shrink && !parts.single && parts.schedule.empty()) {
    return {std::string(text), {}, {}, {}, {}};
  }
  return parts;
}

std::string JoinCase(const Case& parts) {
  std::string text = parts.program;
  if (!text.empty() && text.back() != '\n') text += '\n';
  if (parts.seed) absl::StrAppend(&text, kSeed, *parts.seed, "\n");
  if (parts.shrink) absl::StrAppend(&text, kShrink, "\n");
  if (parts.single) absl::StrAppend(&text, kSingle, "\n");
  for (const std::string_view line : absl::StrSplit(parts.schedule, '\n', absl::SkipEmpty())) {
    absl::StrAppend(&text, "# ", line, "\n");
  }
  return text;
}

}  // namespace twingrad::findings
