#include "proptests/interleave/checker/lock_order.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "proptests/interleave/checker/outcome.h"

namespace twingrad::interleave {

std::optional<std::string> LockOrder::PathText(std::string_view from, std::string_view to,
                                               std::vector<std::string_view> passed) const {
  if (from == to) return "";
  passed.push_back(from);
  for (const Pair& pair : pairs_) {
    if (pair.held != from || std::ranges::find(passed, pair.taken) != passed.end()) continue;
    if (auto rest = PathText(pair.taken, to, passed)) return absl::StrCat(pair.text, *rest);
  }
  return std::nullopt;
}

std::optional<std::string> LockOrder::Add(const Operation& held, const Operation& taken) {
  const std::string_view first = held.name;
  const std::string_view second = taken.name;
  const auto same = [&](const Pair& p) { return p.held == first && p.taken == second; };
  if (std::ranges::any_of(pairs_, same)) return std::nullopt;
  const std::string text = absl::StrCat("  ", PlaceText(taken), ", holding ",
                                        second == first ? "another of that name" : first, " since ",
                                        PlaceText(held), "\n");
  const std::optional<std::string> back = PathText(second, first, {});
  pairs_.push_back({first, second, text});
  if (!back.has_value()) return std::nullopt;
  return absl::StrCat(text, *back);
}

}  // namespace twingrad::interleave
