// A Program on its way through the steps of a Judge (judge.h), and what is known of it by then.

#pragma once

#include <optional>
#include <vector>

#include "autograd/program/observation.h"
#include "autograd/program/program.h"
#include "autograd/reference/ball/ball_result.h"
#include "autograd/reference/dual.h"
#include "proptests/judge/expectation.h"
#include "proptests/judge/judge.h"
#include "proptests/judge/statistics.h"

namespace twingrad::judge {

struct Trial {
  // What was asked of the judge. The Program outlives the Trial.
  const twingrad::program::Program* program = nullptr;
  Further further;
  Statistics* statistics = nullptr;

  // What the witnesses say: the twin, of engines with helpers that of any order, and those that
  // were asked beside it.
  std::optional<Expectation> expected;  // none: not asked yet, or the twin cannot judge it
  std::optional<Expectation> in_any_order;
  std::optional<twingrad::reference::DualResult> dual;
  std::optional<twingrad::reference::ball::BallResult> ball;

  // What the canary showed right after the run that was made last, if that ended in an error.
  std::optional<twingrad::program::Observation> canary;

  Judgement judgement;
  bool over = false;  // no further run is made
};

}  // namespace twingrad::judge
