#include "proptests/interleave/checker/lock_order.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "proptests/interleave/checker/outcome.h"

namespace twingrad::interleave {
namespace {

bool Has(const std::vector<LockPair>& pairs, std::string_view held, std::string_view taken) {
  return std::ranges::any_of(pairs,
                             [&](const LockPair& p) { return p.held == held && p.taken == taken; });
}

// The pairs that lead from one to the other, as text; nothing if none do.
std::optional<std::string> PathText(const std::vector<LockPair>& pairs, std::string_view from,
                                    std::string_view to, std::vector<std::string_view>& passed) {
  if (from == to) return "";
  passed.push_back(from);
  for (const LockPair& pair : pairs) {
    if (pair.held != from || std::ranges::find(passed, pair.taken) != passed.end()) continue;
    if (auto rest = PathText(pairs, pair.taken, to, passed)) return absl::StrCat(pair.text, *rest);
  }
  return std::nullopt;
}

std::optional<std::string> PathText(const std::vector<LockPair>& pairs, std::string_view from,
                                    std::string_view to) {
  std::vector<std::string_view> passed;
  return PathText(pairs, from, to, passed);
}

}  // namespace

std::optional<std::string> FindLockCycle(const std::vector<LockPair>& pairs) {
  for (const LockPair& pair : pairs) {
    if (auto back = PathText(pairs, pair.taken, pair.held)) return absl::StrCat(pair.text, *back);
  }
  return std::nullopt;
}

std::optional<std::string> LockOrder::Add(const Operation& held, const Operation& taken) {
  const std::string_view first = held.name;
  const std::string_view second = taken.name;
  if (Has(pairs_, first, second)) return std::nullopt;
  LockPair pair = {std::string(first), std::string(second), ""};
  pair.text = absl::StrCat("  ", PlaceText(taken), ", holding ",
                           second == first ? "another of that name" : first, " since ",
                           PlaceText(held), "\n");
  const std::optional<std::string> back = PathText(pairs_, second, first);
  if (!Has(seen_, first, second)) seen_.push_back(pair);
  pairs_.push_back(pair);
  if (!back.has_value()) return std::nullopt;
  return absl::StrCat(pair.text, *back);
}

}  // namespace twingrad::interleave
