// Diagnosis: what is said of a Program that an engine got wrong.
//
// The dual numbers and the balls judge the twin's own results before the engine is blamed; known
// defects have rules of their own. Pure functions.

#pragma once

#include <string>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/ball/ball_result.h"
#include "autograd/reference/dual.h"
#include "autograd/reference/twin.h"
#include "proptests/conformance/legality.h"

namespace twingrad::conformance {

struct Opinion {
  std::string text;       // a line of each witness, or more if the witnesses differ
  bool doubtful = false;  // one contradicts the twin: the fault is this repository's
};
// Of the first of the differences: the dual numbers agree only where they know that element. `ball`
// is null where the balls follow other rules than the twin.
Opinion SecondOpinion(const twingrad::program::Program& program,
                      const twingrad::reference::TwinResult& twin,
                      const twingrad::reference::DualResult& dual, const Differences& differences,
                      const twingrad::reference::ball::BallResult* ball);

// Whether a seed has become the .grad of a value and was then accumulated into: each of its
// elements that changed is one of some .grad (the seed of cat becomes several), or some .grad that
// is wrong is the seed.
bool SeedBecameGrad(const twingrad::program::Program& program,
                    const twingrad::reference::DialectRules& rules,
                    const twingrad::program::Observation& expected,
                    const twingrad::program::Observation& observed);

}  // namespace twingrad::conformance
