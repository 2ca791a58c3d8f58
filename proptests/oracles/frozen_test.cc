// Nothing writes a .grad late.

#include <cstdint>
#include <vector>

#include "proptests/oracles/oracle_test_support.h"
#include "proptests/oracles/oracles.h"

namespace twingrad::oracles {
namespace {

TEST(Frozen, ALateWriteIsFound) {
  Trial trial(kProduct);
  ExpectAgreement(JudgeFrozen(trial.program, trial.observed));
  trial.observed.late_write = {.value = 0, .statement = 5};
  const Verdict verdict = JudgeFrozen(trial.program, trial.observed);
  ExpectFinding(verdict, "frozen");
  EXPECT_EQ(verdict.statements, std::vector<int32_t>{5});
}

}  // namespace
}  // namespace twingrad::oracles
