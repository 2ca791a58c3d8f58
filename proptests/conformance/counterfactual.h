// Counterfactuals: the Program of a known failure without what that failure needs.
//
// A signature of an expected failure names ops and features of Programs. If a difference is the
// failure that it describes, it is gone once one of them is; if a Program without them is wrong
// too, another defect hides behind the signature. Pure functions.

#pragma once

#include <string>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "proptests/conformance/expected_failures.h"

namespace twingrad::conformance {

struct Counterfactual {
  std::string without;  // an op or a feature, as the signature names it
  twingrad::program::Program program;
};

// One for each op and feature that can be taken away and that the Program holds. In place of an
// op's result stands a leaf with the contents that `expected`, the twin's Observation, has for it
// at the end of the run; what is written in place by the op is not written. Not taken away are ops
// with several results, and features without which calls would not run (seeds, inputs of grad).
std::vector<Counterfactual> Counterfactuals(const twingrad::program::Program& program,
                                            const FailureSignature& signature,
                                            const twingrad::program::Observation& expected);

}  // namespace twingrad::conformance
