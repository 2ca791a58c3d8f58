// Edits of Programs that are too large for any others: runs of statements, down to a sixteenth of
// the Program, and single ones near its ends, where calls and hooks stand.

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "proptests/shrink/rebuild.h"
#include "proptests/shrink/steps.h"

namespace twingrad::shrink {
namespace {

constexpr int kFinest = 16;
constexpr int kNear = 32;

// --- Runs: halves, quarters, ... sixteenths, later ones first ---
int CountRuns(const Program& program) {
  int runs = 0;
  for (int parts = 2; parts <= kFinest; parts *= 2) runs += parts;
  return Count(program) < kFinest ? 0 : runs;
}
std::pair<int, int> Run(const Program& program, int position) {
  int parts = 2;
  for (; position >= parts; parts *= 2) position -= parts;
  const auto bound = [&](int part) {
    return static_cast<int>(int64_t{Count(program)} * part / parts);
  };
  return {bound(parts - 1 - position), bound(parts - position)};
}

// Of each op in the run the result stands for its first operand. A chain stays one.
std::optional<Program> BypassRun(const Program& program, int position) {
  const auto [begin, end] = Run(program, position);
  Rebuilder rebuilder(program);
  for (int i = 0; i < Count(program); ++i) {
    const Statement& statement = program.statements[i];
    const bool bypassed = i >= begin && i < end && statement.results.size() == 1 &&
                          IsComputed(SignatureOf(statement.op).category);
    if (bypassed) {
      rebuilder.Substitute(statement.results[0], statement.operands[0]);
    } else {
      rebuilder.Add(statement);
    }
  }
  return rebuilder.Take();
}

std::optional<Program> DropRun(const Program& program, int position) {
  const auto [begin, end] = Run(program, position);
  return Filter(program, [&, b = begin, e = end](int i) { return i < b || i >= e; });
}

// --- Single statements: the last ones, then the first ones ---
int CountNear(const Program&) { return 2 * kNear; }
std::optional<Program> DropNear(const Program& program, int position) {
  const int at = position < kNear ? Count(program) - 1 - position : position - kNear;
  if (at < 0 || at >= Count(program)) return std::nullopt;
  return Filter(program, [at](int i) { return i != at; });
}

constexpr Step kSteps[] = {
    {"bypass a run of ops", CountRuns, BypassRun},
    {"drop a run of statements", CountRuns, DropRun},
    {"drop a statement near an end", CountNear, DropNear},
};

}  // namespace

absl::Span<const Step> CoarseSteps() { return kSteps; }

}  // namespace twingrad::shrink
