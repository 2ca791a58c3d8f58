#include "proptests/shrink/shrink.h"

#include <optional>
#include <utility>

#include "proptests/shrink/candidates.h"

namespace twingrad::shrink {

using twingrad::program::Program;

ShrinkResult Shrink(const Program& program, const std::function<bool(const Program&)>& still_fails,
                    const ShrinkLimits& limits) {
  ShrinkResult result;
  result.program = program;
  // Of a large Program each attempt takes long: those that failed before the latest step are tried
  // again only when all others have failed.
  Place from;
  while (true) {
    Candidates candidates(result.program, from);
    const bool whole = from.step == 0 && from.position == 0;
    bool improved = false;
    while (std::optional<Program> candidate = candidates.Next()) {
      if (result.attempts >= limits.max_attempts) return result;
      if (limits.interrupt && limits.interrupt()) return result;
      ++result.attempts;
      if (!still_fails(*candidate)) continue;
      ++result.steps;
      result.program = *std::move(candidate);
      from = candidates.Resume();
      improved = true;
      break;
    }
    if (improved) continue;
    from = {};
    if (whole) {
      result.minimal = true;
      return result;
    }
  }
}

}  // namespace twingrad::shrink
