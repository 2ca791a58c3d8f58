#include "proptests/shrink/candidates.h"

#include <utility>

#include "absl/types/span.h"
#include "proptests/shrink/steps.h"

namespace twingrad::shrink {

using twingrad::program::Program;

Candidates::Candidates(Program program) : program_(std::move(program)), size_(SizeOf(program_)) {}

std::optional<Program> Candidates::Next() {
  const absl::Span<const Step> structure = StructureSteps();
  const absl::Span<const Step> detail = DetailSteps();
  const int steps = static_cast<int>(structure.size() + detail.size());
  for (; step_ < steps; ++step_, position_ = 0) {
    const auto at = static_cast<size_t>(step_);
    const Step& step = at < structure.size() ? structure[at] : detail[at - structure.size()];
    const int count = step.count(program_);
    while (position_ < count) {
      std::optional<Program> candidate = step.edit(program_, position_++);
      if (candidate && !candidate->statements.empty() && SizeOf(*candidate) < size_) {
        return candidate;
      }
    }
  }
  return std::nullopt;
}

}  // namespace twingrad::shrink
