// The legal answers of a Program that meets points without a derivative: the chain rule over one
// element of each op's generalized gradient, chosen once for each node and element and kept in all
// uses.
//
//   const LegalAnswers legal = FindLegalAnswers(program);
//   const LegalRange range = legal.RangeOf(x, /*grad=*/true, 0);    // range.low <= answer <=
//   range.high
//
// Each first derivative is affine in each choice, so all legal ones lie between those of the
// extreme elements. With at most 64 combinations of these there is a run of the dual witness for
// each; with more, one run takes all slopes at once, and its intervals hold what is legal and more.
// Second derivatives are those of an adjacent piece, or of this repository's own choice. A pure
// function; safe from any thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/program/program.h"
#include "autograd/reference/dual.h"

namespace twingrad::reference {

inline constexpr size_t kMaxVertices = 64;

struct LegalRange {
  bool known = false;
  bool or_nan = false;  // NaN is legal too
  bool chosen = false;  // answers depend on a choice
  double low = 0;
  double high = 0;
  double bound = 0;  // of the witness: how far these may be off
};

struct LegalAnswers {
  std::string not_known;          // why no answers are known; empty: they are
  std::vector<KinkPoint> points;  // that were met
  // A run for each combination of extreme elements, and the element taken at each point; one run
  // with all of them if `enclosed`.
  std::vector<DualResult> vertices;
  std::vector<std::vector<int32_t>> digits;
  bool enclosed = false;
  bool nested = false;  // which points are met depends on the choices at others

  // Of an element of a value's contents or .grad.
  LegalRange RangeOf(program::ValueId value, bool grad, size_t index) const;
  // Of an element of what was watched.
  LegalRange RangeOfWatched(size_t watch, size_t index) const;
};

// `failed`: the statements that end in an error.
LegalAnswers FindLegalAnswers(const program::Program& program,
                              absl::Span<const int32_t> failed = {},
                              absl::Span<const Watch> watches = {});

}  // namespace twingrad::reference
