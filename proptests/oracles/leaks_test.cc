// Memory is given back.

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

TEST(Leaks, WhatARunOrAFailedCallKeepsIsFound) {
  const Trial right(kProduct);
  ExpectAgreement(JudgeLeaks(right.program, right.observed));
  Trial trial(kProduct);
  trial.observed.leaked_blocks = 1;
  ExpectFinding(JudgeLeaks(trial.program, trial.observed), "leaks");
  trial.observed.leaked_blocks = 0;
  trial.observed.leaked_bytes = -64;
  ExpectFinding(JudgeLeaks(trial.program, trial.observed), "leaks");
  trial.observed.leaked_bytes = 0;
  trial.observed.calls[0].held_blocks = 2;
  ExpectFinding(JudgeLeaks(trial.program, trial.observed), "leaks");
}

}  // namespace
}  // namespace twingrad::oracles
