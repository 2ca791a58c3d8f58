// What is remarkable about a Program that an engine got wrong, as lines for the verdict.
//
// The signature of an expected failure can name text of the verdict. Where neither the rule nor the
// ops tell one defect from another, a line from here does. Pure functions.

#pragma once

#include <string>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"

namespace twingrad::conformance {

// None, or some of
//   circumstance: the result of matmul is a view      (of memory that no value of the Program owns)
//   circumstance: prod of several zeros               (over all elements)
//   circumstance: the gradient of a prod is shown     (of its result: by a hook, by inputs=, ...)
// `expected` has the values, `observed` the graphs.
std::string Circumstances(const twingrad::program::Program& program,
                          const twingrad::program::Observation& expected,
                          const twingrad::program::Observation& observed);

}  // namespace twingrad::conformance
