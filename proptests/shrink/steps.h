// The edits that the shrinker tries. A Step is a numbered family of edits of a Program.
//
// An edit may yield a Program that is no smaller; Candidates filters those out.

#pragma once

#include <optional>

#include "absl/types/span.h"
#include "autograd/program/program.h"

namespace twingrad::shrink {

struct Step {
  const char* name;
  // How many edits there are.
  int (*count)(const twingrad::program::Program&);
  // Edit number `position`, or nothing where it does not apply.
  std::optional<twingrad::program::Program> (*edit)(const twingrad::program::Program&,
                                                    int position);
};

// A Program of more statements is reduced by coarse steps first.
inline constexpr int kMaxSmall = 32;
// One of more by them alone: there are too many fine ones.
inline constexpr int kMaxFine = 1000;

// steps_coarse.cc: runs of statements.
absl::Span<const Step> CoarseSteps();
// steps_structure.cc: statements and values. steps_detail.cc: shapes, attributes, data.
absl::Span<const Step> StructureSteps();
absl::Span<const Step> DetailSteps();

}  // namespace twingrad::shrink
