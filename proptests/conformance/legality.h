// Legality: whether an engine's numbers that differ from the twin's are right too, element by
// element.
//
//   const Differences all = FindDifferences(expected, observed);
//   const Ruling ruling = RuleOn(program, expected, observed, all, FindLegalAnswers(program));
//   ruling.fates[i]      // of all[i]: wrong, a convention, or not judged
//
// At a point without a derivative several answers are right (autograd/reference/legal.h). A
// difference is a convention if all that are within their ranges are together one of the legal
// answers. Numbers that come from no gradient are never excused. Pure functions.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/legal.h"
#include "autograd/reference/twin.h"
#include "proptests/conformance/seen.h"

namespace twingrad::conformance {

// An element that is not the twin's, beyond its bound.
struct ElementDifference {
  twingrad::program::ValueId value = twingrad::program::kNoValue;
  bool grad = false;  // of .grad, else of the contents
  size_t index = 0;
  double expected = 0;
  double actual = 0;
  double bound = 0;
  int32_t seen = -1;  // not of the value itself, but of what this one of the seen gradients shows
};
using Differences = std::vector<ElementDifference>;

// Of floating tensors that are there in both, and of one type; last those of the seen gradients.
Differences FindDifferences(const twingrad::reference::TwinResult& expected,
                            const twingrad::program::Observation& observed,
                            const std::vector<SeenGradient>& seen = {});

enum class Fate : uint8_t {
  kWrong,
  kConvention,
  kNotJudged,  // a kink reaches it, and no set of legal answers is known
};

struct Ruling {
  std::vector<Fate> fates;  // by difference
  bool enclosed = false;    // conventions were told by an enclosure, which holds more than is legal
  // The kinks at which another element was taken than the twin's.
  std::array<bool, twingrad::reference::kNumKinks> taken = {};
  bool or_nan = false;  // NaN in place of 0 times an infinity
};
// `legal` holds the watches of `seen`.
Ruling RuleOn(const twingrad::program::Program& program,
              const twingrad::reference::TwinResult& expected,
              const twingrad::program::Observation& observed, const Differences& differences,
              const twingrad::reference::LegalAnswers& legal,
              const std::vector<SeenGradient>& seen = {});

}  // namespace twingrad::conformance
