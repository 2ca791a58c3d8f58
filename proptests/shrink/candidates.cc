#include "proptests/shrink/candidates.h"

#include <utility>

#include "absl/types/span.h"
#include "proptests/shrink/steps.h"

namespace twingrad::shrink {

using twingrad::program::Program;

namespace {

bool HasMoreThan(int statements, const Program& program) {
  return program.statements.size() > static_cast<size_t>(statements);
}

// All kinds of edits of the Program, one after the other.
const Step* StepOf(const Program& program, int step) {
  auto at = static_cast<size_t>(step);
  if (HasMoreThan(kMaxSmall, program)) {
    if (at < CoarseSteps().size()) return &CoarseSteps()[at];
    at -= CoarseSteps().size();
  }
  if (HasMoreThan(kMaxFine, program)) return nullptr;
  const absl::Span<const Step> structure = StructureSteps();
  if (at < structure.size()) return &structure[at];
  const absl::Span<const Step> detail = DetailSteps();
  return at < structure.size() + detail.size() ? &detail[at - structure.size()] : nullptr;
}

}  // namespace

Candidates::Candidates(Program program, Place from)
    : program_(std::move(program)), size_(SizeOf(program_)), at_(from) {}

std::optional<Program> Candidates::Next() {
  while (const Step* step = StepOf(program_, at_.step)) {
    const int count = step->count(program_);
    while (at_.position < count) {
      std::optional<Program> candidate = step->edit(program_, at_.position++);
      if (candidate && !candidate->statements.empty() && SizeOf(*candidate) < size_) {
        return candidate;
      }
    }
    at_ = {at_.step + 1, 0};
  }
  return std::nullopt;
}

Place Candidates::Resume() const {
  return HasMoreThan(kMaxFine, program_) ? Place{at_.step, at_.position - 1} : Place();
}

}  // namespace twingrad::shrink
