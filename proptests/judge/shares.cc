#include "proptests/judge/shares.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace twingrad::judge {

void Shares::Tally::Count(const std::optional<std::string>& why) {
  ++programs;
  if (!why) return;
  ++skipped;
  ++reasons[*why];
}

double Shares::Tally::Share() const {
  return programs == 0 ? 0 : static_cast<double>(skipped) / static_cast<double>(programs);
}

std::string Shares::Tally::Text() const {
  std::vector<std::pair<uint64_t, std::string>> sorted;
  for (const auto& [reason, count] : reasons) sorted.emplace_back(count, reason);
  std::sort(sorted.rbegin(), sorted.rend());
  std::string text;
  for (const auto& [count, reason] : sorted) {
    absl::StrAppendFormat(&text, "  %.2f %% %s\n",
                          100.0 * static_cast<double>(count) / static_cast<double>(programs),
                          reason);
  }
  return text;
}

void Shares::Count(const program::Program& program, const std::optional<std::string>& skipped) {
  all_.Count(skipped);
  for (const int kind : KindsOf(program)) of_kind_[static_cast<size_t>(kind)].Count(skipped);
}

double Shares::OfPrograms(int kind) const {
  if (all_.programs == 0) return 0;
  return static_cast<double>(of_kind_[static_cast<size_t>(kind)].programs) /
         static_cast<double>(all_.programs);
}

double Shares::SkippedOf(int kind) const { return of_kind_[static_cast<size_t>(kind)].Share(); }

double Shares::Skipped() const { return all_.Share(); }

std::string Shares::ReasonsText(int kind) const {
  return of_kind_[static_cast<size_t>(kind)].Text();
}

std::string Shares::ReasonsText() const { return all_.Text(); }

}  // namespace twingrad::judge
