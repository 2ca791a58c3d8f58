#include "proptests/findings/sequence.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace twingrad::findings {
namespace {

using Cases = std::vector<std::string>;
using Fails = std::function<bool(absl::Span<const std::string>)>;

// Takes away what can be missing, `size` cases at once. Whether there was some.
bool Drop(size_t size, const Fails& fails, Cases* cases) {
  bool dropped = false;
  for (size_t at = 0; at < cases->size();) {
    Cases fewer = *cases;
    const auto begin = fewer.begin() + static_cast<std::ptrdiff_t>(at);
    fewer.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, cases->size() - at)));
    if (fails(fewer)) {
      *cases = std::move(fewer);
      dropped = true;
    } else {
      at += size;
    }
  }
  return dropped;
}

}  // namespace

std::optional<Cases> FewestBefore(Cases before, const Fails& fails) {
  size_t latest = 1;
  while (latest < before.size() && !fails(absl::MakeConstSpan(before).last(latest))) latest *= 2;
  if (latest >= before.size() && !fails(before)) return std::nullopt;
  if (latest < before.size()) {
    before.erase(before.begin(), before.end() - static_cast<std::ptrdiff_t>(latest));
  }
  for (size_t size = before.size() / 2; size > 1; size /= 2) Drop(size, fails, &before);
  while (Drop(1, fails, &before)) {
  }
  return before;
}

}  // namespace twingrad::findings
